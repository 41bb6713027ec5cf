package ring

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

func visit(domain string, s int64) *api.Event {
	return &api.Event{Code: api.CodeFetched, Domain: domain, At: 0.25, Time: time.Unix(s, 0)}
}

func last(s int64) *time.Time {
	at := time.Unix(s, 0)
	return &at
}

func TestStars_EventsCountUntilTheListKnowsMore(t *testing.T) {
	var s stars
	s.list([]api.RingDomain{{At: 0.25, Domain: "a.example", Fetched: 4, Last: last(10)}})
	if !s.note(visit("a.example", 20)) || s.get("a.example").fetched != 5 {
		t.Errorf("a visit is not noted: %+v", s.get("a.example"))
	}
	s.list([]api.RingDomain{{At: 0.25, Domain: "a.example", Fetched: 5}})
	if got := s.get("a.example"); got.fetched != 5 || !got.last.Equal(time.Unix(20, 0)) {
		t.Errorf("after an older list it is %+v", got)
	}
	s.list(nil)
	if len(s.all) != 0 {
		t.Errorf("after an empty list there are %d", len(s.all))
	}
}

func TestStars_OnlyOwnSitesWithAPlace(t *testing.T) {
	var s stars
	for name, change := range map[string]func(*api.Event){
		"another's":        func(e *api.Event) { e.Peer = "other" },
		"no place":         func(e *api.Event) { e.At = -1 },
		"no number":        func(e *api.Event) { e.At = math.NaN() },
		"not a page":       func(e *api.Event) { e.Code = api.CodeRobots },
		"no domain at all": func(e *api.Event) { e.Domain = string(make([]byte, longestName+1)) },
	} {
		e := visit("a.example", 1)
		if change(e); s.note(e) {
			t.Errorf("%s is a star", name)
		}
	}
	e := visit("a.example", 1)
	e.Code = api.CodeUnchanged
	if !s.note(e) || s.get("a.example").fetched != 0 {
		t.Error("a page that is as it was is not noted, or counted")
	}
	e.Code = api.CodeDomainLeft
	if !s.note(e) || len(s.all) != 0 || s.note(e) {
		t.Error("a site that left is still there")
	}
}

func TestStars_ThoseNotVisitedForLongestGiveWay(t *testing.T) {
	var s stars
	var list []api.RingDomain
	for i := range mostStars {
		list = append(list, api.RingDomain{At: 0.1, Domain: fmt.Sprintf("d%d.example", i), Fetched: 1, Last: last(int64(10000 - i))})
	}
	s.list(list) // the latest first, as a node lists them
	oldest, second := list[mostStars-1].Domain, list[mostStars-2].Domain
	s.note(visit(oldest, 20000))
	s.note(visit("new.example", 20001))
	if len(s.all) != mostStars || s.get(second) != nil || s.get(oldest) == nil || s.get(oldest).fetched != 2 || s.get("new.example") == nil {
		t.Errorf("%d are kept; the oldest %v, the second %v", len(s.all), s.get(oldest), s.get(second))
	}
	for i := range 3 * mostStars {
		s.note(visit(fmt.Sprintf("e%d.example", i), int64(30000+i)))
	}
	if len(s.all) != mostStars || len(s.index) != mostStars || s.get("new.example") != nil {
		t.Errorf("%d stars and %d names are kept", len(s.all), len(s.index))
	}
}

// Events from before the list, as a window gets them that was just opened, are counted in it already.
func TestStars_CountsEachPageOnce(t *testing.T) {
	noon := time.Date(2026, 5, 14, 12, 0, 0, 0, time.UTC)
	var s stars
	s.list([]api.RingDomain{{At: 0.5, Domain: "a.example", Fetched: 7, Last: &noon}})
	for _, c := range []struct {
		after time.Duration
		want  int64
	}{{-time.Hour, 7}, {0, 7}, {time.Second, 8}, {2 * time.Second, 9}} {
		s.note(&api.Event{Code: api.CodeFetched, Domain: "a.example", At: 0.5, Time: noon.Add(c.after)})
		if got := s.get("a.example").fetched; got != c.want {
			t.Errorf("after a page at %v it has %d, want %d", c.after, got, c.want)
		}
	}
}

// A site has the language of its latest page that says which it is in.
func TestStars_Language(t *testing.T) {
	var s stars
	listed := api.RingDomain{At: 0.25, Domain: "a.example", Fetched: 4, Last: last(10), Language: "fi"}
	spoken := func(at int64, language string) *api.Event {
		e := visit("a.example", at)
		e.Language = language
		return e
	}
	for _, c := range []struct {
		what string
		do   func()
		want string
	}{
		{"a list", func() { s.list([]api.RingDomain{listed}) }, "fi"},
		{"a page that says none", func() { s.note(spoken(20, "")) }, "fi"},
		{"a page", func() { s.note(spoken(30, "de")) }, "de"},
		{"an older list", func() { s.list([]api.RingDomain{listed}) }, "de"},
		{"what is no language", func() { s.note(spoken(40, "a long text")) }, "a l"},
		{"a newer list", func() {
			listed.Last, listed.Language = last(50), "en"
			s.list([]api.RingDomain{listed})
		}, "en"},
	} {
		if c.do(); s.get("a.example").language != c.want {
			t.Errorf("after %s it is %q, want %q", c.what, s.get("a.example").language, c.want)
		}
	}
}
