package ring

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/orbit"
	"github.com/forage-net/forage/ui/ring/paint"
)

// Mode is what the picture shows.
type Mode uint8

const (
	// ModeRing is real places: arcs where they lie, sites and all that happens.
	ModeRing Mode = iota
	// ModeSwarm is the members around this node, as far from it as the round trip to them, and what goes between them.
	ModeSwarm
)

// mostMembers bounds what is kept of a list; a ring has no more arcs than api.MaxRingArcs, so more are not seen.
const mostMembers = api.MaxRingArcs

type member struct {
	id        string
	self      bool
	connected bool
	share     float64
	away      float64 // milliseconds, negative if nobody knows
	bearing   float64 // negative if nobody knows
}

// scene is what the picture shows, as far as it lasts.
type scene struct {
	mode    Mode
	dusk    string
	members []member
	// self is the index of this node, -1 if it is not listed.
	self   int
	places map[string]int
	fill   float64
	stars  stars

	real  []arc
	seats []float64
	// orbits are where members stand around this node, reach the round trip of the last ring there.
	orbits []orbit.Place
	reach  float64
}

func (s *scene) list(r *api.Ring) {
	s.self, s.members, s.places = -1, nil, map[string]int{}
	for i, m := range r.Members[:min(len(r.Members), mostMembers)] {
		away, at := distance(m.AwayMs), bearing(m.Bearing)
		s.members = append(s.members, member{m.ID, m.Self, m.Connected, part(m.Share), away, at})
		s.places[m.ID] = i
		if m.Self && s.self < 0 {
			s.self = i
		}
	}
	arcs := sound(r.Arcs, len(s.members))
	s.real = joined(arcs)
	s.seats = seats(s.real, len(s.members))
	s.round()
	s.fill = -1
	if r.Fill >= 0 {
		s.fill = min(1, r.Fill)
	}
	s.stars.list(r.Domains)
}

// mostAway is more than any round trip that says something, in milliseconds.
const mostAway = 60_000

// distance is how many milliseconds a member is away, whatever was said.
func distance(ms float64) float64 {
	if !(ms >= 0 && ms <= mostAway) {
		return -1
	}
	return ms
}

// bearing is a direction, -1 if it is none.
func bearing(at float64) float64 {
	if !known(at) {
		return -1
	}
	return at
}

// part is a share from 0 to 1, whatever was said.
func part(share float64) float64 {
	if !(share > 0) {
		return 0
	}
	return min(1, share)
}

// sound is the arcs that are some: in order, without overlaps, of members that are listed.
func sound(list []api.RingArc, members int) []arc {
	arcs := make([]arc, 0, min(len(list), api.MaxRingArcs))
	for _, a := range list[:min(len(list), api.MaxRingArcs)] {
		if !(a.From >= 0 && a.From < a.To && a.To <= 1) || a.Member < 0 || a.Member >= members {
			continue
		}
		arcs = append(arcs, arc{a.From, a.To, a.Member})
	}
	slices.SortStableFunc(arcs, func(a, b arc) int { return cmp.Compare(a.from, b.from) })
	end := 0.0
	return slices.DeleteFunc(arcs, func(a arc) bool {
		if a.from < end-1e-9 {
			return true
		}
		end = a.to
		return false
	})
}

func (s *scene) owner(at float64) int {
	if i := arcAt(s.real, at); i >= 0 {
		return s.real[i].member
	}
	return -1
}

// Spot is what is at a place of the ring.
type Spot struct {
	// At is the place, 0 ≤ At < 1, clockwise from the top; the direction where only members are shown.
	At float64
	// Domain is the site there, "" if none is. Fetched counts its pages; Last is when one was fetched
	// last, zero if that is not known, and Language is its ISO 639 code, "" if that is not known.
	Domain, Language string
	Fetched          int64
	Last             time.Time
	// Member is the owner's index in the list of members, -1 if nobody owns the place; Owner is its ID, Self and
	// Connected say who it is, Share is all that it has of the ring, 0 to 1, and AwayMs how far it is in
	// milliseconds, negative if nobody knows.
	Member          int
	Owner           string
	Self, Connected bool
	Share, AwayMs   float64
}

// member is the spot of a member where only members are shown.
func (s *scene) member(i int) Spot { return s.about(Spot{At: s.orbits[i].At, Member: i}) }

