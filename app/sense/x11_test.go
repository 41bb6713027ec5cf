package sense

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func onX(t *testing.T, story func(c *computer, h *Hub, x *fakeX)) {
	x := newFakeX()
	runOn(t, func(c *computer) {
		c.env["DISPLAY"] = ":7"
		c.listen(xSocket, x.serve)
	}, func(c *computer, h *Hub) { story(c, h, x) })
}

func TestX11_TellsOfInput(t *testing.T) {
	onX(t, func(c *computer, h *Hub, x *fakeX) {
		is(t, "in use", after(h, time.Second).Input, Input{Active: true}, "X11")
		x.idleFor(time.Hour)
		got := after(h, activeFor).Input
		if !got.Known || got.Value.Active || got.Value.IdleFor(time.Now()) < time.Hour {
			t.Errorf("idle = %+v", got)
		}
		x.idleFor(10 * time.Millisecond)
		is(t, "a second after the first key", after(h, watchEvery).Input, Input{Active: true}, "X11")
		before := x.count()
		after(h, time.Minute)
		if n := x.count() - before; n > 30 {
			t.Errorf("asked %d times within a minute of use", n)
		}
		c.vanish(xSocket)
		x.die()
		unknown(t, "without the display", after(h, 5*time.Second).Input)
		c.listen(xSocket, x.serve)
		is(t, "with it again", after(h, 2*retryMost).Input, Input{Active: true}, "X11")
	})
}

func TestX11_BeneathWaylandIsNotAsked(t *testing.T) {
	for name, prepare := range map[string]func(c *computer, x *fakeX){
		"by name of the session": func(c *computer, x *fakeX) { c.env["XDG_SESSION_TYPE"] = "wayland" },
		"by the display":         func(c *computer, x *fakeX) { x.extensions["XWAYLAND"] = 150 },
		"by the other display":   func(c *computer, x *fakeX) { c.env["WAYLAND_DISPLAY"] = "wayland-5" },
	} {
		t.Run(name, func(t *testing.T) {
			x := newFakeX()
			runOn(t, func(c *computer) {
				c.env["DISPLAY"] = ":7"
				c.listen(xSocket, x.serve)
				prepare(c, x)
			}, func(c *computer, h *Hub) {
				s := after(h, time.Minute)
				unknown(t, "input", s.Input)
				unknown(t, "full screen", s.FullScreen)
				if !strings.Contains(s.FullScreen.Why, "Wayland") {
					t.Errorf("Why = %q", s.FullScreen.Why)
				}
			})
		})
	}
}

func TestX11_TellsOfFullScreen(t *testing.T) {
	onX(t, func(c *computer, h *Hub, x *fakeX) {
		unknown(t, "without a window manager", after(h, 10*time.Second).FullScreen)
		x.set(fakeRoot, "_NET_SUPPORTED", 1, 2)
		is(t, "without a window", after(h, 2*retryMost).FullScreen, false, "X11")
		x.set(fakeRoot, "_NET_ACTIVE_WINDOW", 0)
		is(t, "with the desktop", after(h, time.Second).FullScreen, false, "X11")
		x.set(5, "_NET_WM_STATE", x.atom("_NET_WM_STATE_ABOVE"), x.atom("_NET_WM_STATE_FULLSCREEN"))
		x.set(fakeRoot, "_NET_ACTIVE_WINDOW", 5)
		is(t, "with a film", after(h, time.Second).FullScreen, true, "X11")
		x.set(5, "_NET_WM_STATE")
		is(t, "with the film in a window", after(h, time.Second).FullScreen, false, "X11")
		x.set(fakeRoot, "_NET_ACTIVE_WINDOW", 0xdead) // it has gone already
		is(t, "with a window that is gone", after(h, time.Second).FullScreen, false, "X11")
		x.set(5, "_NET_WM_STATE", x.atom("_NET_WM_STATE_FULLSCREEN"))
		x.set(fakeRoot, "_NET_ACTIVE_WINDOW", 5)
		is(t, "with a film after that", after(h, time.Second).FullScreen, true, "X11")
		x.set(5, "_NET_WM_STATE", 0)
		is(t, "at its end", after(h, time.Second).FullScreen, false, "X11")
	})
}

