package ring

import (
	"image"
	"image/color"
	"math"
)

// canvas paints smooth shapes onto an opaque image. Lengths are units; a unit is k pixels. What is outside of the
// image is not painted. Coverage is reckoned from the distance of a pixel's middle to the shape's edge, so that
// nothing is kept or made for a shape.
type canvas struct {
	img *image.NRGBA
	k   float64
	// drawn is what was painted on since it was last emptied, in pixels.
	drawn image.Rectangle
}

// box is the pixels from one corner to the other, in pixels, as far as they are of the image.
func (c *canvas) box(x0, y0, x1, y1 float64) image.Rectangle {
	b := c.img.Rect
	r := image.Rectangle{
		image.Point{toInt(math.Floor(x0), b.Min.X, b.Max.X), toInt(math.Floor(y0), b.Min.Y, b.Max.Y)},
		image.Point{toInt(math.Ceil(x1), b.Min.X, b.Max.X), toInt(math.Ceil(y1), b.Min.Y, b.Max.Y)},
	}
	c.drawn = c.drawn.Union(r)
	return r
}

func toInt(x float64, low, high int) int {
	if !(x > float64(low)) {
		return low
	}
	if x > float64(high) {
		return high
	}
	return int(x)
}

// fraction is an alpha from 0 to 256 of one from 0 to 1.
func fraction(a float64) int32 {
	if !(a > 0) {
		return 0
	}
	if a >= 1 {
		return 256
	}
	return int32(a*256 + 0.5)
}

// mix lays a colour over a pixel.
func mix(pix []uint8, ink color.NRGBA, a int32) {
	p := pix[:3:3]
	p[0] = uint8(int32(p[0]) + ((int32(ink.R)-int32(p[0]))*a+128)>>8)
	p[1] = uint8(int32(p[1]) + ((int32(ink.G)-int32(p[1]))*a+128)>>8)
	p[2] = uint8(int32(p[2]) + ((int32(ink.B)-int32(p[2]))*a+128)>>8)
}

// fill paints the whole image.
func (c *canvas) fill(ink color.NRGBA) {
	pix := c.img.Pix
	if len(pix) == 0 {
		return
	}
	pix[0], pix[1], pix[2], pix[3] = ink.R, ink.G, ink.B, 255
	for n := 4; n < len(pix); n *= 2 {
		copy(pix[n:], pix[:n])
	}
	c.drawn = c.img.Rect
}

// disc paints a circle.
func (c *canvas) disc(p point, r float64, ink color.NRGBA, alpha float64) {
	x, y, r := p.x*c.k, p.y*c.k, r*c.k
	if !(r > 0) || !(alpha > 0) {
		return
	}
	b := c.box(x-r-1, y-r-1, x+r+1, y+r+1)
	inside, outside := 0.0, (r+0.5)*(r+0.5)
	if r > 0.5 {
		inside = (r - 0.5) * (r - 0.5)
	}
	// Smaller than a pixel is fainter.
	if r < 0.5 {
		alpha *= r * 2
	}
	full := fraction(alpha)
	for py := b.Min.Y; py < b.Max.Y; py++ {
		dy := float64(py) + 0.5 - y
		i := c.img.PixOffset(b.Min.X, py)
		for px := b.Min.X; px < b.Max.X; px, i = px+1, i+4 {
			dx := float64(px) + 0.5 - x
			switch d := dx*dx + dy*dy; {
			case d >= outside:
			case d <= inside:
				mix(c.img.Pix[i:], ink, full)
			default:
				mix(c.img.Pix[i:], ink, fraction(alpha*(r+0.5-math.Sqrt(d))))
			}
		}
	}
}

