package claims

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	self  = "12D3KooWself"
	other = "12D3KooWother"
	mine  = crawl.Domain("mine.example")
)

// hand is a wall clock that a test moves.
type hand struct{ now time.Time }

func newBook(list ...crawl.Domain) (*Book, *hand) {
	h := &hand{time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	c := New(Config{Node: self, Now: func() time.Time { return h.now }}, nil)
	c.List(list)
	return c, h
}

func changed(c *Book) bool {
	select {
	case <-c.Changed():
		return true
	default:
		return false
	}
}

func TestBook_ATokenOfThisNodeProvesWhileItIsThere(t *testing.T) {
	c, h := newBook(mine)
	if !c.Lists(mine) || c.Lists("else.example") || c.Proved(mine) || c.First() != nil || !changed(c) {
		t.Fatalf("at first: listed %v, proved %v, first %v", c.Lists(mine), c.Proved(mine), c.First())
	}
	for _, s := range []struct {
		name  string
		d     crawl.Domain
		nodes []string
		want  bool
		news  bool
	}{
		{"no file", mine, nil, false, false},
		{"another node's", mine, []string{other}, false, false},
		{"one that begins alike", mine, []string{self + "x", "x" + self}, false, false},
		{"at another site", "else.example", []string{self}, false, false},
		{"this node's, among others", mine, []string{other, self}, true, true},
		{"still there", mine, []string{self}, true, true},
		{"at another site that is not listed", "else.example", nil, true, false},
		{"gone", mine, []string{other}, false, true},
		{"back", mine, []string{self}, true, true},
	} {
		h.now = h.now.Add(time.Hour)
		c.SawRobots(s.d, s.nodes, h.now)
		if got := c.Proved(mine); got != s.want || slices.Contains(c.First(), mine) != s.want {
			t.Errorf("%s: proved %v, first %v, want %v", s.name, got, c.First(), s.want)
		}
		if got := changed(c); got != s.news {
			t.Errorf("%s: told of a change: %v, want %v", s.name, got, s.news)
		}
		if c.Proved("else.example") {
			t.Errorf("%s: proves what is not listed", s.name)
		}
	}
}

func TestSite_ProvedSinceWhen(t *testing.T) {
	day := 24 * time.Hour
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	at := func(days int) time.Time { return now.Add(time.Duration(days) * day) }
	proof := func(since, seen int) Proof { return Proof{Since: at(since), Seen: at(seen)} }
	for _, c := range []struct {
		name  string
		s     Site
		by    Means
		since int
	}{
		{"nothing", Site{}, "", 0},
		{"robots.txt", Site{Robots: proof(-9, -1)}, Robots, -9},
		{"robots.txt of the last visit", Site{Robots: proof(-99, -34)}, Robots, -99},
		{"robots.txt of long ago", Site{Robots: proof(-99, -35)}, "", 0},
		{"DNS", Site{DNS: proof(-9, -1)}, DNS, -9},
		{"DNS that was not asked for two days", Site{DNS: proof(-9, -2)}, "", 0},
		{"both", Site{Robots: proof(-5, 0), DNS: proof(-9, 0)}, DNS, -9},
		{"both, robots.txt first", Site{Robots: proof(-9, 0), DNS: proof(-5, 0)}, Robots, -9},
		{"one that holds and one of long ago", Site{Robots: proof(-1, 0), DNS: proof(-9, -3)}, Robots, -1},
		{"the clock was put right by a day", Site{DNS: proof(0, 1)}, DNS, 0},
		{"from the future", Site{Robots: proof(0, 2)}, "", 0},
	} {
		by, since, ok := c.s.Proved(now)
		if by != c.by || ok != (c.by != "") || ok && !since.Equal(at(c.since)) {
			t.Errorf("%s: proved %v by %q since %v, want by %q since %v", c.name, ok, by, since, c.by, at(c.since))
		}
	}
}

func TestBook_SinceGoesOnUntilTheTokenIsMissed(t *testing.T) {
	c, h := newBook(mine)
	begun := h.now
	see := func(nodes ...string) { c.SawRobots(mine, nodes, h.now) }
	since := func() time.Time { return c.Sites()[0].Robots.Since }
	see(self)
	h.now = h.now.Add(30 * 24 * time.Hour)
	see(self)
	if !since().Equal(begun) {
		t.Errorf("since %v after a month, want %v", since(), begun)
	}
	c.SawRobots(mine, []string{self}, begun) // an old copy
	if seen := c.Sites()[0].Robots.Seen; !seen.Equal(h.now) {
		t.Errorf("seen %v after an old copy was looked at, want %v", seen, h.now)
	}
	h.now = h.now.Add(36 * 24 * time.Hour)
	see(self)
	if !since().Equal(h.now) {
		t.Errorf("since %v after it had lapsed, want %v", since(), h.now)
	}
	see()
	if !since().IsZero() {
		t.Errorf("since %v after it was taken away", since())
	}
}

func TestBook_ListKeepsWhatIsKnown(t *testing.T) {
	c, h := newBook(mine, "b.example", mine)
	c.SawRobots(mine, []string{self}, h.now)
	changed(c)
	c.List([]crawl.Domain{mine, "b.example"})
	if changed(c) {
		t.Error("the same list is told as another")
	}
	c.List([]crawl.Domain{"c.example", mine})
	if got := c.Sites(); len(got) != 2 || got[0].Domain != "c.example" || got[1].Domain != mine || !c.Proved(mine) || !changed(c) {
		t.Errorf("sites %+v", got)
	}
	c.List(nil)
	c.List([]crawl.Domain{mine})
	if c.Proved(mine) {
		t.Error("what was taken off the list is proved")
	}
	many := make([]crawl.Domain, 2*Max)
	for i := range many {
		many[i] = crawl.Domain(rune('a'+i)) + ".example"
	}
	if c.List(many); len(c.Sites()) != Max {
		t.Errorf("%d sites are listed, want %d", len(c.Sites()), Max)
	}
}

func TestSave_AndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.json")
	if kept, err := Load(path, self); kept != nil || err != nil {
		t.Errorf("Load of nothing = %v, %v", kept, err)
	}
	c, h := newBook(mine, "b.example")
	c.SawRobots(mine, []string{self}, h.now)
	for range 2 { // the second replaces the first
		if err := c.Save(path); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := Load(path, self)
	if err != nil || !slices.Equal(kept, c.Sites()) {
		t.Errorf("Load = %+v, %v, want %+v", kept, err, c.Sites())
	}
	again := New(c.cfg, kept)
	if again.Proved(mine) {
		t.Error("what is not listed is proved")
	}
	if again.List([]crawl.Domain{mine}); !again.Proved(mine) {
		t.Error("a proof was lost")
	}
	if kept, err := Load(path, other); kept != nil || err != nil {
		t.Errorf("another node has %v, %v", kept, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the file there are %v, %v", entries, err)
	}
	if err := os.WriteFile(path, []byte(`{"node":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if kept, err := Load(path, self); kept != nil || err == nil {
		t.Errorf("Load of half a file = %v, %v", kept, err)
	}
}
