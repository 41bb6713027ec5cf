package recall

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"
)

var (
	now     = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	testKey = ed25519.NewKeyFromSeed([]byte("a key of tests, not of releases."))
	public  = []ed25519.PublicKey{testKey.Public().(ed25519.PublicKey)}
	note    = Note{Below: "0.2.0", Fault: Often, Issued: now.Add(-time.Hour), Until: now.Add(7 * 24 * time.Hour)}
)

func sign(t testing.TB, n Note, key ed25519.PrivateKey) string {
	t.Helper()
	line, err := Sign(n, key)
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func TestParse_TakesWhatTheKeyHasSigned(t *testing.T) {
	line := sign(t, note, testKey)
	if got, err := Parse(line, public, now); err != nil || got != note {
		t.Errorf("Parse = %+v, %v, want %+v", got, err, note)
	}
	if len(line) > MaxLine {
		t.Errorf("a line has %d bytes, want %d at most", len(line), MaxLine)
	}
	other := ed25519.NewKeyFromSeed([]byte("the key of somebody else, or so."))
	for what, keys := range map[string][]ed25519.PublicKey{"no key": nil, "another key": {other.Public().(ed25519.PublicKey)}, "half a key": {public[0][:16]}} {
		if _, err := Parse(line, keys, now); !errors.Is(err, ErrForged) {
			t.Errorf("Parse with %s = %v, want ErrForged", what, err)
		}
	}
	if len(ReleaseKeys()) != len(releaseKeys) {
		t.Error("a release key cannot be read")
	}
	for i := range line {
		if _, err := Parse(line[:i]+string(line[i]^1)+line[i+1:], public, now); !errors.Is(err, ErrForged) {
			t.Fatalf("with byte %d changed: %v, want ErrForged", i, err)
		}
	}
	for _, l := range []string{"", line[1:], line[:len(line)-1], line + "A", line + "\n", scheme, scheme + strings.Repeat("A", 400)} {
		if _, err := Parse(l, public, now); !errors.Is(err, ErrForged) {
			t.Errorf("Parse(%q) = %v, want ErrForged", l, err)
		}
	}
}

func TestParse_KeepsToItsTime(t *testing.T) {
	for _, c := range []struct {
		name          string
		issued, until time.Duration
		ok            bool
	}{
		{"of now", 0, time.Hour, true},
		{"of a clock that is ahead", 23 * time.Hour, 48 * time.Hour, true},
		{"of the future", 25 * time.Hour, 48 * time.Hour, false},
		{"over", -48 * time.Hour, 0, false},
		{"of the whole time", -time.Second, MaxLife - time.Second, true},
	} {
		n := note
		n.Issued, n.Until = now.Add(c.issued), now.Add(c.until)
		if _, err := Parse(sign(t, n, testKey), public, now); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrTime) {
			t.Errorf("a note %s: %v", c.name, err)
		}
	}
	n := note
	n.Until = n.Issued.Add(MaxLife + time.Second)
	if _, err := Sign(n, testKey); err == nil {
		t.Error("a note that counts for too long is signed")
	}
	if n.Below = "0.2"; true {
		if _, err := Sign(n, testKey); err == nil {
			t.Error("a note about no version is signed")
		}
	}
}

func TestNote_Asks(t *testing.T) {
	for _, c := range []struct {
		below, version string
		want           bool
	}{
		{"0.2.0", "0.1.0", true}, {"0.2.0", "0.1.99", true}, {"0.2.0", "0.2.0", false}, {"0.2.0", "0.10.0", false}, {"0.10.0", "0.9.0", true},
		{"1.0.0", "0.99.99", true}, {"0.0.1", "0.0.1", false}, {"", "0.1.0", false}, {"0.2.0", "unreadable", true},
	} {
		n := note
		n.Below = c.below
		if got := n.Asks(c.version, now); got != c.want {
			t.Errorf("a note about versions below %q asks %q: %v, want %v", c.below, c.version, got, c.want)
		}
		if n.Asks(c.version, n.Until) {
			t.Errorf("a note that is over asks %q", c.version)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sign(f, note, testKey)[len(scheme):], []byte{})
	f.Add("", []byte{1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2})
	f.Fuzz(func(t *testing.T, text string, body []byte) {
		if n, err := Parse(scheme+text, public, now); err == nil && sign(t, n, testKey) != scheme+text {
			t.Errorf("%q is read as %+v", text, n)
		}
		// What is signed is read to the end, however odd.
		line := scheme + base64.RawURLEncoding.EncodeToString(append(body, ed25519.Sign(testKey, append([]byte(signed), body...))...))
		n, err := Parse(line, public, now)
		if err != nil {
			return
		}
		if again := sign(t, n, testKey); again != line || n.Until.Sub(n.Issued) > MaxLife || !now.Before(n.Until) {
			t.Errorf("%x is read as %+v", body, n)
		}
	})
}
