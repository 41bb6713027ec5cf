package near

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// at returns a coordinate so many milliseconds along the first axes.
func at(ms ...float64) Coordinate {
	c := New("").client.GetCoordinate()
	clear(c.Vec)
	c.Error = 0.2
	for i, v := range ms {
		c.Vec[i] = v / 1000
	}
	return Coordinate{c}
}

// world is a plane with nodes on it, and what each needs to get there.
type world struct{ x, y, up []float64 }

func newWorld(n int) (w world) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range n {
		w.x, w.y, w.up = append(w.x, rng.Float64()*120), append(w.y, rng.Float64()*60), append(w.up, rng.Float64()*10)
	}
	return w
}

func (w world) ms(a, b int) float64 {
	return math.Hypot(w.x[a]-w.x[b], w.y[a]-w.y[b]) + w.up[a] + w.up[b]
}

// Nodes that hear from four others each find out how far they are from all.
func TestHere_Converges(t *testing.T) {
	const nodes = 20
	w, rng := newWorld(nodes), rand.New(rand.NewPCG(3, 4))
	var here []*Here
	for i := range nodes {
		here = append(here, New(fmt.Sprint(i)))
	}
	for range 100 {
		for i := range here {
			for _, by := range []int{1, 3, 7, 12} {
				j := (i + by) % nodes
				told, _ := Parse(here[j].At().Text())
				took := w.ms(i, j) * (1 + rng.Float64()/5)
				here[i].Heard(fmt.Sprint(j), told, time.Duration(took*float64(time.Millisecond)))
			}
		}
	}
	var wrong []float64
	for i := range here {
		for j := range i {
			got, ok := here[i].At().Ms(here[j].At())
			if !ok {
				t.Fatal("no distance")
			}
			wrong = append(wrong, math.Abs(got-w.ms(i, j))/w.ms(i, j))
		}
	}
	slices.Sort(wrong)
	if median := wrong[len(wrong)/2]; median > 0.2 {
		t.Errorf("distances are wrong by %.0f %% at the median, want at most 20 %%", 100*median)
	}
}

func TestHere_LeavesOutWhatCannotBe(t *testing.T) {
	h := New("a")
	h.Heard("b", Coordinate{}, time.Second)
	h.Heard("b", at(1), 0)
	h.Heard("b", at(1), time.Hour)
	if _, known := h.At().Ms(at(1)); known {
		t.Error("a round trip that cannot be says where a node is")
	}
	for i := range 3 * maxMet {
		h.Heard(fmt.Sprint(i), at(50), 50*time.Millisecond)
	}
	h.Heard("b", at(50), time.Hour)
	if h.met.Len() > maxMet {
		t.Errorf("%d peers are remembered, want at most %d", h.met.Len(), maxMet)
	}
	if d, ok := h.At().Ms(at(50)); !ok || d > 100 {
		t.Errorf("it is %v ms from all it has heard, want about 50", d)
	}
}

