package ring

import (
	"image/color"
	"math"
	"time"

	"github.com/forage-net/forage/assets/hues"
	"github.com/forage-net/forage/ui/ring/fade"
	"github.com/forage-net/forage/ui/ring/strip"
)

func (l *Look) of(s shape) color.NRGBA {
	switch s {
	case shapeLinks:
		return l.Link
	case shapeLease:
		return l.Lease
	case shapeDomain:
		return l.Moved
	case shapeCross, shapeBar:
		return l.Bad
	case shapeDot:
		return l.Soft
	}
	return l.Page
}

// moment is a mark as it is at a time: p of its way is done, and what stays of it has faded so far, both 0 to 1.
type moment struct {
	mark
	ink     color.NRGBA
	p, fade float64
	// still draws its way all at once, for a picture that does not move.
	still bool
}

// mark paints a mark as it is at a time.
func (p *painter) mark(c *canvas, d disc, m *mark, now time.Time, still bool) {
	since, length := now.Sub(m.begin), m.way.flight()
	at := moment{mark: *m, ink: p.look.of(m.shape), p: 1, fade: 0.35, still: still}
	if !still {
		if since < 0 || !now.Before(m.end) {
			return
		}
		if length > 0 {
			at.p = min(1, float64(since)/float64(length))
		}
		at.fade = max(0, min(1, float64(since-length)/float64(after)))
	}
	at.p = 1 - math.Pow(1-at.p, 2.2) // it slows down
	switch m.way {
	case wayHere:
		at.arrive(c, d, d.onDisc(m.to, m.part))
	case wayOver:
		at.over(c, d)
	default:
		at.out(c, d)
	}
}

// out goes from the middle to the place of a site.
func (m *moment) out(c *canvas, d disc) {
	const start = 0.05
	at := func(q float64) point { return d.onDisc(m.to, start+(m.part-start)*q) }
	head, tail := at(m.p), at(max(0, m.p-0.22*(1-m.fade)))
	strength := 0.5
	if m.still {
		tail, strength = at(0), 0.3
	}
	width, size := 1.8, 0.012
	if m.shape == shapeDot {
		width, size = 1, 0.007
	}
	if m.p < 1 || m.still {
		c.line(tail, head, width, m.ink, strength)
	}
	if m.p >= 1 {
		m.arrive(c, d, head)
		return
	}
	c.disc(head, d.r*0.028, m.ink, 0.22)
	if m.foreign {
		c.ring(head, max(2.2, d.r*0.012), 1.4, m.ink, 1)
		return
	}
	c.disc(head, max(1.8, d.r*size), m.ink, 1)
}

// arrive is what is seen where something came to its end.
func (m *moment) arrive(c *canvas, d disc, at point) {
	r, a := max(3, d.r*0.018), 1-m.fade
	switch m.shape {
	case shapeCross:
		c.cross(at, r, 1.8, m.ink, a)
	case shapeBar:
		c.line(point{at.x - r*1.2, at.y}, point{at.x + r*1.2, at.y}, 2.4, m.ink, a)
		c.ring(at, r*1.5, 1.2, m.ink, a)
	case shapeDot:
		c.disc(at, r*0.5, m.ink, a)
	case shapeSpark:
		if !m.foreign {
			c.disc(at, r*(1-0.4*m.fade), m.ink, a)
		}
		c.ring(at, r*(1+2.4*m.fade), 1.6*(1-m.fade)+0.2, m.ink, a)
	default:
		c.ring(at, r*(0.8+1.6*m.fade), 1.4, m.ink, a)
	}
}