func (s *scene) spot(at float64, site *star) Spot {
	spot := Spot{At: at, Member: s.owner(at)}
	if site != nil {
		spot.Domain, spot.Language, spot.Fetched, spot.Last = site.domain, site.language, site.fetched, site.last
	}
	return s.about(spot)
}

// about says who a spot's owner is.
func (s *scene) about(spot Spot) Spot {
	if spot.Member >= 0 {
		m := &s.members[spot.Member]
		spot.Owner, spot.Self, spot.Connected, spot.Share, spot.AwayMs = m.id, m.self, m.connected, m.share, m.away
	}
	return spot
}

func (s *scene) starPoint(d disc, x *star) paint.Point { return d.onDisc(x.at, depth(x.fetched)) }

const (
	// reach is how near to a site one has to point, in units.
	reach = 12
	// beyond is at which part of the radius the ring ends for who points.
	beyond = 1.15
)

// hit is what is at a point of the picture, if anything is.
func (s *scene) hit(d disc, p paint.Point) (Spot, bool) {
	if s.mode == ModeSwarm {
		i := s.hitMember(d, p)
		if i < 0 {
			return Spot{}, false
		}
		return s.member(i), true
	}
	at, part := d.placeOf(p)
	if !(part <= beyond) || len(s.real) == 0 {
		return Spot{}, false
	}
	var site *star
	best := float64(reach * reach)
	for i := range s.stars.all {
		q := s.starPoint(d, &s.stars.all[i])
		if far := (q.X-p.X)*(q.X-p.X) + (q.Y-p.Y)*(q.Y-p.Y); far < best {
			best, site = far, &s.stars.all[i]
		}
	}
	if site != nil {
		at = site.at
	}
	return s.spot(at, site), true
}

// Step is one from a spot to another.
type Step uint8

const (
	Next         Step = iota // the next site clockwise; where there are no sites, the next part
	Previous                 // the one before
	NextPart                 // the next part of the circle
	PreviousPart             // the one before
	First                    // the first site from the top
	Last                     // the last one
)

// step is where a step leads from a spot, from nowhere if there is none. It goes round.
func (s *scene) step(from *Spot, step Step) (Spot, bool) {
	on := step == Next || step == NextPart || step == First
	if step == First || step == Last {
		from = nil
	}
	if s.mode == ModeSwarm {
		return s.stepMember(from, on)
	}
	if step != NextPart && step != PreviousPart && len(s.stars.all) > 0 {
		return s.stepSite(from, on), true
	}
	arcs := s.real
	if len(arcs) == 0 {
		return Spot{}, false
	}
	middle := func(i int) Spot { return s.spot((arcs[i].from+arcs[i].to)/2, nil) }
	return s.stepPart(from, on, len(arcs), middle), true
}

// same is how near two places are that are one.
const same = 1e-9

func (s *scene) stepPart(from *Spot, on bool, n int, at func(int) Spot) Spot {
	if on {
		for i := 0; from != nil && i < n; i++ {
			if x := at(i); x.At > from.At+same {
				return x
			}
		}
		return at(0)
	}
	for i := n - 1; from != nil && i >= 0; i-- {
		if x := at(i); x.At < from.At-same {
			return x
		}
	}
	return at(n - 1)
}

// stepMember goes from the nearest member to the farthest.
func (s *scene) stepMember(from *Spot, on bool) (Spot, bool) {
	n, at, way := len(s.members), -1, 1
	if from != nil {
		at = from.Member
	}
	if !on {
		way = -1
		if from == nil {
			at = n
		}
	}
	for range n {
		if at = (at + way + n) % n; s.orbits[at].At >= 0 {
			return s.member(at), true
		}
	}
	return Spot{}, false
}

// stepSite goes from site to site; several at one place are told apart by their names.
func (s *scene) stepSite(from *Spot, on bool) Spot {
	before := func(at float64, name string, x *star) bool {
		return at < x.at || at == x.at && strings.Compare(name, x.domain) < 0
	}
	var next, round *star
	for i := range s.stars.all {
		x := &s.stars.all[i]
		if round == nil || before(x.at, x.domain, round) == on {
			round = x
		}
		if from == nil || x.at == from.At && x.domain == from.Domain || before(from.At, from.Domain, x) != on {
			continue
		}
		if next == nil || before(x.at, x.domain, next) == on {
			next = x
		}
	}
	if next == nil {
		next = round
	}
	return s.spot(next.at, next)
}
