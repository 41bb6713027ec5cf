package ring

import (
	"math"
	"time"

	"github.com/forage-net/forage/assets/hues"
	"github.com/forage-net/forage/ui/ring/age"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
	"github.com/forage-net/forage/ui/ring/prose"
	"github.com/forage-net/forage/ui/ring/strip"
)

// discOf is the disc of a picture whose shorter side is so many units, around its middle.
func discOf(w, h float64, mode Mode) disc {
	side := min(w, h)
	margin := max(16, side*0.045)
	if mode == ModeSwarm {
		margin = max(24, side*0.09) // names stand at the rim
	}
	// In the smallest of pictures something is seen too.
	return disc{w / 2, h / 2, max(side/2-margin, side*0.15)}
}

// painter paints what lasts, and keeps what it needs for that.
type painter struct {
	look   palette.Look
	words  Words
	writer *paint.Writer

	ours, near, far, hollow strip.Strip
	shine                   strip.Shine
}

// guides are lines for so many pages, which help the eye.
var guides = [...]int64{9, 99, 999}

// arcs paints the disc and who owns which part of it.
func (p *painter) arcs(c *paint.Canvas, d disc, s *scene) {
	c.Disc(d.middle(), d.r+d.band()/2, p.look.Ground, 1)
	if s.mode == ModeSwarm {
		return
	}
	p.guides(c, d)
	arcs := s.real
	if len(arcs) == 0 {
		c.Ring(d.middle(), d.r, 1.5, p.look.Rim, 1)
		return
	}
	p.measure(c, d, s, arcs)
	p.circle(c, d)
}

func (p *painter) guides(c *paint.Canvas, d disc) {
	const every = 6
	for _, pages := range guides {
		part := depth(pages)
		n := math.Floor(paint.Whole * d.r * part / every)
		for i := range int(min(n, 4096)) {
			c.Disc(d.onDisc(float64(i)/n, part), 0.6, p.look.Rim, 0.75)
		}
	}
}

// ownLeast: in a large network a part is narrower than a line; ours are seen all the same.
const ownLeast = 2.5

// gapOf leaves room between neighbours, where there is any.
func gapOf(length float64) float64 {
	switch {
	case length > 6:
		return 0.75
	case length > 2:
		return 0.25
	}
	return 0
}

// rim is how wide the line around what is not connected is.
const rim = 1.3

func (p *painter) measure(c *paint.Canvas, d disc, s *scene, arcs []arc) {
	unit := 1 / (paint.Whole * d.r)
	bins := strip.Of(paint.Whole * d.r * c.K)
	for _, x := range []*strip.Strip{&p.ours, &p.near, &p.far, &p.hollow} {
		x.Reset(bins)
	}
	p.shine.Reset(min(bins, strip.Most/4))
	over := overTop(arcs)
	for i, a := range arcs {
		if over && i == 0 {
			continue
		}
		if over && i == len(arcs)-1 {
			a.to += arcs[0].to
		}
		length := (a.to - a.from) / unit
		gap := gapOf(length) * unit
		if a.to-a.from >= 1 {
			gap = 0
		}
		switch m := s.members[a.member]; {
		case m.self:
			p.own(c, d, a, length, gap)
		case m.connected:
			p.near.Add(a.from+gap, a.to-gap)
		default:
			p.far.Add(a.from+gap, a.to-gap)
			if length > 4 {
				p.hollow.Add(a.from+gap+rim*unit, a.to-gap-rim*unit)
			}
		}
	}
	for _, x := range []*strip.Strip{&p.ours, &p.near, &p.far, &p.hollow} {
		x.Done()
	}
	p.shine.Done(paint.Whole * d.r * c.K / float64(p.shine.Bins()))
}

// overTop says whether the last arc goes on as the first.
func overTop(arcs []arc) bool {
	n := len(arcs)
	return n > 1 && arcs[0].from == 0 && arcs[n-1].to == 1 && arcs[0].member == arcs[n-1].member
}

// own is one of our arcs. What is short shines less far.
func (p *painter) own(c *paint.Canvas, d disc, a arc, length, gap float64) {
	unit, width := 1/(paint.Whole*d.r), d.band()
	more := max(0, ownLeast-length) / 2 * unit
	p.ours.Add(a.from-more+gap, a.to+more-gap)
	reach := min(width*1.7, 5+length*0.5)
	inset := min(width/2, length*0.45) * unit
	if a.to-a.from >= 1 {
		inset = 0
	}
	p.shine.Add(a.from+inset, max(a.to-inset, a.from+inset+1/float64(p.shine.Bins())), reach*c.K)
}

