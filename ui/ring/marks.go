package ring

import (
	"time"

	"github.com/forage-net/forage/app/api"
)

// way is how a mark goes: from the middle out, between two places, or not at all since nothing was sent.
type way uint8

const (
	wayOut way = iota
	wayOver
	wayHere
)

type shape uint8

const (
	shapeSpark shape = iota
	shapeCircle
	shapeCross
	shapeDot
	shapeBar
	shapeLinks
	shapeLease
	shapeDomain
)

// mark is one event as it is seen, and is nothing without its place.
type mark struct {
	shape shape
	way   way
	// from is -1 where the mark comes from the middle.
	from, to float64
	// start and part are of the radius: where it begins, unless it comes from the middle, and where it ends.
	start, part float64
	// foreign is about another member's domain, or between members.
	foreign    bool
	begin, end time.Time
}

type kind struct {
	shape shape
	way   way
	// inward is from another to this node, where it goes over.
	inward bool
}

// kindOf is how an event of a code is shown, if it is.
func kindOf(code api.Code) (k kind, shown bool) {
	switch code {
	case api.CodeFetched:
		return kind{shapeSpark, wayOut, false}, true
	case api.CodeUnchanged, api.CodeRedirected, api.CodeSkipped:
		return kind{shapeCircle, wayOut, false}, true
	case api.CodeGone, api.CodeFailed, api.CodeRefused:
		return kind{shapeCross, wayOut, false}, true
	case api.CodeRobots:
		return kind{shapeDot, wayOut, false}, true
	case api.CodeForbidden, api.CodeDomainRefused: // Nothing was requested, so nothing flies.
		return kind{shapeBar, wayHere, false}, true
	case api.CodeLinksSent:
		return kind{shapeLinks, wayOver, false}, true
	case api.CodeLinksReceived:
		return kind{shapeLinks, wayOver, true}, true
	case api.CodeLeaseLent, api.CodeLeaseBrought:
		return kind{shapeLease, wayOver, false}, true
	case api.CodeLeaseReturned, api.CodeLeaseHeld:
		return kind{shapeLease, wayOver, true}, true
	case api.CodeDomainCame:
		return kind{shapeDomain, wayOver, true}, true
	case api.CodeDomainLeft:
		return kind{shapeDomain, wayOver, false}, true
	}
	return kind{}, false
}

// flight is how long a mark is on its way, after how long it is seen where it ended.
func (w way) flight() time.Duration {
	switch w {
	case wayOut:
		return 800 * time.Millisecond
	case wayOver:
		return 1300 * time.Millisecond
	}
	return 0
}

const after = 600 * time.Millisecond

// markOf is the mark of an event, if it has one and its place is known.
func (s *scene) markOf(e *api.Event, begin time.Time) (mark, bool) {
	k, ok := kindOf(e.Code)
	if !ok {
		return mark{}, false
	}
	m := mark{shape: k.shape, way: k.way, from: -1, start: 1, part: 1, begin: begin}
	m.end = begin.Add(k.way.flight() + after)
	if k.way == wayOver {
		m.foreign = true
		ok = s.between(&m, e, k.inward)
		return m, ok
	}
	if s.mode == ModeSwarm || !known(e.At) {
		return mark{}, false
	}
	m.to, m.foreign = e.At, e.Peer != ""
	if e.Domain != "" {
		m.part = s.stars.depth(e.Domain)
	}
	return m, true
}

// between sets between which places something went. The event's own is the domain's, where that lies in the arc of the
// one who has it; the other end is the widest arc of the other one.
func (s *scene) between(m *mark, e *api.Event, inward bool) bool {
	other, ok := s.places[e.Peer]
	if !ok || s.self < 0 {
		return false
	}
	from, to := s.self, other
	if inward {
		from, to = to, from
	}
	if s.mode == ModeSwarm {
		m.from, m.start = s.orbits[from].At, s.orbits[from].Part
		m.to, m.part = s.orbits[to].At, s.orbits[to].Part
		return m.from >= 0 && m.to >= 0
	}
	m.from, m.to = s.seats[from], s.seats[to]
	if known(e.At) {
		switch {
		// A link goes to its domain; a lease or a domain is the domain's, wherever it goes.
		case e.Code == api.CodeLeaseLent, e.Code == api.CodeLeaseHeld:
			m.from = e.At
		default:
			m.to = e.At
		}
	}
	return m.from >= 0 && m.to >= 0
}

// mostMarks is more than a busy node does in the seconds that a mark lives, and little to draw.
const mostMarks = 120

// marks are bounded in number; the oldest give way.
type marks struct{ list []mark }

func (m *marks) add(next mark) {
	if len(m.list) >= mostMarks {
		m.list = m.list[:copy(m.list, m.list[len(m.list)-mostMarks+1:])]
	}
	m.list = append(m.list, next)
}

// farthest is how far ahead a mark may begin; beyond that the clock was set back, and it never would.
const farthest = 5 * time.Second

// forget leaves those that are seen now or will be.
func (m *marks) forget(now time.Time) {
	kept := m.list[:0]
	for _, x := range m.list {
		if x.end.After(now) && x.begin.Sub(now) < farthest {
			kept = append(kept, x)
		}
	}
	m.list = kept
}

// next is when the first of those that are not over begins, if there is one.
func (m *marks) next(now time.Time) (first time.Time, ok bool) {
	for _, x := range m.list {
		if x.end.After(now) && (!ok || x.begin.Before(first)) {
			first, ok = x.begin, true
		}
	}
	return first, ok
}

func (m *marks) clear() { m.list = m.list[:0] }

const (
	// catchUp: events older than the newest of their batch by more are not drawn: they were, or nobody looked.
	catchUp = 3 * time.Second
	// stale: nor are those that are older than this.
	stale = time.Minute
	// spread is within how long the marks of a batch begin.
	spread = time.Second
)

// window is which events of a batch are drawn: those from first to newest.
type window struct{ first, newest time.Time }

// windowOf returns the window of a batch, if any of it is drawn.
func windowOf(batch []api.Event, now time.Time) (w window, ok bool) {
	for i := range batch {
		if at := batch[i].Time; i == 0 || at.After(w.newest) {
			w.newest = at
		}
	}
	if len(batch) == 0 || now.Sub(w.newest) >= stale {
		return w, false
	}
	w.first = w.newest
	for i := range batch {
		if at := batch[i].Time; at.Before(w.first) && w.newest.Sub(at) <= catchUp {
			w.first = at
		}
	}
	return w, true
}

// start is when the mark of an event begins: in the order and with the gaps in which they happened.
func (w window) start(e *api.Event, now time.Time) (begin time.Time, ok bool) {
	if w.newest.Sub(e.Time) > catchUp {
		return now, false
	}
	return now.Add(min(spread, e.Time.Sub(w.first))), true
}
