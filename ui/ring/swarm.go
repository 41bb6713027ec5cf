package ring

import (
	"math"

	"github.com/forage-net/forage/ui/orbit"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/prose"
)

// noPlace is that of a member that is not drawn, since it owns nothing.
var noPlace = orbit.Place{At: -1}

// round places the members around this node.
func (s *scene) round() {
	s.orbits = make([]orbit.Place, len(s.members))
	middle := orbit.Size(0)
	if s.self >= 0 {
		middle = orbit.Size(s.members[s.self].share)
	}
	var drawn []int
	var bodies []orbit.Body
	for i, m := range s.members {
		s.orbits[i] = noPlace
		switch seat := s.seats[i]; {
		case i == s.self:
			s.orbits[i] = orbit.Place{Size: middle}
		case seat >= 0:
			drawn = append(drawn, i)
			bodies = append(bodies, orbit.Body{Ms: m.away, Bearing: m.bearing, Seat: seat, Share: m.share})
		}
	}
	s.reach = orbit.Reach(bodies)
	for i, place := range orbit.Around(bodies, middle) {
		s.orbits[drawn[i]] = place
	}
}

// hitMember is the member at a point, -1 if none is.
func (s *scene) hitMember(d disc, p paint.Point) int {
	found, best := -1, math.Inf(1)
	for i, place := range s.orbits {
		q := d.onDisc(place.At, place.Part)
		far := math.Hypot(q.X-p.X, q.Y-p.Y)
		if place.At >= 0 && far < best && far <= max(reach, place.Size*d.r) {
			found, best = i, far
		}
	}
	return found
}

// swarm paints the members around this node, with rings for how far they are.
func (p *painter) swarm(c *paint.Canvas, d disc, s *scene) {
	text := paint.Pen{Size: 11, Align: paint.Middle, Ink: p.look.Soft}
	c.Ring(d.middle(), d.r, 1, p.look.Rim, 1)
	room := orbit.Room{In: orbit.Box{W: float64(c.Img.Rect.Dx()) / c.K, H: float64(c.Img.Rect.Dy()) / c.K}}
	for _, place := range s.orbits {
		if at := d.onDisc(place.At, place.Part); place.At >= 0 {
			room.Take(at.X, at.Y, place.Size*d.r)
		}
	}
	for _, ms := range orbit.Rings(s.reach) {
		part := orbit.Part(ms, s.reach)
		c.Ring(d.middle(), d.r*part, 1, p.look.Rim, 1)
		p.beside(c, &room, d.onDisc(0, part), 0, text, prose.Plain(p.words.Away(ms)))
	}
	for i := range s.members {
		m, at, size := &s.members[i], d.onDisc(s.orbits[i].At, s.orbits[i].Part), s.orbits[i].Size*d.r
		switch {
		case s.orbits[i].At < 0:
		case m.self:
			c.Disc(at, size+4, p.look.Glow, 0.25)
			c.Disc(at, size, p.look.Ours, 1)
		case m.connected:
			c.Disc(at, size, p.look.Near, 1)
		default:
			c.Disc(at, size, p.look.Far, 1)
			c.Disc(at, size-rim, p.look.Ground, 1)
		}
	}
	for i := range min(len(s.members), mostNames) {
		if s.orbits[i].At >= 0 {
			p.name(c, d, s, &room, i)
		}
	}
}

// mostNames are written at members; of the others one learns who points at them.
const mostNames = 48

// name writes who a member is and how far, where there is room for it.
func (p *painter) name(c *paint.Canvas, d disc, s *scene, room *orbit.Room, i int) {
	m, text := &s.members[i], paint.Pen{Size: max(11, math.Round(d.r*0.06)), Align: paint.Middle, Ink: p.look.Soft}
	lines := []string{p.words.You}
	if m.self {
		text.Ink = p.look.Ink
	} else {
		lines = p.words.Member(prose.Plain(m.id), m.away)
	}
	for i, line := range lines {
		lines[i] = p.writer.Shortened(prose.Plain(line), text.Size, d.r, c.K)
	}
	p.beside(c, room, d.onDisc(s.orbits[i].At, s.orbits[i].Part), s.orbits[i].Size*d.r, text, lines...)
}

// beside writes lines beside a circle, where there is room for them.
func (p *painter) beside(
	c *paint.Canvas, room *orbit.Room, at paint.Point, size float64, text paint.Pen, lines ...string,
) {
	wide, high := 0.0, text.Size*1.25
	for _, line := range lines {
		wide = max(wide, p.writer.Width(line, text.Size, false, c.K))
	}
	box, ok := room.Beside(at.X, at.Y, size, wide, high*float64(len(lines)))
	for i, line := range lines {
		if ok {
			c.Write(p.writer, line, box.X+wide/2, box.Y+high*(float64(i)+0.5), text)
		}
	}
}