// circle paints the arcs and what shines of them, a pixel at a time.
func (p *painter) circle(c *paint.Canvas, d disc) {
	width := d.band() * c.K
	r, half, slim := d.r*c.K, width/2, width/4
	outer := half + width*1.7/2 + 1
	bins := p.ours.Bins()
	glows := float64(p.shine.Bins())
	edge := func(off, half float64) float64 { return max(0, min(1, half+0.5-off)) }
	c.Annulus(d.cx*c.K, d.cy*c.K, r-outer, r+outer, func(i int, dx, dy, dist float64) {
		at := paint.Turn(dx, dy)
		off := math.Abs(dist - r)
		pix := c.Img.Pix[i:]
		g := min(int(at*glows), p.shine.Bins()-1)
		if aside, reach := p.shine.At(g); reach > 0 {
			if a := glow(math.Sqrt(off*off+aside*aside), half, reach/2); a > 0 {
				paint.Mix(pix, p.look.Glow, paint.Fraction(a))
			}
		}
		if off > half+0.5 {
			return
		}
		b := at * bins
		from, to := b-strip.PerPixel/2, b+strip.PerPixel/2
		if w := p.far.Cover(from, to) * edge(off, slim); w > 0 {
			w -= p.hollow.Cover(from, to) * edge(off, slim-rim*c.K)
			paint.Mix(pix, p.look.Far, paint.Fraction(w))
		}
		paint.Mix(pix, p.look.Near, paint.Fraction(p.near.Cover(from, to)*edge(off, slim)))
		paint.Mix(pix, p.look.Ours, paint.Fraction(p.ours.Cover(from, to)*edge(off, half)))
	})
}

// glow is how bright it is beside an arc: as if it was painted several times, each wider and pale.
func glow(off, half, reach float64) float64 {
	// Each layer leaves 0.93 of what is below it, and so do parts of layers.
	const layers, ln = 6, -0.0725706928
	n := layers * min(1, 1-(off-half)/reach)
	if n <= 0 {
		return 0
	}
	return 1 - math.Exp(n*ln)
}

// lasting paints what lies on the arcs.
func (p *painter) lasting(c *paint.Canvas, d disc, s *scene, now time.Time) {
	if s.mode == ModeRing {
		if s.dusk == "" {
			p.hub(c, d, s.fill)
		}
		p.stars(c, d, s, now)
	} else if len(s.real) > 0 {
		p.swarm(c, d, s)
	}
	if s.dusk != "" {
		p.dusk(c, d, s.dusk)
	}
}

// hubPart is at which part of the radius the line is that says how full the memory of addresses is.
const hubPart = 0.13

// hub is this computer in the middle, and around it how full its memory of addresses is.
func (p *painter) hub(c *paint.Canvas, d disc, fill float64) {
	r, width := d.r*hubPart, max(2, d.r*0.014)
	c.Ring(d.middle(), r, width, p.look.Rim, 1)
	if fill > 0 {
		c.Arc(d.middle(), r, width, 0, max(0.004, fill), p.look.Ours)
	}
	c.Disc(d.middle(), max(3, d.r*0.026), p.look.Ours, 1)
}

// manyStars are drawn smaller, and not as often.
const manyStars = 300

// stars paints the sites, the brightest last.
func (p *painter) stars(c *paint.Canvas, d disc, s *scene, now time.Time) {
	size := d.r * 0.0125
	if len(s.stars.all) > manyStars {
		size *= 0.75
	}
	var count [age.Steps]int
	for i := range s.stars.all {
		count[age.Step(bright(&s.stars.all[i], now))]++
	}
	for n := range age.Steps {
		for i := range s.stars.all {
			if count[n] == 0 {
				break
			}
			x := &s.stars.all[i]
			b := bright(x, now)
			if age.Step(b) != n {
				continue
			}
			count[n]--
			r, at := max(1.1, size*(0.75+0.5*b)), s.starPoint(d, x)
			ink := hues.In(p.look.Hues, x.language, p.look.Star)
			if n == age.Steps-1 {
				c.Disc(at, r*2.3, ink, 0.11)
			}
			c.Disc(at, r, ink, age.OfStep(n))
		}
	}
}

func bright(x *star, now time.Time) float64 {
	if x.last.IsZero() {
		return age.Faintest
	}
	return age.Brightness(now.Sub(x.last))
}

// mostLines of a sentence are drawn.
const mostLines = 7

func (p *painter) lines(c *paint.Canvas, text string, width float64, like paint.Pen) []string {
	wide := func(t string) float64 { return p.writer.Width(t, like.Size, like.Bold, c.K) }
	lines := prose.Wrap(prose.Plain(text), width, wide)
	return lines[:min(len(lines), mostLines)]
}

// dusk lies over what rests, with the reason in the middle; the sites around it are seen.
func (p *painter) dusk(c *paint.Canvas, d disc, reason string) {
	end := (d.r + d.band()) * c.K
	limit := (d.r + d.band()*1.5) * c.K
	c.Annulus(d.cx*c.K, d.cy*c.K, -1, limit+0.5, func(i int, _, _, dist float64) {
		a := min(1, limit+0.5-dist)
		q := min(1, max(0, (dist/end-0.45)/0.3))
		a *= 0.94 - 0.69*q*q*(3-2*q)
		paint.Mix(c.Img.Pix[i:], p.look.Dusk, paint.Fraction(a))
	})
	text := paint.Pen{Size: max(14, math.Round(d.r*0.085)), Bold: true, Align: paint.Middle, Ink: p.look.Ink}
	lines := p.lines(c, reason, d.r*1.1, text)
	top := d.cy - float64(len(lines)-1)*text.Size*1.35/2
	for i, line := range lines {
		c.Write(p.writer, line, d.cx, top+float64(i)*text.Size*1.35, text)
	}
}
