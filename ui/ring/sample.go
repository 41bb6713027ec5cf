package ring

import (
	"image"
	"math"

	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
)

// Sample is one of the things that a picture of the Ring is made of, for a legend.
type Sample uint8

const (
	SampleOurs   Sample = iota // a part of this node
	SampleNear                 // one of a member that is connected
	SampleFar                  // one of another member
	SampleStar                 // sites, from bright to faint
	SampleFill                 // how full the memory of addresses is
	SamplePage                 // a page is fetched
	SampleBad                  // it failed
	SampleBar                  // it was not asked for
	SampleLink                 // links that arrived at their owner
	SampleLease                // a site lent
	SampleMoved                // a site that changed hands
	SampleYou                  // this node among members
	SampleHelper               // a member that is connected
	SampleAbsent               // another member
	SampleRim                  // one of which nobody knows where it is
	samples
)

// Samples are those of a mode, in the order of a legend.
func Samples(m Mode) (list []Sample) {
	if m == ModeSwarm {
		return []Sample{SampleYou, SampleHelper, SampleAbsent, SampleRim, SampleLink, SampleLease, SampleMoved}
	}
	for s := range SampleYou {
		list = append(list, s)
	}
	return list
}

// SampleWidth and SampleHeight are the size of a sample in units.
const (
	SampleWidth  = 28
	SampleHeight = 14
)

// String is the last part of the sample's name in the dashboard's texts.
func (s Sample) String() string {
	names := [samples]string{
		"ours", "near", "far", "star", "fill", "page", "bad", "bar", "link", "lease", "moved",
		"you", "near", "far", "rim",
	}
	if s >= samples {
		return "unknown"
	}
	return names[s]
}

// Draw paints the sample into a new image of SampleWidth × SampleHeight units of scale pixels.
func (s Sample) Draw(l palette.Look, scale float64) *image.NRGBA {
	_, _, k, _ := paint.Bounded(SampleWidth, SampleHeight, scale)
	img := &image.NRGBA{}
	paint.Resize(img, int(math.Ceil(SampleWidth*k)), int(math.Ceil(SampleHeight*k)))
	c := &paint.Canvas{Img: img, K: k}
	c.Fill(l.Back)
	s.paint(c, l)
	return img
}

func (s Sample) paint(c *paint.Canvas, l palette.Look) {
	center := paint.At(14, 7)
	switch s {
	case SampleOurs:
		c.Rect(2, 3.5, 26, 10.5, l.Ours, 1)
	case SampleNear:
		c.Rect(2, 5, 26, 9, l.Near, 1)
	case SampleFar:
		c.Rect(2, 4.5, 26, 9.5, l.Far, 1)
		c.Rect(2+rim, 4.5+rim, 26-rim, 9.5-rim, l.Back, 1)
	case SampleStar:
		c.Disc(paint.At(6, 7), 3, l.Star, 1)
		c.Disc(paint.At(15, 7), 2.6, l.Star, 0.55)
		c.Disc(paint.At(23, 7), 2.2, l.Star, 0.28)
	case SampleFill:
		c.Ring(center, 5, 1.6, l.Rim, 1)
		c.Arc(center, 5, 1.6, 0, 0.25, l.Ours)
	case SamplePage:
		c.Line(paint.At(3, 10), paint.At(19, 6), 1.6, l.Page, 1)
		c.Disc(paint.At(21, 5.5), 2.6, l.Page, 1)
	case SampleBad:
		c.Cross(center, 4, 1.6, l.Bad, 1)
	case SampleBar:
		c.Ring(center, 5, 1.6, l.Bad, 1)
		c.Line(paint.At(9, 7), paint.At(19, 7), 1.6, l.Bad, 1)
	case SampleYou:
		c.Disc(center, 6.5, l.Glow, 0.25)
		c.Disc(center, 5, l.Ours, 1)
	case SampleHelper:
		c.Disc(center, 5, l.Near, 1)
	case SampleAbsent, SampleRim:
		if s == SampleRim {
			c.Line(paint.At(1, 7), paint.At(27, 7), 1, l.Rim, 1)
		}
		c.Disc(center, 5, l.Far, 1)
		c.Disc(center, 5-rim, l.Back, 1)
	default:
		s.chord(c, l)
	}
}

func (s Sample) chord(c *paint.Canvas, l palette.Look) {
	way := paint.Stroke{Width: 1.6, Alpha: 1}
	from, by, to := paint.At(2, 11), paint.At(14, 1), paint.At(20, 6)
	switch s {
	case SampleLink:
		way.Ink = l.Link
		c.Curve(from, by, paint.At(22, 7), 1, way)
		c.Disc(paint.At(23, 8), 2.4, l.Link, 1)
	case SampleLease:
		way.Ink, way.On, way.Off = l.Lease, 4, 3
		c.Curve(from, by, to, 1, way)
		c.Diamond(paint.At(23, 7.5), 4, l.Lease, 1)
	case SampleMoved:
		way.Ink = l.Moved
		c.Curve(from, by, to, 1, way)
		c.Rect(19, 4, 26, 11, l.Moved, 1)
	}
}
