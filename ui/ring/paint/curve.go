package paint

import (
	"image/color"
	"math"
)

// pieces of a chord are straight; so many look round at any size that is drawn.
const pieces = 28

// Stroke is how a chord is drawn: dashes of On units with Off units between them, none if On is 0.
type Stroke struct {
	Width   float64
	On, Off float64
	Ink     color.NRGBA
	Alpha   float64
}

// Curve paints the first part, 0 to 1, of a quadratic curve. Its pieces do not overlap, so that it is of one strength.
func (c *Canvas) Curve(from, by, to Point, part float64, s Stroke) {
	n := max(1, int(math.Ceil(pieces*part)))
	gone := 0.0
	a := from
	for i := 1; i <= n; i++ {
		b := Along(from, by, to, part*float64(i)/float64(n))
		c.Piece(a, b, gone, i == 1, i == n, s)
		gone += math.Hypot(b.X-a.X, b.Y-a.Y)
		a = b
	}
}

// Piece paints a straight line that others join at its ends, unless it is the first or the last.
func (c *Canvas) Piece(a, b Point, gone float64, first, last bool, s Stroke) {
	ax, ay, bx, by := a.X*c.K, a.Y*c.K, b.X*c.K, b.Y*c.K
	half, alpha := thin(s.Width*c.K, s.Alpha)
	long := math.Hypot(bx-ax, by-ay)
	if !(long > 0) || !(alpha > 0) {
		return
	}
	ux, uy := (bx-ax)/long, (by-ay)/long
	room := half + 1
	box := c.box(min(ax, bx)-room, min(ay, by)-room, max(ax, bx)+room, max(ay, by)+room)
	for py := box.Min.Y; py < box.Max.Y; py++ {
		dy := float64(py) + 0.5 - ay
		x0, x1 := stretch(box, ax, ux, uy, dy, room)
		i := c.Img.PixOffset(x0, py)
		for px := x0; px < x1; px, i = px+1, i+4 {
			dx := float64(px) + 0.5 - ax
			t, aside := dx*ux+dy*uy, math.Abs(dx*uy-dy*ux)
			if aside >= half+0.5 || t < 0 && !first || t >= long && !last {
				continue
			}
			cover := min(1, half+0.5-aside)
			if first {
				cover *= max(0, min(1, t+0.5))
			}
			if last {
				cover *= max(0, min(1, long-t+0.5))
			}
			if s.On > 0 {
				cover *= dash(gone*c.K+t, s.On*c.K, s.Off*c.K)
			}
			if cover > 0 {
				Mix(c.Img.Pix[i:], s.Ink, Fraction(alpha*cover))
			}
		}
	}
}

// dash is how much of the pixel at a length of a line is part of a dash.
func dash(at, on, off float64) float64 {
	at -= math.Floor(at/(on+off)) * (on + off)
	// The middle of the dash, and how far its edges are.
	edge := on/2 - math.Abs(at-on/2)
	if back := on/2 - math.Abs(at-on-off-on/2); back > edge {
		edge = back
	}
	return max(0, min(1, edge+0.5))
}
