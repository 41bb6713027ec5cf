package ring

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

func twoMembers(mode Mode) *scene {
	s := &scene{}
	s.list(&api.Ring{
		Members: []api.RingMember{{ID: "me", Self: true}, {ID: "other", AwayMs: 40, Bearing: 0.25}},
		Arcs:    []api.RingArc{{From: 0, To: 0.4, Member: 0}, {From: 0.4, To: 1, Member: 1}},
		Domains: []api.RingDomain{{At: 0.3, Domain: "a.example", Fetched: 30}},
	})
	s.mode = mode
	return s
}

func TestMarkOf_GoesFromTheMiddleToTheSite(t *testing.T) {
	s := twoMembers(ModeRing)
	got, ok := s.markOf(&api.Event{Code: api.CodeFetched, Domain: "a.example", At: 0.3}, noon)
	want := mark{shapeSpark, wayOut, -1, 0.3, 1, depth(30), false, noon, noon.Add(800*time.Millisecond + after)}
	if !ok || got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, _ := s.markOf(&api.Event{Code: api.CodeFetched, At: 0.3, Peer: "other"}, noon); !got.foreign || got.part != 1 {
		t.Errorf("another's site without a name: %+v", got)
	}
	if got, ok := s.markOf(&api.Event{Code: api.CodeForbidden, At: 0.3}, noon); !ok || got.way != wayHere {
		t.Errorf("what was not requested: %+v", got)
	}
}

func TestMarkOf_NothingWithoutAPlace(t *testing.T) {
	for name, e := range map[string]api.Event{
		"no place":       {Code: api.CodeFetched, At: -1},
		"beyond":         {Code: api.CodeFetched, At: 1},
		"no number":      {Code: api.CodeFetched, At: math.NaN()},
		"unknown code":   {Code: "something-new", At: 0.3},
		"not drawn":      {Code: api.CodeState, At: 0.3},
		"a stranger":     {Code: api.CodeLinksSent, At: 0.3, Peer: "stranger"},
		"nobody is told": {Code: api.CodeLinksSent, At: 0.3},
	} {
		if m, ok := twoMembers(ModeRing).markOf(&e, noon); ok {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if _, ok := (&scene{self: -1}).markOf(&api.Event{Code: api.CodeLinksSent, Peer: "other"}, noon); ok {
		t.Error("something goes over a ring that is not known")
	}
}

func TestMarkOf_GoesOverTheRing(t *testing.T) {
	for _, c := range []struct {
		code         api.Code
		at, from, to float64
	}{
		{api.CodeLinksSent, 0.9, 0.2, 0.9},
		{api.CodeLinksReceived, 0.1, 0.7, 0.1},
		{api.CodeLeaseLent, 0.1, 0.1, 0.7},
		{api.CodeLeaseReturned, 0.1, 0.7, 0.1},
		{api.CodeLeaseHeld, 0.9, 0.9, 0.2},
		{api.CodeLeaseBrought, 0.9, 0.2, 0.9},
		{api.CodeDomainCame, 0.1, 0.7, 0.1},
		{api.CodeDomainLeft, 0.9, 0.2, 0.9},
	} {
		e := &api.Event{Code: c.code, At: c.at, Peer: "other"}
		got, ok := twoMembers(ModeRing).markOf(e, noon)
		if !ok || got.way != wayOver || !near(got.from, c.from) || !near(got.to, c.to) {
			t.Errorf("%s: %+v, want from %v to %v", c.code, got, c.from, c.to)
		}
		// Where only members are shown, it goes between the middle and where the other one stands.
		want := [4]float64{0, 0, 0.25, 0.8}
		if k, _ := kindOf(c.code); k.inward {
			want = [4]float64{0.25, 0.8, 0, 0}
		}
		got, ok = twoMembers(ModeSwarm).markOf(e, noon)
		if in := [4]float64{got.from, got.start, got.to, got.part}; !ok || in != want {
			t.Errorf("%s in the swarm goes %v, want %v", c.code, in, want)
		}
	}
	if _, ok := twoMembers(ModeSwarm).markOf(&api.Event{Code: api.CodeFetched, At: 0.3}, noon); ok {
		t.Error("a page has a place where only members are shown")
	}
}

func TestMarks_AreBoundedAndForgotten(t *testing.T) {
	var m marks
	for i := range 3 * mostMarks {
		m.add(mark{to: float64(i), begin: noon, end: noon.Add(time.Duration(1+i) * time.Millisecond)})
	}
	if len(m.list) != mostMarks || m.list[0].to != 2*mostMarks || m.list[mostMarks-1].to != 3*mostMarks-1 {
		t.Errorf("%d are kept, from %v", len(m.list), m.list[0].to)
	}
	m.forget(noon.Add(3*mostMarks*time.Millisecond - 1))
	if len(m.list) != 1 {
		t.Errorf("%d are left", len(m.list))
	}
	if _, ok := m.next(noon.Add(time.Second)); ok {
		t.Error("what is over is waited for")
	}
	m.forget(noon.Add(-time.Hour))
	if len(m.list) != 0 {
		t.Error("marks of a clock that was set back stay for ever")
	}
}

func TestMarks_BeginWithTheGapsOfTheirEvents(t *testing.T) {
	const none = -time.Second
	for _, c := range []struct {
		name   string
		events []time.Duration // before noon
		want   []time.Duration // after noon
	}{
		{"gaps", []time.Duration{1000, 750, 100}, []time.Duration{0, 250, 900}},
		{"long past", []time.Duration{9000, 1000}, []time.Duration{none, 0}},
		{"very long past", []time.Duration{3.6e6}, []time.Duration{none}},
		{"within a second", []time.Duration{3000, 500}, []time.Duration{0, 1000}},
		{"none", nil, nil},
	} {
		var batch []api.Event
		for _, ago := range c.events {
			batch = append(batch, api.Event{Time: noon.Add(-ago * time.Millisecond)})
		}
		w, any := windowOf(batch, noon)
		var got []time.Duration
		for i := range batch {
			begin, ok := w.start(&batch[i], noon)
			if !any || !ok {
				got = append(got, none)
			} else {
				got = append(got, begin.Sub(noon)/time.Millisecond)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
