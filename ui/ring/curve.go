package ring

import (
	"image/color"
	"math"
)

// pieces of a chord are straight; so many look round at any size that is drawn.
const pieces = 28

// stroke is how a chord is drawn: dashes of on units with off units between them, none if on is 0.
type stroke struct {
	width   float64
	on, off float64
	ink     color.NRGBA
	alpha   float64
}

// curve paints the first part, 0 to 1, of a quadratic curve. Its pieces do not overlap, so that it is of one strength.
func (c *canvas) curve(from, by, to point, part float64, s stroke) {
	n := max(1, int(math.Ceil(pieces*part)))
	gone := 0.0
	a := from
	for i := 1; i <= n; i++ {
		b := along(from, by, to, part*float64(i)/float64(n))
		c.piece(a, b, gone, i == 1, i == n, s)
		gone += math.Hypot(b.x-a.x, b.y-a.y)
		a = b
	}
}

// piece paints a straight line that others join at its ends, unless it is the first or the last.
func (c *canvas) piece(a, b point, gone float64, first, last bool, s stroke) {
	ax, ay, bx, by := a.x*c.k, a.y*c.k, b.x*c.k, b.y*c.k
	half, alpha := thin(s.width*c.k, s.alpha)
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
		i := c.img.PixOffset(x0, py)
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
			if s.on > 0 {
				cover *= dash(gone*c.k+t, s.on*c.k, s.off*c.k)
			}
			if cover > 0 {
				mix(c.img.Pix[i:], s.ink, fraction(alpha*cover))
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
