package boxes

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
)

// Show shows or hides an object where that is a change.
func Show(o fyne.CanvasObject, on bool) {
	switch {
	case on && !o.Visible():
		o.Show()
		redraw()
	case !on && o.Visible():
		o.Hide()
	}
}

// redraw has the window drawn again. The toolkit does not see to it where an object is shown that was never
// drawn before, nor where a container is.
func redraw() {
	for _, w := range fyne.CurrentApp().Driver().AllWindows() {
		if c, ok := w.Canvas().(interface{ SetDirty() }); ok {
			c.SetDirty()
		}
	}
}

// WindowOf returns the window that an object is in, nil if it is in none.
func WindowOf(o fyne.CanvasObject) fyne.Window {
	driver := fyne.CurrentApp().Driver()
	canvas := driver.CanvasForObject(o)
	for _, w := range driver.AllWindows() {
		if canvas != nil && w.Canvas() == canvas {
			return w
		}
	}
	return nil
}

// Dialog shows a dialog that the key Escape closes, too.
func Dialog(box dialog.Dialog, win fyne.Window) {
	c := win.Canvas()
	before := c.OnTypedKey()
	c.SetOnTypedKey(func(e *fyne.KeyEvent) {
		if e.Name == fyne.KeyEscape {
			box.Hide()
		}
	})
	box.SetOnClosed(func() { c.SetOnTypedKey(before) })
	box.Show()
}
