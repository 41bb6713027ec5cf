package x11

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/sense/sensetest"
)

func TestDisplay_ErrorsOfOthersAreNoAnswers(t *testing.T) {
	stream := append([]byte{0, 3, 1, 0}, make([]byte, 28)...) // of the first request
	stream = append(stream, append([]byte{1, 0, 2, 0}, make([]byte, 28)...)...)
	c := sensetest.Conn{R: bytes.NewReader(stream)}
	x := newDisplay(c)
	if err := x.follow(7); err != nil {
		t.Fatal(err)
	}
	if p, err := x.ask(request(20, 0, nil)); err != nil || p == nil {
		t.Errorf("ask = %v, %v, want the reply to the second request", p, err)
	}
}

func TestDisplay_EventsWithoutEndAreSlowedDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := bytes.Repeat(append([]byte{2}, make([]byte, 31)...), 2000) // of keys, which nobody wants
		c := sensetest.Conn{R: bytes.NewReader(events)}
		x := newDisplay(c)
		began := time.Now()
		if err := x.Wait(time.Hour); !errors.Is(err, io.EOF) || time.Since(began) < 9*time.Second {
			t.Errorf("wait = %v after %v", err, time.Since(began))
		}
	})
}

func TestParseAddress(t *testing.T) {
	for _, c := range []struct {
		s    string
		want address
		ok   bool
	}{
		{":0", address{}, true}, {":1.2", address{1, 2}, true}, {"unix:3", address{3, 0}, true},
		{"localhost:10.0", address{}, false},
		{"", address{}, false}, {":", address{}, false}, {":-1", address{}, false},
		{":1/../../x", address{}, false}, {":1.x", address{}, false},
	} {
		if got, err := parseAddress(c.s); got != c.want && c.ok || (err == nil) != c.ok {
			t.Errorf("parseAddress(%q) = %v, %v", c.s, got, err)
		}
	}
}

func TestFindCookie(t *testing.T) {
	entry := func(family uint16, number, name, data string) (b []byte) {
		b = binary.BigEndian.AppendUint16(b, family)
		for _, s := range []string{"host", number, name, data} {
			b = append(binary.BigEndian.AppendUint16(b, uint16(len(s))), s...)
		}
		return b
	}
	file := bytes.Join([][]byte{
		entry(256, "1", authName, "another"), entry(0, "7", authName, "remote"),
		entry(256, "7", "XDM-AUTHORIZATION-1", "old"), entry(256, "7", authName, "right"),
	}, nil)
	for n, want := range map[int]string{7: "right", 1: "another", 9: ""} {
		if got := findCookie(file, n); string(got) != want {
			t.Errorf("cookie of :%d = %q, want %q", n, got, want)
		}
	}
	if got := findCookie(file[:len(file)-1], 7); string(got) != "remote" {
		t.Errorf("of a file that is cut off: %q", got)
	}
	if got := findCookie(entry(65535, "", authName, "any"), 3); string(got) != "any" {
		t.Errorf("of any display: %q", got)
	}
}

// fakeSetup answers the first message: one pixel format, one screen with one depth of one visual.
func fakeSetup() []byte {
	b := make([]byte, 32+8+8+40+8+24)
	binary.LittleEndian.PutUint16(b[16:], 6)
	copy(b[32:], "vendor")
	b[20], b[21] = 1, 1
	binary.LittleEndian.PutUint32(b[48:], 0x77)
	b[48+39] = 1
	binary.LittleEndian.PutUint16(b[88+2:], 1)
	return b
}

func FuzzDisplay(f *testing.F) {
	ok := fakeSetup()
	seed := append([]byte{1, 0, 11, 0, 0, 0, byte(len(ok) / 4), 0}, ok...)
	for n := range byte(20) {
		seed = append(seed, 1, 32, n+1, 0, 2, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0)
		seed = append(seed, make([]byte, 20)...)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, b []byte) {
		// A throttle waits, which costs nothing in a bubble.
		synctest.Test(t, func(t *testing.T) {
			x := newDisplay(sensetest.Conn{R: bytes.NewReader(b)})
			if x.setup(0, nil) != nil {
				return
			}
			w, err := x.Window()
			if err != nil {
				return
			}
			for range 10 {
				if _, err := w.FullScreen(); err != nil {
					return
				}
				if _, err := x.Idle(); err != nil {
					return
				}
			}
		})
	})
}

func FuzzFindCookie(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x01h\x00\x017\x00\x12MIT-MAGIC-COOKIE-1\x00\x02xy"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if got := findCookie(b, 7); len(got) > 255 || !bytes.Contains(b, got) {
			t.Errorf("cookie = %q", got)
		}
	})
}
