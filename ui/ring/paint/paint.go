// Package paint paints smooth shapes and text onto an image: what a picture of the Ring and a chart consist
// of. It allocates nothing for a shape. A Canvas and a Writer belong to one goroutine.
package paint

import (
	"image"
	"image/color"
	"math"
)

// Point is one of the picture, in units from its upper left corner.
type Point struct{ X, Y float64 }

// At is the point at a place.
func At(x, y float64) Point { return Point{x, y} }

// Canvas paints smooth shapes onto an opaque image. Lengths are units; a unit is K pixels. What is outside of the
// image is not painted. Coverage is reckoned from the distance of a pixel's middle to the shape's edge, so that
// nothing is kept or made for a shape.
type Canvas struct {
	Img *image.NRGBA
	K   float64
	// Drawn is what was painted on since it was last emptied, in pixels.
	Drawn image.Rectangle
}

// box is the pixels from one corner to the other, in pixels, as far as they are of the image.
func (c *Canvas) box(x0, y0, x1, y1 float64) image.Rectangle {
	b := c.Img.Rect
	r := image.Rectangle{
		image.Point{toInt(math.Floor(x0), b.Min.X, b.Max.X), toInt(math.Floor(y0), b.Min.Y, b.Max.Y)},
		image.Point{toInt(math.Ceil(x1), b.Min.X, b.Max.X), toInt(math.Ceil(y1), b.Min.Y, b.Max.Y)},
	}
	c.Drawn = c.Drawn.Union(r)
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

// Fraction is an alpha from 0 to 256 of one from 0 to 1.
func Fraction(a float64) int32 {
	if !(a > 0) {
		return 0
	}
	if a >= 1 {
		return 256
	}
	return int32(a*256 + 0.5)
}

// Mix lays a colour over a pixel.
func Mix(pix []uint8, ink color.NRGBA, a int32) {
	p := pix[:3:3]
	p[0] = uint8(int32(p[0]) + ((int32(ink.R)-int32(p[0]))*a+128)>>8)
	p[1] = uint8(int32(p[1]) + ((int32(ink.G)-int32(p[1]))*a+128)>>8)
	p[2] = uint8(int32(p[2]) + ((int32(ink.B)-int32(p[2]))*a+128)>>8)
}

// Fill paints the whole image.
func (c *Canvas) Fill(ink color.NRGBA) {
	pix := c.Img.Pix
	if len(pix) == 0 {
		return
	}
	pix[0], pix[1], pix[2], pix[3] = ink.R, ink.G, ink.B, 255
	for n := 4; n < len(pix); n *= 2 {
		copy(pix[n:], pix[:n])
	}
	c.Drawn = c.Img.Rect
}

// Disc paints a circle.
func (c *Canvas) Disc(p Point, r float64, ink color.NRGBA, alpha float64) {
	x, y, r := p.X*c.K, p.Y*c.K, r*c.K
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
	full := Fraction(alpha)
	for py := b.Min.Y; py < b.Max.Y; py++ {
		dy := float64(py) + 0.5 - y
		i := c.Img.PixOffset(b.Min.X, py)
		for px := b.Min.X; px < b.Max.X; px, i = px+1, i+4 {
			dx := float64(px) + 0.5 - x
			switch d := dx*dx + dy*dy; {
			case d >= outside:
			case d <= inside:
				Mix(c.Img.Pix[i:], ink, full)
			default:
				Mix(c.Img.Pix[i:], ink, Fraction(alpha*(r+0.5-math.Sqrt(d))))
			}
		}
	}
}

// Annulus calls paint for each pixel between two circles around a middle, in pixels, with its way from there.
func (c *Canvas) Annulus(x, y, inner, outer float64, paint func(i int, dx, dy, d float64)) {
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
		i := c.Img.PixOffset(from, py)
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

// Ring paints the line of a circle.
func (c *Canvas) Ring(p Point, r, width float64, ink color.NRGBA, alpha float64) {
	x, y, r := p.X*c.K, p.Y*c.K, r*c.K
	half, alpha := thin(width*c.K, alpha)
	if !(r > 0) || !(alpha > 0) {
		return
	}
	c.Annulus(x, y, r-half-0.5, r+half+0.5, func(i int, _, _, d float64) {
		Mix(c.Img.Pix[i:], ink, Fraction(alpha*min(1, half+0.5-math.Abs(d-r))))
	})
}

// thin is half the width of a line: one that is narrower than a pixel is as wide as one, and fainter.
func thin(width, alpha float64) (half, fainter float64) {
	if width < 1 {
		return 0.5, alpha * width
	}
	return width / 2, alpha
}

// Arc paints a part of the line of a circle, from one place to another, 0 to 1.
func (c *Canvas) Arc(p Point, r, width, from, to float64, ink color.NRGBA) {
	if to-from >= 1 {
		c.Ring(p, r, width, ink, 1)
		return
	}
	x, y, r := p.X*c.K, p.Y*c.K, r*c.K
	half, alpha := thin(width*c.K, 1)
	round := Whole * r
	c.Annulus(x, y, r-half-0.5, r+half+0.5, func(i int, dx, dy, d float64) {
		at := Turn(dx, dy)
		long := min((at-from)*round, (to-at)*round)
		if from <= 0 && at > (1+to)/2 {
			long = (at - 1 - from) * round
		}
		if long > -0.5 {
			Mix(c.Img.Pix[i:], ink, Fraction(alpha*min(1, long+0.5)*min(1, half+0.5-math.Abs(d-r))))
		}
	})
}

// Line paints a straight line with round ends.
func (c *Canvas) Line(a, b Point, width float64, ink color.NRGBA, alpha float64) {
	ax, ay, bx, by := a.X*c.K, a.Y*c.K, b.X*c.K, b.Y*c.K
	half, alpha := thin(width*c.K, alpha)
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
		i := c.Img.PixOffset(from, py)
		for px := from; px < to; px, i = px+1, i+4 {
			dx := float64(px) + 0.5 - ax
			t := 0.0
			if long > 0 {
				t = max(0, min(1, (dx*lx+dy*ly)/long))
			}
			ex, ey := dx-lx*t, dy-ly*t
			if d := ex*ex + ey*ey; d < reach {
				Mix(c.Img.Pix[i:], ink, Fraction(alpha*min(1, half+0.5-math.Sqrt(d))))
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

// Cross paints two lines that cross, as one.
func (c *Canvas) Cross(p Point, r, width float64, ink color.NRGBA, alpha float64) {
	x, y, r := p.X*c.K, p.Y*c.K, r*c.K
	half, alpha := thin(width*c.K, alpha)
	room := r + half + 1
	b := c.box(x-room, y-room, x+room, y+room)
	arm := func(along, aside float64) float64 {
		beyond := max(0, math.Abs(along)-r*math.Sqrt2)
		return half + 0.5 - math.Hypot(beyond, aside)
	}
	for py := b.Min.Y; py < b.Max.Y; py++ {
		i := c.Img.PixOffset(b.Min.X, py)
		for px := b.Min.X; px < b.Max.X; px, i = px+1, i+4 {
			dx, dy := float64(px)+0.5-x, float64(py)+0.5-y
			u, v := (dx+dy)/math.Sqrt2, (dx-dy)/math.Sqrt2
			if near := max(arm(u, v), arm(v, u)); near > 0 {
				Mix(c.Img.Pix[i:], ink, Fraction(alpha*min(1, near)))
			}
		}
	}
}

// Rect paints a rectangle with sides along the image's; its corners may be between pixels.
func (c *Canvas) Rect(x0, y0, x1, y1 float64, ink color.NRGBA, alpha float64) {
	x0, y0, x1, y1 = x0*c.K, y0*c.K, x1*c.K, y1*c.K
	if !(x1 > x0) || !(y1 > y0) {
		return
	}
	b := c.box(x0, y0, x1, y1)
	for py := b.Min.Y; py < b.Max.Y; py++ {
		high := alpha * covered(float64(py), y0, y1)
		a, full := int32(0), Fraction(high)
		i := c.Img.PixOffset(b.Min.X, py)
		for px := b.Min.X; px < b.Max.X; px, i = px+1, i+4 {
			if a = full; px == b.Min.X || px == b.Max.X-1 {
				a = Fraction(high * covered(float64(px), x0, x1))
			}
			Mix(c.Img.Pix[i:], ink, a)
		}
	}
}

// covered is how much of the pixel that begins at a place lies between two others.
func covered(at, from, to float64) float64 {
	return max(0, min(at+1, to)-max(at, from))
}

// Diamond paints a square on its corner.
func (c *Canvas) Diamond(p Point, r float64, ink color.NRGBA, alpha float64) {
	x, y, r := p.X*c.K, p.Y*c.K, r*c.K
	b := c.box(x-r-1, y-r-1, x+r+1, y+r+1)
	for py := b.Min.Y; py < b.Max.Y; py++ {
		dy := math.Abs(float64(py) + 0.5 - y)
		i := c.Img.PixOffset(b.Min.X, py)
		for px := b.Min.X; px < b.Max.X; px, i = px+1, i+4 {
			near := (r - dy - math.Abs(float64(px)+0.5-x)) / math.Sqrt2
			if near > -0.5 {
				Mix(c.Img.Pix[i:], ink, Fraction(alpha*min(1, near+0.5)))
			}
		}
	}
}

// Turn is the place in whose direction a way leads: a part of the whole circle, 0 ≤ at < 1, clockwise from the top.
func Turn(x, y float64) float64 {
	at := math.Atan2(x, -y) / Whole
	if at < 0 {
		at++
	}
	if at >= 1 {
		return 0
	}
	return at
}

// Along is a point of a quadratic curve, p from 0 to 1.
func Along(from, by, to Point, p float64) Point {
	q := 1 - p
	return Point{q*q*from.X + 2*q*p*by.X + p*p*to.X, q*q*from.Y + 2*q*p*by.Y + p*p*to.Y}
}

// Whole is a whole circle, in radians.
const Whole = 2 * math.Pi

// Resize makes an image so large. It keeps the memory where it is enough, and not much too much.
func Resize(x *image.NRGBA, w, h int) {
	n := 4 * w * h
	if cap(x.Pix) < n || cap(x.Pix) > 4*n {
		x.Pix = make([]uint8, n)
	}
	*x = image.NRGBA{Pix: x.Pix[:n], Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
}

// MostSide is how long a side of a picture is at most, in pixels.
const MostSide = 4096

const (
	leastScale = 0.25
	mostScale  = 8
)

// Bounded is a size and a scale as they are drawn, and how much smaller that is than what was asked for.
func Bounded(w, h int, scale float64) (int, int, float64, float64) {
	w, h = max(1, w), max(1, h)
	if !(scale > 0) {
		scale = 1
	}
	fit := min(1, MostSide/float64(max(w, h)))
	if fit < 1 {
		w, h = max(1, int(float64(w)*fit)), max(1, int(float64(h)*fit))
	}
	return w, h, max(leastScale, min(mostScale, scale)) * fit, fit
}
