package layouts

import (
	"fyne.io/fyne/v2"
)

// Abreast lays objects out in columns, row by row, or all below each other where there is no room; those of a row have
// the same height.
type Abreast struct {
	Least float32 // width of a column
	Most  int     // columns
	Gap   float32
	wide  float32 // of the last layout: heights of text that wraps come from it
}

func (a *Abreast) columns(n int) int {
	n = min(n, a.Most)
	if n < 1 || a.wide < float32(n)*(a.Least+a.Gap)-a.Gap {
		return 1 // one below the other reads better than a row and a rest
	}
	return n
}

// Layout implements fyne.Layout.
func (a *Abreast) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	a.wide = size.Width
	objects = visible(objects)
	n := a.columns(len(objects))
	each := (size.Width - float32(n-1)*a.Gap) / float32(n)
	y := float32(0)
	for len(objects) > 0 {
		row := objects[:min(n, len(objects))]
		objects = objects[len(row):]
		high := float32(0)
		for _, o := range row {
			o.Resize(fyne.NewSize(each, o.MinSize().Height))
			high = max(high, o.MinSize().Height)
		}
		for i, o := range row {
			o.Move(fyne.NewPos(float32(i)*(each+a.Gap), y))
			o.Resize(fyne.NewSize(each, high))
		}
		y += high + a.Gap
	}
}

// MinSize implements fyne.Layout.
func (a *Abreast) MinSize(objects []fyne.CanvasObject) fyne.Size {
	objects = visible(objects)
	n := a.columns(len(objects))
	least := fyne.NewSize(0, 0)
	for i := 0; i < len(objects); i += n {
		high := float32(0)
		for _, o := range objects[i:min(i+n, len(objects))] {
			m := o.MinSize()
			high, least.Width = max(high, m.Height), max(least.Width, m.Width)
		}
		if i > 0 {
			high += a.Gap
		}
		least.Height += high
	}
	return least
}

// Flow lays objects out one after the other, in as many lines as they need.
type Flow struct {
	Gap  float32
	wide float32
}

// Layout implements fyne.Layout.
func (f *Flow) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	f.wide = size.Width
	x, y, line := float32(0), float32(0), float32(0)
	for _, o := range visible(objects) {
		m := o.MinSize()
		if x > 0 && x+m.Width > size.Width {
			x, y, line = 0, y+line+f.Gap, 0
		}
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(min(m.Width, size.Width), m.Height))
		x, line = x+m.Width+f.Gap, max(line, m.Height)
	}
}

// MinSize implements fyne.Layout.
func (f *Flow) MinSize(objects []fyne.CanvasObject) (least fyne.Size) {
	x, y, line := float32(0), float32(0), float32(0)
	for _, o := range visible(objects) {
		m := o.MinSize()
		if f.wide > 0 && x > 0 && x+m.Width > f.wide {
			x, y, line = 0, y+line+f.Gap, 0
		}
		x, line = x+m.Width+f.Gap, max(line, m.Height)
	}
	return fyne.NewSize(0, y+line)
}

func visible(objects []fyne.CanvasObject) (seen []fyne.CanvasObject) {
	for _, o := range objects {
		if o.Visible() {
			seen = append(seen, o)
		}
	}
	return seen
}

// Readable keeps what is in it to a width that is good to read, in the middle of what there is.
type Readable struct{ Most float32 }

// Layout implements fyne.Layout.
func (m Readable) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	wide := min(size.Width, m.Most)
	for _, o := range objects {
		o.Move(fyne.NewPos((size.Width-wide)/2, 0))
		o.Resize(fyne.NewSize(wide, size.Height))
	}
}

// MinSize implements fyne.Layout.
func (m Readable) MinSize(objects []fyne.CanvasObject) (least fyne.Size) {
	for _, o := range objects {
		least = least.Max(o.MinSize())
	}
	return least
}
