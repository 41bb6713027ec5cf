package layouts

import "fyne.io/fyne/v2"

// TwoColumns stands two columns side by side where there is room for both, and one below the other where there is not.
type TwoColumns struct {
	Gap float32
	// Least is the width from which there are two, share what of it is the left one's.
	Least, Share float32
	width        float32
}

func (c *TwoColumns) wide() bool { return c.width >= c.Least }

// MinSize implements fyne.Layout.
func (c *TwoColumns) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var least fyne.Size
	for i, o := range objects {
		size := o.MinSize()
		least.Width = max(least.Width, size.Width)
		switch {
		case c.wide():
			least.Height = max(least.Height, size.Height)
		case i > 0:
			least.Height += c.Gap + size.Height
		default:
			least.Height = size.Height
		}
	}
	return least
}

// Layout implements fyne.Layout.
func (c *TwoColumns) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	c.width = size.Width
	var x, y float32
	for i, o := range objects {
		width := size.Width
		if c.wide() {
			width = c.Share*size.Width - c.Gap/2
			if i > 0 {
				width = size.Width - x
			}
		}
		o.Move(fyne.NewPos(x, y))
		height := Fitted(o, width)
		if c.wide() {
			x += width + c.Gap
		} else {
			y += height + c.Gap
		}
	}
}

// Cells stands things in as many columns of one width as there is room for.
type Cells struct {
	Least      float32 // the least width of a column
	Gap, Below float32 // what is between two columns, and between two rows
	width      float32
}

func (c *Cells) across() int { return max(1, int((c.width+c.Gap)/(c.Least+c.Gap))) }

// MinSize implements fyne.Layout.
func (c *Cells) MinSize(objects []fyne.CanvasObject) fyne.Size {
	height := float32(0)
	c.rows(objects, func(row []fyne.CanvasObject, high float32) {
		if height > 0 {
			height += c.Below
		}
		height += high
	})
	return fyne.NewSize(c.Least, height)
}

// Layout implements fyne.Layout.
func (c *Cells) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	c.width = size.Width
	n := float32(c.across())
	width := (size.Width - (n-1)*c.Gap) / n
	var y float32
	for _, o := range objects {
		Fitted(o, width)
	}
	c.rows(objects, func(row []fyne.CanvasObject, high float32) {
		for i, o := range row {
			o.Resize(fyne.NewSize(width, high))
			o.Move(fyne.NewPos(float32(i)*(width+c.Gap), y))
		}
		y += high + c.Below
	})
}

// rows calls fn with the things of each row, and how high it is.
func (c *Cells) rows(objects []fyne.CanvasObject, fn func(row []fyne.CanvasObject, high float32)) {
	var row []fyne.CanvasObject
	high := float32(0)
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		if len(row) == c.across() {
			fn(row, high)
			row, high = nil, 0
		}
		row, high = append(row, o), max(high, o.MinSize().Height)
	}
	if len(row) > 0 {
		fn(row, high)
	}
}

// SideBySide is a layout of two or more that stand beside each other where each gets a width, and else one
// below the other.
type SideBySide struct {
	Least, Gap float32
	width      float32 // as laid out last: how high it is depends on that
}

func (l *SideBySide) beside(n int) bool {
	return l.width >= float32(n)*l.Least+float32(n-1)*l.Gap
}

// Layout implements fyne.Layout.
func (l *SideBySide) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	n := float32(len(objects))
	if l.beside(len(objects)) {
		w := (size.Width - (n-1)*l.Gap) / n
		for i, o := range objects {
			o.Move(fyne.NewPos(float32(i)*(w+l.Gap), 0))
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
		y += h + l.Gap
	}
}

// MinSize implements fyne.Layout.
func (l *SideBySide) MinSize(objects []fyne.CanvasObject) fyne.Size {
	least := fyne.Size{}
	for i, o := range objects {
		m := o.MinSize()
		least.Width = max(least.Width, m.Width)
		switch {
		case l.beside(len(objects)):
			least.Height = max(least.Height, m.Height)
		case i > 0:
			least.Height += l.Gap + m.Height
		default:
			least.Height += m.Height
		}
	}
	return least
}

// Evenly is a layout of cells of one height, in as few rows as they fit into, and as evenly as can be.
type Evenly struct {
	Least, Height float32
	width         float32 // as laid out last
}

func (l *Evenly) columns(n int) int {
	most := max(1, int(l.width/l.Least))
	rows := (n + most - 1) / most
	return (n + rows - 1) / max(1, rows)
}

// Layout implements fyne.Layout.
func (l *Evenly) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	columns := l.columns(len(objects))
	w := size.Width / float32(columns)
	for i, o := range objects {
		o.Move(fyne.NewPos(float32(i%columns)*w, float32(i/columns)*l.Height))
		o.Resize(fyne.NewSize(w, l.Height))
	}
}

// MinSize implements fyne.Layout.
func (l *Evenly) MinSize(objects []fyne.CanvasObject) fyne.Size {
	columns := l.columns(len(objects))
	return fyne.NewSize(l.Least, float32((len(objects)+columns-1)/columns)*l.Height)
}
