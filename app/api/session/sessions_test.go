package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSessions_AtMost(t *testing.T) {
	h := newClock()
	s, err := Open(filepath.Join(t.TempDir(), "sessions.json"), h.now, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []Credentials
	for range maxSessions + 2 {
		h.move(sessionLife / (maxSessions + 4))
		if len(all) > 0 { // the first one is used all the time
			if _, ok, err := s.Admit(all[0]); !ok || err != nil {
				t.Fatalf("the first session: %v, %v", ok, err)
			}
		}
		cookie, proof, err := s.Begin("")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Credentials{Cookies: []string{cookie}, Proof: proof})
	}
	again, err := Open(s.file, h.now, nil)
	if err != nil || again.open.Len() != maxSessions {
		t.Errorf("%d sessions, %v in the file, want %d", again.open.Len(), err, maxSessions)
	}
	for i, c := range all {
		_, ok, _ := s.Admit(c)
		_, kept, _ := again.Admit(c)
		if want := i != 1 && i != 2; ok != want || kept != want {
			t.Errorf("session %d: %v, after a new start %v, want %v", i, ok, kept, want)
		}
	}
}

func TestReadSessions(t *testing.T) {
	dir := t.TempDir()
	d := strings.Repeat("ab", 32)
	good := `{"version":1,"sessions":[{"cookie":"` + d + `","proof":"` + d + `","began":"2026-04-30T00:00:00Z","used":"2026-04-30T00:00:00Z"}]}`
	h := newClock()
	for _, c := range []struct {
		name, text string
		want       int
		fails      bool
	}{
		{"good", good, 1, false},
		{"none", `{"version":1,"sessions":[]}`, 0, false},
		{"nothing", ``, 0, true},
		{"torn", good[:60], 0, true},
		{"of another version", strings.Replace(good, "1", "2", 1), 0, true},
		{"a short digest", strings.Replace(good, "abab", "ab", 1), 0, true},
		{"no digest", strings.Replace(good, "abab", "xxxx", 1), 0, true},
		{"too many", `{"version":1,"sessions":[` + strings.Repeat(`{},`, maxSessions) + `{}]}`, 0, true},
		{"too long", good + strings.Repeat(" ", maxSize), 0, true},
	} {
		file := filepath.Join(dir, c.name)
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(file, h.now, nil)
		if s == nil || s.open.Len() != c.want || (err != nil) != c.fails {
			t.Errorf("%s: %v, %v, want %d sessions", c.name, s, err, c.want)
			continue
		}
		if _, _, err := s.Begin(""); err != nil { // a bad file is replaced
			t.Error(err)
		}
		if s, err := Open(file, h.now, nil); err != nil || s.open.Len() != c.want+1 {
			t.Errorf("%s, replaced: %v, want %d sessions", c.name, err, c.want+1)
		}
	}
	if s, err := Open(filepath.Join(dir, "missing"), h.now, nil); err != nil || s.open.Len() != 0 {
		t.Errorf("without a file: %v", err)
	}
	if _, err := Open(dir, h.now, nil); err == nil {
		t.Error("a directory was read")
	}
}

func FuzzReadSessions(f *testing.F) {
	d := strings.Repeat("0f", 32)
	f.Add([]byte(`{"version":1,"sessions":[{"cookie":"` + d + `","proof":"` + d + `","used":"2026-04-30T00:00:00Z"}]}`))
	f.Add([]byte(`{"version":1,"sessions":null}`))
	f.Add([]byte(`{}`))
	file := filepath.Join(f.TempDir(), "sessions.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parse(data)
		if err != nil {
			return
		}
		if len(list) > maxSessions {
			t.Fatalf("%d sessions", len(list))
		}
		if err := write(file, list); err != nil {
			return // a year that RFC 3339 has not
		}
		same := func(a, b *session) bool { return a.cookie == b.cookie && a.proof == b.proof && a.used.Equal(b.used) }
		if again, err := read(file); err != nil || !slices.EqualFunc(list, again, same) {
			t.Errorf("%s is read again as %v, %v", data, again, err)
		}
	})
}

func TestOpen_SessionsEndAfterAMonth(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sessions.json")
	h := newClock()
	count := func() int {
		t.Helper()
		s, err := Open(file, h.now, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s.open.Len()
	}
	s, err := Open(file, h.now, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := s.Begin(""); err != nil {
			t.Fatal(err)
		}
		h.move(sessionLife - 1)
	}
	if got := count(); got != 1 {
		t.Errorf("%d sessions after a new start, want 1", got)
	}
	h.move(-20 * sessionLife) // whoever sets the clock back stays in
	if s, err = Open(file, h.now, nil); err != nil || s.open.Len() != 2 {
		t.Errorf("%d sessions, %v in the past, want 2", s.open.Len(), err)
	}
	h.move(sessionLife)
	for _, one := range s.open.Values() {
		if h.now().Sub(one.began) < sessionLife {
			t.Errorf("a session of the future lasts from %v, want at most until %v", one.began, h.now())
		}
	}
}

// clock is moved by hand.
type clock struct{ at time.Time }

func newClock() *clock { return &clock{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time       { return c.at }
func (c *clock) move(d time.Duration) { c.at = c.at.Add(d) }
