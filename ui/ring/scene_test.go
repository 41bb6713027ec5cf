package ring

import (
	"math"
	"slices"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/prose"
)

func threeMembers() *scene {
	s := &scene{self: -1}
	s.list(&api.Ring{
		Self: "me",
		Members: []api.RingMember{
			{ID: "me", Self: true, Share: 0.4}, {ID: "near", Connected: true, Share: 0.5, AwayMs: 40, Bearing: 0.25},
			{ID: "far", Share: 0.1, AwayMs: -1, Bearing: -1},
		},
		Arcs: []api.RingArc{
			{From: 0, To: 0.2, Member: 0}, {From: 0.2, To: 0.4, Member: 0}, {From: 0.4, To: 0.9, Member: 1}, {From: 0.9, To: 1, Member: 2},
		},
		Domains: []api.RingDomain{{At: 0.1, Domain: "a.example", Fetched: 1}, {At: 0.3, Domain: "b.example", Fetched: 50}},
		Fill:    0.2,
	})
	return s
}

func TestHit(t *testing.T) {
	d := disc{200, 200, 180}
	s := threeMembers()
	site := s.starPoint(d, s.stars.get("b.example"))
	for _, c := range []struct {
		name   string
		p      paint.Point
		at     float64
		domain string
		owner  string
		ok     bool
	}{
		{"a site nearby", paint.At(site.X+4, site.Y-3), 0.3, "b.example", "me", true},
		{"who owns the place", d.onDisc(0.6, 1), 0.6, "", "near", true},
		{"who owns it further in", d.onDisc(0.95, 0.7), 0.95, "", "far", true},
		{"outside", d.onDisc(0.6, 1.3), 0, "", "", false},
		{"nowhere", paint.At(math.NaN(), math.Inf(1)), 0, "", "", false},
	} {
		got, ok := s.hit(d, c.p)
		if ok != c.ok || !near(got.At, c.at) || got.Domain != c.domain || got.Owner != c.owner {
			t.Errorf("%s: %+v, %v", c.name, got, ok)
		}
	}
	got, _ := s.hit(d, d.onDisc(0.6, 1))
	if got.Member != 1 || got.Share != 0.5 || !got.Connected || got.Self {
		t.Errorf("the owner is %+v", got)
	}
}