// annulus calls paint for each pixel between two circles around a middle, in pixels, with its way from there.
func (c *canvas) annulus(x, y, inner, outer float64, paint func(i int, dx, dy, d float64)) {
	if !(outer > 0) {
		return
	}
	b := c.box(x-outer, y-outer, x+outer, y+outer)
	for py := b.Min.Y; py < b.Max.Y; py++ {
		dy := float64(py) + 0.5 - y
		if math.Abs(dy) >= outer {
			continue
		}
		far := math.Sqrt(outer*outer - dy*dy)
		near := 0.0
		if inner > 0 && math.Abs(dy) < inner {
			near = math.Sqrt(inner*inner - dy*dy)
		}
		from, to := toInt(math.Floor(x-far), b.Min.X, b.Max.X), toInt(math.Ceil(x+far), b.Min.X, b.Max.X)
		hole, back := toInt(math.Ceil(x-near), from, to), toInt(math.Floor(x+near), from, to)
		i := c.img.PixOffset(from, py)
		for px := from; px < to; px, i = px+1, i+4 {
			if px == hole && back > hole {
				px, i = back, i+4*(back-hole)
				if px >= to {
					break
				}
			}
			dx := float64(px) + 0.5 - x
			d := math.Sqrt(dx*dx + dy*dy)
			if d <= outer && d >= inner {
				paint(i, dx, dy, d)
			}
		}
	}
}

// ring paints the line of a circle.
func (c *canvas) ring(p point, r, width float64, ink color.NRGBA, alpha float64) {
	x, y, r := p.x*c.k, p.y*c.k, r*c.k
	half, alpha := thin(width*c.k, alpha)
	if !(r > 0) || !(alpha > 0) {
		return
	}
	c.annulus(x, y, r-half-0.5, r+half+0.5, func(i int, _, _, d float64) {
		mix(c.img.Pix[i:], ink, fraction(alpha*min(1, half+0.5-math.Abs(d-r))))
	})
}

// thin is half the width of a line: one that is narrower than a pixel is as wide as one, and fainter.
func thin(width, alpha float64) (half, fainter float64) {
	if width < 1 {
		return 0.5, alpha * width
	}
	return width / 2, alpha
}

// arc paints a part of the line of a circle, from one place to another, 0 to 1.
func (c *canvas) arc(p point, r, width, from, to float64, ink color.NRGBA) {
	if to-from >= 1 {
		c.ring(p, r, width, ink, 1)
		return
	}
	x, y, r := p.x*c.k, p.y*c.k, r*c.k
	half, alpha := thin(width*c.k, 1)
	round := whole * r
	c.annulus(x, y, r-half-0.5, r+half+0.5, func(i int, dx, dy, d float64) {
		at := turnOf(dx, dy)
		long := min((at-from)*round, (to-at)*round)
		if from <= 0 && at > (1+to)/2 {
			long = (at - 1 - from) * round
		}
		if long > -0.5 {
			mix(c.img.Pix[i:], ink, fraction(alpha*min(1, long+0.5)*min(1, half+0.5-math.Abs(d-r))))
		}
	})
}

// line paints a straight line with round ends.
func (c *canvas) line(a, b point, width float64, ink color.NRGBA, alpha float64) {
	ax, ay, bx, by := a.x*c.k, a.y*c.k, b.x*c.k, b.y*c.k
	half, alpha := thin(width*c.k, alpha)
	if !(alpha > 0) {
		return
	}
	lx, ly := bx-ax, by-ay
	long := lx*lx + ly*ly
	room := half + 1
	box := c.box(min(ax, bx)-room, min(ay, by)-room, max(ax, bx)+room, max(ay, by)+room)
	reach := (half + 0.5) * (half + 0.5)
	for py := box.Min.Y; py < box.Max.Y; py++ {
		dy := float64(py) + 0.5 - ay
		from, to := stretch(box, ax, lx, ly, dy, math.Sqrt(long)*room)
		i := c.img.PixOffset(from, py)
		for px := from; px < to; px, i = px+1, i+4 {
			dx := float64(px) + 0.5 - ax
			t := 0.0
			if long > 0 {
				t = max(0, min(1, (dx*lx+dy*ly)/long))
			}
			ex, ey := dx-lx*t, dy-ly*t
			if d := ex*ex + ey*ey; d < reach {
				mix(c.img.Pix[i:], ink, fraction(alpha*min(1, half+0.5-math.Sqrt(d))))
			}
		}
	}
}

