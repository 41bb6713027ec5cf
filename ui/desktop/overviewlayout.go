package desktop

import "fyne.io/fyne/v2"

// How high something is depends on how wide it is where texts wrap, and Fyne asks for its least size before it says how
// wide it will be. These layouts ask again when they have said it, and speak of the width that they had last.

// twoColumns stands two columns side by side where there is room for both, and one below the other where there is not.
type twoColumns struct {
	gap float32
	// least is the width from which there are two, share what of it is the left one's.
	least, share float32
	width        float32
}

func (c *twoColumns) wide() bool { return c.width >= c.least }

// MinSize implements fyne.Layout.
func (c *twoColumns) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var least fyne.Size
	for i, o := range objects {
		size := o.MinSize()
		least.Width = max(least.Width, size.Width)
		switch {
		case c.wide():
			least.Height = max(least.Height, size.Height)
		case i > 0:
			least.Height += c.gap + size.Height
		default:
			least.Height = size.Height
		}
	}
	return least
}

// Layout implements fyne.Layout.
func (c *twoColumns) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	c.width = size.Width
	var x, y float32
	for i, o := range objects {
		width := size.Width
		if c.wide() {
			width = c.share*size.Width - c.gap/2
			if i > 0 {
				width = size.Width - x
			}
		}
		o.Move(fyne.NewPos(x, y))
		height := fitted(o, width)
		if c.wide() {
			x += width + c.gap
		} else {
			y += height + c.gap
		}
	}
}

// fitted makes something so wide, and as high as it is then, which it returns.
func fitted(o fyne.CanvasObject, width float32) float32 {
	height := o.MinSize().Height
	o.Resize(fyne.NewSize(width, height))
	if now := o.MinSize().Height; now != height {
		height = now
		o.Resize(fyne.NewSize(width, height))
	}
	return height
}

// pile stands things one below the other.
type pile struct{ gap float32 }

// MinSize implements fyne.Layout.
func (p pile) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var least fyne.Size
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		size := o.MinSize()
		if least.Height > 0 {
			least.Height += p.gap
		}
		least.Width = max(least.Width, size.Width)
		least.Height += size.Height
	}
	return least
}

// Layout implements fyne.Layout.
func (p pile) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	var y float32
	for _, o := range objects {
		if o.Visible() {
			o.Move(fyne.NewPos(0, y))
			y += fitted(o, size.Width) + p.gap
		}
	}
}

// cells stands things in as many columns of one width as there is room for.
type cells struct {
	least      float32 // the least width of a column
	gap, below float32 // what is between two columns, and between two rows
	width      float32
}

func (c *cells) across() int { return max(1, int((c.width+c.gap)/(c.least+c.gap))) }

// MinSize implements fyne.Layout.
func (c *cells) MinSize(objects []fyne.CanvasObject) fyne.Size {
	height := float32(0)
	c.rows(objects, func(row []fyne.CanvasObject, high float32) {
		if height > 0 {
			height += c.below
		}
		height += high
	})
	return fyne.NewSize(c.least, height)
}

// Layout implements fyne.Layout.
func (c *cells) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	c.width = size.Width
	n := float32(c.across())
	width := (size.Width - (n-1)*c.gap) / n
	var y float32
	for _, o := range objects {
		fitted(o, width)
	}
	c.rows(objects, func(row []fyne.CanvasObject, high float32) {
		for i, o := range row {
			o.Resize(fyne.NewSize(width, high))
			o.Move(fyne.NewPos(float32(i)*(width+c.gap), y))
		}
		y += high + c.below
	})
}

// rows calls fn with the things of each row, and how high it is.
func (c *cells) rows(objects []fyne.CanvasObject, fn func(row []fyne.CanvasObject, high float32)) {
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
