package ring

import (
	"image"
	"image/color"

	"github.com/forage-net/forage/ui/ring/paint"
)

// layers are the arcs, with them what else lasts, and above that what moves: each holds all of those below it.
type layers struct {
	arcs, base image.NRGBA
	out        *image.NRGBA
	// dirty is where out differs from base; the last spots of them are where the user points.
	dirty []image.Rectangle
	spots int
}

// size makes room; what was painted is gone.
func (l *layers) size(w, h int) {
	for _, x := range []*image.NRGBA{&l.arcs, &l.base, l.out} {
		paint.Resize(x, w, h)
	}
	l.dirty, l.spots = l.dirty[:0], 0
}

func (l *layers) toArcs(c *paint.Canvas, back color.NRGBA) {
	c.Img = &l.arcs
	c.Fill(back)
}

func (l *layers) toBase(c *paint.Canvas) {
	c.Img = &l.base
	copy(l.base.Pix, l.arcs.Pix)
}

// dirtyAll is that base was painted again.
func (l *layers) dirtyAll() { l.dirty = append(l.dirty[:0], l.out.Rect) }

// drew notes where something was painted on base.
func (l *layers) drew(r image.Rectangle) {
	if !r.Empty() {
		l.dirty = append(l.dirty, r)
	}
}

// restore makes out what base is.
func (l *layers) restore(c *paint.Canvas) {
	c.Img = l.out
	area := 0
	for _, r := range l.dirty {
		area += r.Dx() * r.Dy()
	}
	if area >= l.out.Rect.Dx()*l.out.Rect.Dy() {
		copy(l.out.Pix, l.base.Pix)
		l.dirty = l.dirty[:0]
	}
	for _, r := range l.dirty {
		for y := r.Min.Y; y < r.Max.Y; y++ {
			from, to := l.out.PixOffset(r.Min.X, y), l.out.PixOffset(r.Max.X, y)
			copy(l.out.Pix[from:to], l.base.Pix[from:to])
		}
	}
	l.dirty = l.dirty[:0]
}