// stretch is which pixels of a row may be so near to a line through ax; far is the distance times the line's length.
func stretch(box image.Rectangle, ax, lx, ly, dy, far float64) (from, to int) {
	// Near is |dx*ly - dy*lx| ≤ far.
	if math.Abs(ly) < 1e-6 {
		return box.Min.X, box.Max.X
	}
	a, b := (dy*lx-far)/ly, (dy*lx+far)/ly
	if a > b {
		a, b = b, a
	}
	from = toInt(math.Floor(ax+a-1), box.Min.X, box.Max.X)
	return from, max(from, toInt(math.Ceil(ax+b+1), box.Min.X, box.Max.X))
}

// cross paints two lines that cross, as one.
func (c *canvas) cross(p point, r, width float64, ink color.NRGBA, alpha float64) {
	x, y, r := p.x*c.k, p.y*c.k, r*c.k
	half, alpha := thin(width*c.k, alpha)
	room := r + half + 1
	b := c.box(x-room, y-room, x+room, y+room)
	arm := func(along, aside float64) float64 {
		beyond := max(0, math.Abs(along)-r*math.Sqrt2)
		return half + 0.5 - math.Hypot(beyond, aside)
	}
	for py := b.Min.Y; py < b.Max.Y; py++ {
		i := c.img.PixOffset(b.Min.X, py)
		for px := b.Min.X; px < b.Max.X; px, i = px+1, i+4 {
			dx, dy := float64(px)+0.5-x, float64(py)+0.5-y
			u, v := (dx+dy)/math.Sqrt2, (dx-dy)/math.Sqrt2
			if near := max(arm(u, v), arm(v, u)); near > 0 {
				mix(c.img.Pix[i:], ink, fraction(alpha*min(1, near)))
			}
		}
	}
}

// rect paints a rectangle with sides along the image's; its corners may be between pixels.
func (c *canvas) rect(x0, y0, x1, y1 float64, ink color.NRGBA, alpha float64) {
	x0, y0, x1, y1 = x0*c.k, y0*c.k, x1*c.k, y1*c.k
	if !(x1 > x0) || !(y1 > y0) {
		return
	}
	b := c.box(x0, y0, x1, y1)
	for py := b.Min.Y; py < b.Max.Y; py++ {
		high := alpha * covered(float64(py), y0, y1)
		a, full := int32(0), fraction(high)
		i := c.img.PixOffset(b.Min.X, py)
		for px := b.Min.X; px < b.Max.X; px, i = px+1, i+4 {
			if a = full; px == b.Min.X || px == b.Max.X-1 {
				a = fraction(high * covered(float64(px), x0, x1))
			}
			mix(c.img.Pix[i:], ink, a)
		}
	}
}

// covered is how much of the pixel that begins at a place lies between two others.
func covered(at, from, to float64) float64 {
	return max(0, min(at+1, to)-max(at, from))
}

// diamond paints a square on its corner.
func (c *canvas) diamond(p point, r float64, ink color.NRGBA, alpha float64) {
	x, y, r := p.x*c.k, p.y*c.k, r*c.k
	b := c.box(x-r-1, y-r-1, x+r+1, y+r+1)
	for py := b.Min.Y; py < b.Max.Y; py++ {
		dy := math.Abs(float64(py) + 0.5 - y)
		i := c.img.PixOffset(b.Min.X, py)
		for px := b.Min.X; px < b.Max.X; px, i = px+1, i+4 {
			near := (r - dy - math.Abs(float64(px)+0.5-x)) / math.Sqrt2
			if near > -0.5 {
				mix(c.img.Pix[i:], ink, fraction(alpha*min(1, near+0.5)))
			}
		}
	}
}