func TestX11_HostileDisplaysAreLeft(t *testing.T) {
	setup := func(b ...byte) func(net.Conn) {
		return func(c net.Conn) { go io.Copy(io.Discard, c); c.Write(b); time.Sleep(time.Hour) }
	}
	ok := fakeSetup()
	welcome := append([]byte{1, 0, 11, 0, 0, 0, byte(len(ok) / 4), 0}, ok...)
	for name, serve := range map[string]func(net.Conn){
		"nothing":      func(c net.Conn) { time.Sleep(time.Hour) },
		"closes":       func(c net.Conn) {},
		"refuses":      setup(append([]byte{0, 9, 11, 0, 0, 0, 3, 0}, "No!\x1b[31m\x00\x00\x00\x00"...)...),
		"short":        setup(1, 0, 11, 0, 0, 0, 0, 0),
		"huge":         setup(append([]byte{1, 0, 11, 0, 0, 0, 0xff, 0xff}, make([]byte, 4*0xffff)...)...),
		"only welcome": setup(welcome...),
		"huge reply": setup(append(bytes.Clone(welcome),
			append([]byte{1, 0, 1, 0, 0xff, 0xff, 0xff, 0xff}, make([]byte, 24)...)...)...),
		"events always": setup(append(bytes.Clone(welcome),
			bytes.Repeat(append([]byte{28}, make([]byte, 31)...), 5000)...)...),
		"errors always": setup(append(bytes.Clone(welcome),
			bytes.Repeat(append([]byte{0, 0, 1}, make([]byte, 29)...), 5000)...)...),
	} {
		t.Run(name, func(t *testing.T) {
			runOn(t, func(c *computer) {
				c.env["DISPLAY"] = ":7"
				c.listen(xSocket, serve)
			}, func(c *computer, h *Hub) {
				s := after(h, 5*time.Minute)
				unknown(t, "input", s.Input)
				unknown(t, "full screen", s.FullScreen)
				if strings.Contains(s.Input.Why, "\x1b") {
					t.Errorf("Why = %q", s.Input.Why)
				}
			})
		})
	}
}

func TestX11_ErrorsOfOthersAreNoAnswers(t *testing.T) {
	stream := append([]byte{0, 3, 1, 0}, make([]byte, 28)...) // of the first request
	stream = append(stream, append([]byte{1, 0, 2, 0}, make([]byte, 28)...)...)
	c := silentConn{r: bytes.NewReader(stream)}
	x := &x11{conn: c, r: bufio.NewReader(c)}
	if err := x.follow(7); err != nil {
		t.Fatal(err)
	}
	if p, err := x.ask(x11Request(20, 0, nil)); err != nil || p == nil {
		t.Errorf("ask = %v, %v, want the reply to the second request", p, err)
	}
}

func TestX11_EventsWithoutEndAreSlowedDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := bytes.Repeat(append([]byte{2}, make([]byte, 31)...), 2000) // of keys, which nobody wants
		c := silentConn{r: bytes.NewReader(events)}
		x := &x11{conn: c, r: bufio.NewReader(c)}
		began := time.Now()
		if err := x.wait(t.Context(), time.Hour); !errors.Is(err, io.EOF) || time.Since(began) < 9*time.Second {
			t.Errorf("wait = %v after %v", err, time.Since(began))
		}
	})
}

func TestParseDisplay(t *testing.T) {
	for _, c := range []struct {
		s    string
		want display
		ok   bool
	}{
		{":0", display{}, true}, {":1.2", display{1, 2}, true}, {"unix:3", display{3, 0}, true},
		{"localhost:10.0", display{}, false},
		{"", display{}, false}, {":", display{}, false}, {":-1", display{}, false},
		{":1/../../x", display{}, false}, {":1.x", display{}, false},
	} {
		if got, err := parseDisplay(c.s); got != c.want && c.ok || (err == nil) != c.ok {
			t.Errorf("parseDisplay(%q) = %v, %v", c.s, got, err)
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
		entry(256, "1", x11Auth, "another"), entry(0, "7", x11Auth, "remote"),
		entry(256, "7", "XDM-AUTHORIZATION-1", "old"), entry(256, "7", x11Auth, "right"),
	}, nil)
	for n, want := range map[int]string{7: "right", 1: "another", 9: ""} {
		if got := findCookie(file, n); string(got) != want {
			t.Errorf("cookie of :%d = %q, want %q", n, got, want)
		}
	}
	if got := findCookie(file[:len(file)-1], 7); string(got) != "remote" {
		t.Errorf("of a file that is cut off: %q", got)
	}
	if got := findCookie(entry(65535, "", x11Auth, "any"), 3); string(got) != "any" {
		t.Errorf("of any display: %q", got)
	}
}
