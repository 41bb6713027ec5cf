package layouts

import (
	"fyne.io/fyne/v2"
)

// Wrap stands things one beside the other, in as many rows as they need. Unlike the toolkit's, it can be made
// narrower again.
type Wrap struct{ width float32 }

// MinSize implements fyne.Layout.
func (l *Wrap) MinSize(objects []fyne.CanvasObject) fyne.Size {
	least := fyne.NewSize(0, l.place(objects, l.width, func(fyne.CanvasObject, fyne.Position) {}))
	for _, o := range objects {
		if o.Visible() {
			least.Width = max(least.Width, o.MinSize().Width)
		}
	}
	return least
}

// Layout implements fyne.Layout.
func (l *Wrap) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	l.place(objects, size.Width, func(o fyne.CanvasObject, at fyne.Position) {
		o.Resize(o.MinSize())
		o.Move(at)
	})
}

// place calls put with the place of each thing, and returns how high all are.
func (l *Wrap) place(objects []fyne.CanvasObject, width float32, put func(fyne.CanvasObject, fyne.Position)) float32 {
	var x, y, high float32
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		size := o.MinSize()
		if x > 0 && x+size.Width > width {
			x, y, high = 0, y+high, 0
		}
		put(o, fyne.NewPos(x, y))
		x, high = x+size.Width, max(high, size.Height)
	}
	return y + high
}