// over goes from one member to another, along the chord; it is received at its end.
func (m *moment) over(c *canvas, d disc) {
	from, to := d.onDisc(m.from, m.start), d.onDisc(m.to, m.part)
	by := d.bend(from, to)
	here := along(from, by, to, m.p)
	r, a := max(3.2, d.r*0.02), 1-m.fade
	s := stroke{width: 1.8, ink: m.ink, alpha: a * 0.45}
	switch m.shape {
	case shapeLinks:
		s.width = 1.2
	case shapeLease:
		s.on, s.off = 5, 4
	}
	c.curve(from, by, to, m.p, s)
	switch m.shape {
	case shapeLinks:
		c.disc(here, r*0.75, m.ink, a)
	case shapeLease:
		c.diamond(here, r*1.25, m.ink, a)
	default:
		c.rect(here.x-r, here.y-r, here.x+r, here.y+r, m.ink, a)
	}
	if m.p >= 1 && !m.still {
		c.ring(to, r+(d.band()-r)*m.fade*1.6, 1.6, m.ink, a)
	}
}

// spot paints where the user points: the site with its place, or all that a member owns.
func (p *painter) spot(c *canvas, d disc, s *scene, spot *Spot, owned *strip.Strip) {
	if s.mode == ModeSwarm {
		place := s.orbits[spot.Member]
		at := d.onDisc(place.At, place.Part)
		c.line(d.middle(), at, 1, p.look.Ink, 0.5)
		c.ring(at, place.Size*d.r+3, 1.6, p.look.Ink, 1)
		return
	}
	if spot.Member >= 0 {
		bins := owned.Bins()
		r, half := (d.r+d.band()*0.95)*c.k, 0.7*c.k
		c.annulus(d.cx*c.k, d.cy*c.k, r-half-0.5, r+half+0.5, func(i int, dx, dy, dist float64) {
			b := turnOf(dx, dy) * bins
			a := owned.Cover(b-strip.PerPixel/2, b+strip.PerPixel/2) * min(1, half+0.5-math.Abs(dist-r))
			mix(c.img.Pix[i:], p.look.Ink, fraction(a))
		})
	}
	c.disc(d.onDisc(spot.At, 1+d.band()/d.r), max(3, d.r*0.016), p.look.Ink, 1)
	if spot.Domain == "" {
		return
	}
	at := d.onDisc(spot.At, depth(spot.Fetched))
	c.line(at, d.onDisc(spot.At, 1), 1.4, p.look.Ink, 0.5)
	c.ring(at, max(6, d.r*0.035), 1.6, p.look.Ink, 1)
}

// tag paints one beside its site, within the picture.
func (p *painter) tag(c *canvas, d disc, s *scene, l *tag, now time.Time) {
	strength, _ := l.strength(now)
	if strength <= 0 {
		return
	}
	at, ground := d.onDisc(l.at, l.part), p.look.Ground
	if s.dusk != "" {
		if ground = p.look.Dusk; math.Abs(at.y-16-d.cy) < d.r*0.4 {
			return // the reason stands there
		}
	}
	line := p.writer.shortened(l.text, 12, d.r*1.2, c.k)
	half := p.writer.width(line, 12, false, c.k)/2 + 3
	to := disc{d.cx, d.cy, d.r - d.band()}.inside(point{at.x, at.y - 16}, half, 9) // off the arcs
	c.disc(at, max(4, d.r*0.022), hues.In(p.look.Hues, l.language, p.look.Star), strength)
	c.rect(to.x-half, to.y-9, to.x+half, to.y+9, ground, 0.8*strength)
	c.write(p.writer, line, to.x, to.y, pen{12, false, middle, blend(ground, p.look.Ink, strength)})
}

// blend is a colour between two.
func blend(from, to color.NRGBA, part float64) color.NRGBA {
	pix := [3]uint8{from.R, from.G, from.B}
	mix(pix[:], to, fraction(part))
	return color.NRGBA{pix[0], pix[1], pix[2], 255}
}

// tag is the one text that stands at a site for a while: the title of a page that was just fetched, or while nothing
// happens, the name of a site that was visited once.
type tag struct {
	text     string
	language string
	at, part float64
	begin    time.Time
	// title says that it is of a page; nth counts names, so that each site has its turn.
	title bool
	nth   int
}

// strength is how strong it is at a time, and when that changes next.
func (l *tag) strength(now time.Time) (float64, time.Time) {
	if strength, next, changes := fade.At(now.Sub(l.begin)); l.text != "" && changes {
		return strength, l.begin.Add(next)
	}
	return 0, l.begin.Add(tagEvery)
}
