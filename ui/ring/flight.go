package ring

import (
	"image/color"
	"math"
	"time"

	"github.com/forage-net/forage/assets/hues"
	"github.com/forage-net/forage/ui/ring/fade"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
	"github.com/forage-net/forage/ui/ring/strip"
)

// inkOf is the colour of a mark.
func inkOf(l *palette.Look, s shape) color.NRGBA {
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
func (p *painter) mark(c *paint.Canvas, d disc, m *mark, now time.Time, still bool) {
	since, length := now.Sub(m.begin), m.way.flight()
	at := moment{mark: *m, ink: inkOf(&p.look, m.shape), p: 1, fade: 0.35, still: still}
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
func (m *moment) out(c *paint.Canvas, d disc) {
	const start = 0.05
	at := func(q float64) paint.Point { return d.onDisc(m.to, start+(m.part-start)*q) }
	head, tail := at(m.p), at(max(0, m.p-0.22*(1-m.fade)))
	strength := 0.5
	if m.still {
		tail, strength = at(0), 0.3
	}
	if m.p < 1 || m.still {
		width := 1.8
		if m.shape == shapeDot {
			width = 1
		}
		c.Line(tail, head, width, m.ink, strength)
	}
	if m.p >= 1 {
		m.arrive(c, d, head)
		return
	}
	c.Disc(head, d.r*0.028, m.ink, 0.22)
	switch {
	case m.foreign:
		c.Ring(head, max(2.2, d.r*0.012), 1.4, m.ink, 1)
	case m.shape == shapeDot:
		c.Disc(head, max(1.8, d.r*0.007), m.ink, 1)
	default:
		c.Disc(head, max(1.8, d.r*0.012), m.ink, 1)
	}
}

// arrive is what is seen where something came to its end.
func (m *moment) arrive(c *paint.Canvas, d disc, at paint.Point) {
	r, a := max(3, d.r*0.018), 1-m.fade
	switch m.shape {
	case shapeCross:
		c.Cross(at, r, 1.8, m.ink, a)
	case shapeBar:
		c.Line(paint.At(at.X-r*1.2, at.Y), paint.At(at.X+r*1.2, at.Y), 2.4, m.ink, a)
		c.Ring(at, r*1.5, 1.2, m.ink, a)
	case shapeDot:
		c.Disc(at, r*0.5, m.ink, a)
	case shapeSpark:
		if !m.foreign {
			c.Disc(at, r*(1-0.4*m.fade), m.ink, a)
		}
		c.Ring(at, r*(1+2.4*m.fade), 1.6*(1-m.fade)+0.2, m.ink, a)
	default:
		c.Ring(at, r*(0.8+1.6*m.fade), 1.4, m.ink, a)
	}
}

// over goes from one member to another, along the chord; it is received at its end.
func (m *moment) over(c *paint.Canvas, d disc) {
	from, to := d.onDisc(m.from, m.start), d.onDisc(m.to, m.part)
	by := d.bend(from, to)
	here := paint.Along(from, by, to, m.p)
	s := paint.Stroke{Width: 1.8, Ink: m.ink, Alpha: (1 - m.fade) * 0.45}
	r, a := max(3.2, d.r*0.02), 1-m.fade
	switch m.shape {
	case shapeLinks:
		s.Width = 1.2
	case shapeLease:
		s.On, s.Off = 5, 4
	}
	c.Curve(from, by, to, m.p, s)
	switch m.shape {
	case shapeLinks:
		c.Disc(here, r*0.75, m.ink, a)
	case shapeLease:
		c.Diamond(here, r*1.25, m.ink, a)
	default:
		c.Rect(here.X-r, here.Y-r, here.X+r, here.Y+r, m.ink, a)
	}
	if m.p >= 1 && !m.still {
		c.Ring(to, r+(d.band()-r)*m.fade*1.6, 1.6, m.ink, a)
	}
}

// spot paints where the user points: the site with its place, or all that a member owns.
func (p *painter) spot(c *paint.Canvas, d disc, s *scene, spot *Spot, owned *strip.Strip) {
	if s.mode == ModeSwarm {
		place := s.orbits[spot.Member]
		at := d.onDisc(place.At, place.Part)
		c.Line(d.middle(), at, 1, p.look.Ink, 0.5)
		c.Ring(at, place.Size*d.r+3, 1.6, p.look.Ink, 1)
		return
	}
	if spot.Member >= 0 {
		bins := owned.Bins()
		r, half := (d.r+d.band()*0.95)*c.K, 0.7*c.K
		c.Annulus(d.cx*c.K, d.cy*c.K, r-half-0.5, r+half+0.5, func(i int, dx, dy, dist float64) {
			b := paint.Turn(dx, dy) * bins
			a := owned.Cover(b-strip.PerPixel/2, b+strip.PerPixel/2) * min(1, half+0.5-math.Abs(dist-r))
			paint.Mix(c.Img.Pix[i:], p.look.Ink, paint.Fraction(a))
		})
	}
	c.Disc(d.onDisc(spot.At, 1+d.band()/d.r), max(3, d.r*0.016), p.look.Ink, 1)
	if spot.Domain == "" {
		return
	}
	at := d.onDisc(spot.At, depth(spot.Fetched))
	c.Line(at, d.onDisc(spot.At, 1), 1.4, p.look.Ink, 0.5)
	c.Ring(at, max(6, d.r*0.035), 1.6, p.look.Ink, 1)
}

// tag paints one beside its site, within the picture.
func (p *painter) tag(c *paint.Canvas, d disc, s *scene, l *tag, now time.Time) {
	strength, _ := l.strength(now)
	if strength <= 0 {
		return
	}
	at, ground := d.onDisc(l.at, l.part), p.look.Ground
	if s.dusk != "" {
		if ground = p.look.Dusk; math.Abs(at.Y-16-d.cy) < d.r*0.4 {
			return // the reason stands there
		}
	}
	text := paint.Pen{Size: 12, Align: paint.Middle, Ink: blend(ground, p.look.Ink, strength)}
	line := p.writer.Shortened(l.text, text.Size, d.r*1.2, c.K)
	half := p.writer.Width(line, text.Size, false, c.K)/2 + 3
	x, y := min(max(at.X, half), 2*d.cx-half), at.Y-16
	c.Disc(at, max(4, d.r*0.022), hues.In(p.look.Hues, l.language, p.look.Star), strength)
	c.Rect(x-half, y-9, x+half, y+9, ground, 0.8*strength)
	c.Write(p.writer, line, x, y, text)
}

// blend is a colour between two.
func blend(from, to color.NRGBA, part float64) color.NRGBA {
	pix := [3]uint8{from.R, from.G, from.B}
	paint.Mix(pix[:], to, paint.Fraction(part))
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