func TestHit_Members(t *testing.T) {
	d := disc{200, 200, 180}
	s := threeMembers()
	s.mode = ModeSwarm
	for name, c := range map[string]struct {
		p    paint.Point
		want string
	}{
		"this node":                    {paint.At(203, 197), "me"},
		"one that is 40 of 40 ms away": {d.onDisc(0.25, 0.82), "near"},
		"one that tells no place":      {d.onDisc(0.95, 1), "far"},
		"nobody":                       {d.onDisc(0.6, 0.8), ""},
	} {
		if got, ok := s.hit(d, c.p); got.Owner != c.want || ok != (c.want != "") {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}

func TestStep(t *testing.T) {
	for _, c := range []struct {
		name  string
		mode  Mode
		steps []Step
		want  []string
	}{
		{"from site to site and round", ModeRing, []Step{Next, Next, Next}, []string{"a.example", "b.example", "a.example"}},
		{"and back", ModeRing, []Step{Previous, Previous, Previous}, []string{"b.example", "a.example", "b.example"}},
		{"to the ends", ModeRing, []Step{Last, First}, []string{"b.example", "a.example"}},
		{"from part to part", ModeRing, []Step{NextPart, NextPart, NextPart, NextPart}, []string{"me", "near", "far", "me"}},
		{"and back from part to part", ModeRing, []Step{PreviousPart, PreviousPart, PreviousPart}, []string{"far", "near", "me"}},
		{"from member to member", ModeSwarm, []Step{Next, Next, Next, Previous}, []string{"me", "near", "far", "near"}},
	} {
		s := threeMembers()
		s.mode = c.mode
		var spot *Spot
		var got []string
		for _, step := range c.steps {
			next, ok := s.step(spot, step)
			if !ok {
				t.Fatalf("%s: nothing there", c.name)
			}
			spot = &next
			if next.Domain != "" {
				got = append(got, next.Domain)
			} else {
				got = append(got, next.Owner)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if _, ok := (&scene{self: -1}).step(nil, Next); ok {
		t.Error("a step on an empty ring leads somewhere")
	}
}

func TestStep_VisitsSitesAtOnePlace(t *testing.T) {
	s := threeMembers()
	s.stars.list([]api.RingDomain{{At: 0.1, Domain: "c"}, {At: 0.1, Domain: "a"}, {At: 0.1, Domain: "b"}})
	var spot *Spot
	var got []string
	for range 4 {
		next, _ := s.step(spot, Next)
		spot, got = &next, append(got, next.Domain)
	}
	if want := []string{"a", "b", "c", "a"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestScene_TakesNothingOnTrust(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	s := &scene{}
	r := &api.Ring{
		Members: []api.RingMember{{ID: "a", Share: nan}, {ID: "b", Share: inf}, {ID: "c", Share: -1}},
		Arcs: []api.RingArc{
			{From: 0.5, To: 0.6, Member: 1}, {From: nan, To: 1, Member: 0}, {From: 0, To: inf, Member: 0}, {From: -1, To: 0.2, Member: 0},
			{From: 0.2, To: 0.1, Member: 0}, {From: 0.1, To: 0.2, Member: 3}, {From: 0.1, To: 0.2, Member: -1}, {From: 0.1, To: 0.3, Member: 0},
			{From: 0.2, To: 0.4, Member: 2},
		},
		Domains: []api.RingDomain{{At: nan, Domain: "n"}, {At: 1, Domain: "o"}, {At: 0.5, Domain: "p", Fetched: -9}, {At: 0.6, Domain: "p"}},
		Fill:    nan,
	}
	s.list(r)
	if want := []arc{{0.1, 0.3, 0}, {0.5, 0.6, 1}}; !slices.Equal(s.real, want) {
		t.Errorf("arcs are %v, want %v", s.real, want)
	}
	if s.members[0].share != 0 || s.members[1].share != 1 || s.members[2].share != 0 || s.fill != -1 || s.self != -1 {
		t.Errorf("%+v", s)
	}
	if len(s.stars.all) != 1 || s.stars.all[0].fetched != 0 || s.stars.all[0].at != 0.5 {
		t.Errorf("stars are %+v", s.stars.all)
	}

	for range 3 * api.MaxRingArcs {
		r.Members = append(r.Members, api.RingMember{})
		r.Arcs = append(r.Arcs, api.RingArc{From: 0.9, To: 0.91})
		r.Domains = append(r.Domains, api.RingDomain{At: 0.5, Domain: string(rune(len(r.Domains) + 65))})
	}
	s.list(r)
	if len(s.members) > mostMembers || len(s.real) > api.MaxRingArcs || len(s.stars.all) > mostStars {
		t.Errorf("%d members, %d arcs and %d stars are kept", len(s.members), len(s.real), len(s.stars.all))
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width float64
		want  []string
	}{
		{"You have paused forage until six.", 12, []string{"You have", "paused", "forage until", "six."}},
		{"Donaudampfschifffahrt faehrt", 8, []string{"Donaudampfschifffahrt", "faehrt"}},
		{"  ", 8, nil},
		{"after 5\u00a0GB", 8, []string{"after", "5\u00a0GB"}},
	} {
		if got := prose.Wrap(c.text, c.width, func(s string) float64 { return float64(len(s)) }); !slices.Equal(got, c.want) {
			t.Errorf("prose.Wrap(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{"a\nb\tc": "a b c", "\x00a\u202eb\x7f": "ab", "\xffa": "a", "grün": "grün"} {
		if got := prose.Plain(text); got != want {
			t.Errorf("prose.Plain(%q) = %q, want %q", text, got, want)
		}
	}
	if got := prose.Plain(string(make([]byte, 1<<20)) + "a"); len(got) > prose.Longest {
		t.Errorf("%d bytes are drawn", len(got))
	}
}
