package layouts

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// AtLeast is a layout that fills its place, and asks for no less than a size.
type AtLeast struct{ W, H float32 }

// Layout implements fyne.Layout.
func (a AtLeast) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Move(fyne.Position{})
		o.Resize(size)
	}
}

// MinSize implements fyne.Layout.
func (a AtLeast) MinSize(objects []fyne.CanvasObject) fyne.Size {
	least := fyne.NewSize(a.W, a.H)
	for _, o := range objects {
		if o.Visible() {
			least = least.Max(o.MinSize())
		}
	}
	return least
}

// Over is a layout of two, of which the lower one is as high as it needs to be at the width that there is, and
// the upper one has the rest.
type Over struct{ Gap float32 }

// Layout implements fyne.Layout.
func (l Over) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	top, foot := objects[0], objects[1]
	high := size.Height
	if foot.Visible() {
		foot.Resize(fyne.NewSize(size.Width, foot.MinSize().Height)) // what wraps knows its height then
		need := foot.MinSize().Height
		high = max(top.MinSize().Height, high-need-l.Gap)
		foot.Resize(fyne.NewSize(size.Width, need))
		foot.Move(fyne.NewPos(0, high+l.Gap))
	}
	top.Move(fyne.Position{})
	top.Resize(fyne.NewSize(size.Width, high))
}

// MinSize implements fyne.Layout.
func (l Over) MinSize(objects []fyne.CanvasObject) fyne.Size {
	least := objects[0].MinSize()
	if foot := objects[1]; foot.Visible() {
		m := foot.MinSize()
		least = fyne.NewSize(max(least.Width, m.Width), least.Height+l.Gap+m.Height)
	}
	return least
}

// Fitted makes something so wide, and as high as it is then, which it returns.
func Fitted(o fyne.CanvasObject, width float32) float32 {
	height := o.MinSize().Height
	o.Resize(fyne.NewSize(width, height))
	if now := o.MinSize().Height; now != height {
		height = now
		o.Resize(fyne.NewSize(width, height))
	}
	return height
}

// Pile stands things one below the other.
type Pile struct{ Gap float32 }

// MinSize implements fyne.Layout.
func (p Pile) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var least fyne.Size
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		size := o.MinSize()
		if least.Height > 0 {
			least.Height += p.Gap
		}
		least.Width = max(least.Width, size.Width)
		least.Height += size.Height
	}
	return least
}

// Layout implements fyne.Layout.
func (p Pile) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	var y float32
	for _, o := range objects {
		if o.Visible() {
			o.Move(fyne.NewPos(0, y))
			y += Fitted(o, size.Width) + p.Gap
		}
	}
}

// Portion is a layout that gives what is in it a part of the width, and leaves a little free above and below.
type Portion struct{ Share float64 }

// Layout implements fyne.Layout.
func (p Portion) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	gap := theme.Padding() + 2
	for _, o := range objects {
		o.Move(fyne.NewPos(0, gap))
		o.Resize(fyne.NewSize(max(3, size.Width*float32(min(p.Share, 1))), size.Height-2*gap))
	}
}

// MinSize implements fyne.Layout.
func (p Portion) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.Size{} }
