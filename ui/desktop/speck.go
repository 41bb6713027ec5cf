package desktop

import (
	"image"
	"sync"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
)

// newSpeck is a transparent pixel in the corner that calls drawn once, when it is drawn.
func newSpeck(drawn func()) fyne.CanvasObject {
	once := sync.OnceFunc(drawn)
	pixel := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	raster := canvas.NewRaster(func(int, int) image.Image {
		once()
		return pixel
	})
	raster.SetMinSize(fyne.NewSquareSize(1))
	return container.NewBorder(container.NewHBox(raster, layout.NewSpacer()), nil, nil, nil)
}

// key has a function called on Ctrl and a key.
func (w *Window) key(name fyne.KeyName, fn func()) {
	w.win.Canvas().AddShortcut(&desktop.CustomShortcut{KeyName: name, Modifier: fyne.KeyModifierShortcutDefault},
		func(fyne.Shortcut) { fn() })
}