func TestCoordinate_Text(t *testing.T) {
	if got := (Coordinate{}).Text(); got != "" {
		t.Errorf("the text of no coordinate is %q", got)
	}
	far := at(1e9, math.Inf(-1), 12)
	far.at.Height, far.at.Error = 1e9, math.Inf(1)
	for _, c := range []Coordinate{at(), at(100, -33, 7), far} {
		text := c.Text()
		got, ok := Parse(text)
		if !ok || len(text) > MaxText || got.Text() != text {
			t.Errorf("%q reads as %q, %v", text, got.Text(), ok)
		}
	}
	a, _ := Parse(at(100).Text())
	b, _ := Parse(at(150).Text())
	if d, _ := a.Ms(b); math.Abs(d-50) > 10 {
		t.Errorf("told, 50 ms are %v", d)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("")
	f.Add("AQAAAAAAAAAAAAA")
	f.Add(at(1, 2, 3, -40, 500).Text())
	f.Fuzz(func(t *testing.T, text string) {
		c, ok := Parse(text)
		if !ok {
			return
		}
		if c.Text() != text {
			t.Errorf("%q is written as %q", text, c.Text())
		}
		if d, known := c.Ms(at(10)); known && !(d >= 0 && d < 10_000) {
			t.Errorf("%q is %v ms away", text, d)
		}
		h := New("")
		h.Heard("p", c, 20*time.Millisecond)
		if !h.At().at.IsValid() {
			t.Errorf("%q leaves no valid coordinate", text)
		}
	})
}

func TestNext(t *testing.T) {
	all := []Candidate{{"west", at(0)}, {"middle", at(100)}, {"east", at(200)}, {"nowhere", Coordinate{}}}
	trial := func(p crawl.PeerID, where, ms float64) Trial { return Trial{p, at(where), uint16(ms)} }
	for name, c := range map[string]struct {
		tried []Trial
		want  crawl.PeerID
	}{
		"nobody was tried":                {nil, "west"},
		"far from the west":               {[]Trial{trial("west", 0, 200)}, "east"},
		"half way":                        {[]Trial{trial("west", 0, 95)}, "middle"},
		"between two":                     {[]Trial{trial("west", 0, 110), trial("east", 200, 105)}, "middle"},
		"near enough":                     {[]Trial{trial("west", 0, EnoughMs)}, ""},
		"three were tried":                {[]Trial{trial("west", 0, 90), trial("a", 9, 90), trial("b", 9, 90)}, ""},
		"all others are where nobody can": {[]Trial{{"west", Coordinate{}, 90}}, "middle"},
	} {
		i, ok := Next(c.tried, all)
		if ok != (c.want != "") || ok && all[i].Peer != c.want {
			t.Errorf("%s: %v %v, want %q", name, i, ok, c.want)
		}
	}
	if i, ok := Next([]Trial{trial("west", 0, 90)}, all[:1]); ok {
		t.Errorf("%v is tried again", all[i].Peer)
	}
	if got, ok := Guess([]Trial{trial("west", 0, 40), trial("east", 200, 90)}, at(30)); !ok || math.Round(got) != 50 {
		t.Errorf("the guess is %v %v, want 50", got, ok)
	}
}

func TestRecord(t *testing.T) {
	var r Record
	names := func() (s string) {
		for _, x := range r.Seen() {
			s += fmt.Sprint(x.Peer, x.Ms, " ")
		}
		return s
	}
	steps := []struct {
		peer crawl.PeerID
		ms   uint16
		day  uint32
		want string
	}{
		{"a", 90, 1, "a90 "},
		{"b", 40, 1, "b40 a90 "},
		{"c", 60, 1, "b40 c60 a90 "},
		{"d", 0, 1, "d1 b40 c60 a90 "},
		{"e", 50, 1, "d1 b40 e50 c60 "},   // the nearest four
		{"d", 11, 1, "d6 b40 e50 c60 "},   // small times differ
		{"d", 100, 1, "d6 b40 e50 c60 "},  // once
		{"d", 7, 1, "d7 b40 e50 c60 "},    // not in a row
		{"e", 300, 1, "d7 b40 e50 c60 "},  //
		{"e", 300, 1, "d7 b40 c60 e300 "}, // not the nearest
		{"d", 100, 1, "d7 b40 c60 e300 "}, //
		{"d", 120, 1, "d120 "},            // the search begins again
		{"b", 60, 9, "b60 "},              // d was forgotten
	}
	for i, s := range steps {
		if r.Connected(Trial{Peer: s.peer, Ms: s.ms}, s.day); names() != s.want {
			t.Errorf("step %d: %s, want %s", i, names(), s.want)
		}
	}
}

func TestShares(t *testing.T) {
	var s Shares
	give := func(p crawl.PeerID, from, to int) {
		for n := from; n < to; n++ {
			s.Give(crawl.Domain(fmt.Sprint(n)), p)
		}
	}
	if !s.May("a", "new", 0.1) {
		t.Error("there is one site, and nobody may have it")
	}
	give("a", 0, 10)
	give("b", 10, 40)
	for name, c := range map[string]struct {
		p     crawl.PeerID
		share float64
		want  bool
	}{
		"a has less than its share": {"a", 0.5, true},
		"b has more":                {"b", 0.5, false},
		"c has none":                {"c", 0.1, true},
		"a would have a little more than its share": {"a", 0.25, true},
		"a would have too much more":                {"a", 0.24, false},
		"somebody who can do nothing gets a site":   {"c", 0, true},
	} {
		if got := s.May(c.p, "new", c.share); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	kept := 0
	for n := range 400 {
		s.Turn = uint32(n / 30)
		if s.May("b", crawl.Domain(fmt.Sprint(10+n%30)), 0.3) { // it may have half of what it has
			kept++
		}
	}
	if kept < 150 || kept > 250 {
		t.Errorf("%d times of 400 it keeps a site, want about 200", kept)
	}
	s.Heard([][]Load{{{KeyOf("c"), 30}}, {{KeyOf("d"), 1000}, {KeyOf("a"), 1}}})
	if got, want := []int{s.Count("a"), s.Count("c"), s.Count("d")}, []int{10, 30, fewSites + timesOwn*40}; !slices.Equal(got, want) {
		t.Errorf("counts are %v, want %v: another's word has bounds", got, want)
	}
	if s.May("c", "new", 0.1) {
		t.Error("c may have a site, though others have lent it enough")
	}
	s.Drop("0")
	s.Give("1", "b")
	if got, want := s.Loads(), []Load{{KeyOf("b"), 31}, {KeyOf("a"), 8}}; !slices.Equal(got, want) {
		t.Errorf("it tells others %v, want %v", got, want)
	}
}

func TestBook(t *testing.T) {
	b, now := Book{Self: "self"}, time.Unix(1e9, 0)
	list := []Fetcher{
		{Candidate{"far", at(200)}, 9, 0.3}, {Candidate{"near", at(20)}, 5, 0.4}, {Candidate{"self", at(0)}, 1, 0.3},
	}
	choose := func(d crawl.Domain, queued uint64, list []Fetcher) crawl.PeerID {
		if i := b.Choose(now, d, queued, list); i >= 0 {
			return list[i].Peer
		}
		return ""
	}
	want := func(what string, got, want crawl.PeerID) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	want("nobody is there", choose("a", 100, nil), "")
	want("a new site goes to the leader", choose("a", 1, list), "self")
	want("or whoever has the most room", choose("a", 1, list[:2]), "far")
	b.Connected(now, "a", list[2].Candidate, 180*time.Millisecond)
	want("few pages wait", choose("a", MinQueued-1, list), "self")
	want("many wait, and the site is far", choose("a", MinQueued, list), "far")
	b.Connected(now, "a", list[0].Candidate, 40*time.Millisecond)
	want("a third is tried", choose("a", 100, list), "near")
	b.Connected(now, "a", list[1].Candidate, 0)
	want("it stays with the nearest", choose("a", 100, list), "far")
	b.Connected(now, "a", Candidate{Peer: "far"}, 40*time.Millisecond)
	if !b.Of("a")[0].At.Known() {
		t.Error("it is forgotten where a fetcher is")
	}
	want("if that is there", choose("a", 100, list[1:]), "self")
	nearest := func(d crawl.Domain, list []Fetcher) crawl.PeerID { return list[b.Nearest(d, list)].Peer }
	want("who looks at pages again is near, too", nearest("a", list), "far")
	want("if that is another", nearest("a", list[1:]), "self")
	want("or likely to be", nearest("a", []Fetcher{{Candidate{"there", at(170)}, 1, 0}, {Candidate{"here", at(1)}, 1, 0}}), "there")
	want("rather than far for sure", nearest("a", []Fetcher{list[2], {Candidate{"beside far", at(195)}, 1, 0}}), "beside far")
	want("of a site that is not known, it is the leader", nearest("c", list), "self")
	if b.Nearest("a", nil) >= 0 {
		t.Error("nobody is there to look at pages again")
	}
	if got := b.Of("a"); len(got) != 3 || got[0].Peer != "far" || got[2].Connected() {
		t.Errorf("remembered are %v", got)
	}
	b.Connected(now, "b", list[0].Candidate, time.Millisecond)
	if got := b.Of("b"); got != nil {
		t.Errorf("%v is remembered of a site that was not lent", got)
	}
	for n := range 2 * maxSites {
		choose(crawl.Domain(fmt.Sprint(n)), 100, list)
	}
	if b.sites.Len() > maxSites || len(b.shares.has) > maxSites {
		t.Errorf("%d sites are remembered", b.sites.Len())
	}
	now = now.Add(activeFor + time.Second)
	choose("last", 100, list)
	if got := len(b.shares.has); got != 1 {
		t.Errorf("%d sites are active, want the last", got)
	}
}
