package draw

import (
	"image"
	"image/color"
	"math"
)

// paint is the colour of a point.
type paint func(point) color.NRGBA

// layer is a shape in its paint.
type layer struct {
	shape shape
	paint paint
}

// rgb is a colour as style sheets write it.
func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

func flat(c color.NRGBA) paint { return func(point) color.NRGBA { return c } }

func faint(c color.NRGBA, alpha uint8) color.NRGBA { c.A = alpha; return c }

// fade goes from one colour at the height y0 to another at y1.
func fade(y0 float64, from color.NRGBA, y1 float64, to color.NRGBA) paint {
	return func(p point) color.NRGBA {
		t := min(1, max(0, (p.y-y0)/(y1-y0)))
		mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + (float64(b)-float64(a))*t)) }
		return color.NRGBA{mix(from.R, to.R), mix(from.G, to.G), mix(from.B, to.B), mix(from.A, to.A)}
	}
}

// samples a pixel has on each side.
const samples = 3

// render paints layers, the lowest first, on a transparent square of size pixels, in which the icon has the given
// number of units.
func render(size int, units float64, layers []layer) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	unit := units / float64(size)
	for y := range size {
		for x := range size {
			img.SetNRGBA(x, y, pixel(float64(x), float64(y), unit, layers))
		}
	}
	return img
}

// pixel is the colour of the pixel whose upper left corner is at x, y. Where no edge is near, one sample tells it.
func pixel(x, y, unit float64, layers []layer) color.NRGBA {
	middle := point{(x + 0.5) * unit, (y + 0.5) * unit}
	plain := true
	for _, l := range layers {
		plain = plain && math.Abs(l.shape(middle)) > unit
	}
	if plain {
		return colourAt(middle, unit, layers).mean(1)
	}
	var sum mixture
	for s := range samples * samples {
		p := point{(x + (float64(s%samples)+0.5)/samples) * unit, (y + (float64(s/samples)+0.5)/samples) * unit}
		sum.add(colourAt(p, unit/samples, layers))
	}
	return sum.mean(samples * samples)
}

// mixture is a sum of colours, red, green and blue multiplied by alpha; alpha is 0 to 1.
type mixture struct{ r, g, b, a float64 }

func (m *mixture) add(o mixture) { m.r, m.g, m.b, m.a = m.r+o.r, m.g+o.g, m.b+o.b, m.a+o.a }

func (m mixture) mean(n float64) color.NRGBA {
	if m.a == 0 {
		return color.NRGBA{}
	}
	part := func(v float64) uint8 { return uint8(math.Round(v / m.a)) }
	return color.NRGBA{part(m.r), part(m.g), part(m.b), uint8(math.Round(m.a / n * 255))}
}

// colourAt lays the layers over each other at a point; edges are soft over a width.
func colourAt(p point, width float64, layers []layer) mixture {
	var m mixture
	for _, l := range layers {
		cover := min(1, max(0, 0.5-l.shape(p)/width))
		if cover == 0 {
			continue
		}
		c := l.paint(p)
		a := cover * float64(c.A) / 255
		m.r = float64(c.R)*a + m.r*(1-a)
		m.g = float64(c.G)*a + m.g*(1-a)
		m.b = float64(c.B)*a + m.b*(1-a)
		m.a = a + m.a*(1-a)
	}
	return m
}
