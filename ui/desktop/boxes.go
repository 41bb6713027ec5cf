package desktop

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// small is one line of text that is less important, cut where there is no room.
func small(text string) *widget.Label {
	l := line(text)
	l.Importance, l.SizeName = widget.LowImportance, theme.SizeNameCaptionText
	return l
}

// atLeast is a layout that fills its place, and asks for no less than a size.
type atLeast struct{ w, h float32 }

// Layout implements fyne.Layout.
func (a atLeast) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Move(fyne.Position{})
		o.Resize(size)
	}
}

// MinSize implements fyne.Layout.
func (a atLeast) MinSize(objects []fyne.CanvasObject) fyne.Size {
	least := fyne.NewSize(a.w, a.h)
	for _, o := range objects {
		if o.Visible() {
			least = least.Max(o.MinSize())
		}
	}
	return least
}

// sideBySide is a layout of two or more that stand beside each other where each gets a width, and else one below the other.
type sideBySide struct {
	least, gap float32
	width      float32 // as laid out last: how high it is depends on that
}

func (l *sideBySide) beside(n int) bool {
	return l.width >= float32(n)*l.least+float32(n-1)*l.gap
}

// Layout implements fyne.Layout.
func (l *sideBySide) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	n := float32(len(objects))
	if l.beside(len(objects)) {
		w := (size.Width - (n-1)*l.gap) / n
		for i, o := range objects {
			o.Move(fyne.NewPos(float32(i)*(w+l.gap), 0))
			o.Resize(fyne.NewSize(w, size.Height))
		}
		return
	}
	y := float32(0)
	for _, o := range objects {
		o.Resize(fyne.NewSize(size.Width, o.MinSize().Height))
		h := o.MinSize().Height // of text that wraps, now that it has a width
		o.Resize(fyne.NewSize(size.Width, h))
		o.Move(fyne.NewPos(0, y))
		y += h + l.gap
	}
}

// MinSize implements fyne.Layout.
func (l *sideBySide) MinSize(objects []fyne.CanvasObject) fyne.Size {
	least := fyne.Size{}
	for i, o := range objects {
		m := o.MinSize()
		least.Width = max(least.Width, m.Width)
		switch {
		case l.beside(len(objects)):
			least.Height = max(least.Height, m.Height)
		case i > 0:
			least.Height += l.gap + m.Height
		default:
			least.Height += m.Height
		}
	}
	return least
}

// windowOf returns the window that an object is in, nil if it is in none.
func windowOf(o fyne.CanvasObject) fyne.Window {
	driver := fyne.CurrentApp().Driver()
	canvas := driver.CanvasForObject(o)
	for _, w := range driver.AllWindows() {
		if canvas != nil && w.Canvas() == canvas {
			return w
		}
	}
	return nil
}

// over is a layout of two, of which the lower one is as high as it needs to be at the width that there is, and the upper one
// has the rest.
type over struct{ gap float32 }

// Layout implements fyne.Layout.
func (l over) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	top, foot := objects[0], objects[1]
	high := size.Height
	if foot.Visible() {
		foot.Resize(fyne.NewSize(size.Width, foot.MinSize().Height)) // what wraps knows its height then
		need := foot.MinSize().Height
		high = max(top.MinSize().Height, high-need-l.gap)
		foot.Resize(fyne.NewSize(size.Width, need))
		foot.Move(fyne.NewPos(0, high+l.gap))
	}
	top.Move(fyne.Position{})
	top.Resize(fyne.NewSize(size.Width, high))
}

// MinSize implements fyne.Layout.
func (l over) MinSize(objects []fyne.CanvasObject) fyne.Size {
	least := objects[0].MinSize()
	if foot := objects[1]; foot.Visible() {
		m := foot.MinSize()
		least = fyne.NewSize(max(least.Width, m.Width), least.Height+l.gap+m.Height)
	}
	return least
}

// evenly is a layout of cells of one height, in as few rows as they fit into, and as evenly as can be.
type evenly struct {
	least, height float32
	width         float32 // as laid out last
}

func (l *evenly) columns(n int) int {
	most := max(1, int(l.width/l.least))
	rows := (n + most - 1) / most
	return (n + rows - 1) / max(1, rows)
}

// Layout implements fyne.Layout.
func (l *evenly) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	columns := l.columns(len(objects))
	w := size.Width / float32(columns)
	for i, o := range objects {
		o.Move(fyne.NewPos(float32(i%columns)*w, float32(i/columns)*l.height))
		o.Resize(fyne.NewSize(w, l.height))
	}
}

// MinSize implements fyne.Layout.
func (l *evenly) MinSize(objects []fyne.CanvasObject) fyne.Size {
	columns := l.columns(len(objects))
	return fyne.NewSize(l.least, float32((len(objects)+columns-1)/columns)*l.height)
}
