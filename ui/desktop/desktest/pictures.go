package desktest

import (
	"image"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/pictest"
)

// NewPageWindow shows a page in a window of a size, in which it scrolls up and down.
func NewPageWindow(t *testing.T, p interface{ Content() fyne.CanvasObject }, w, h float32) fyne.Window {
	t.Helper()
	win := test.NewTempWindow(t, container.NewVScroll(p.Content()))
	win.SetPadded(false)
	win.Resize(fyne.NewSize(w, h))
	return win
}

// Picture draws an object in a window of a size, and compares it with the stored picture of that name.
func Picture(t *testing.T, name string, o fyne.CanvasObject, dark bool, w, h float32) {
	t.Helper()
	win := test.NewTempWindow(t, o)
	win.SetPadded(false)
	win.Resize(fyne.NewSize(w, h))
	Settle(win)
	PictureOf(t, name, win.Canvas(), dark)
}

// PictureOf draws what a window shows and judges it. If it has a name it is also compared with the stored picture of
// that name, of which there is one for each view.
func PictureOf(t *testing.T, name string, c fyne.Canvas, dark bool) {
	t.Helper()
	fits(t, c.Content(), c.Size())
	if !raced { // drawing takes ten times as long then, and is tried without
		PictureIs(t, name, c.Capture(), dark)
	}
}

// PictureIs judges a picture, and compares it with the stored one of a name, if it has one.
func PictureIs(t *testing.T, name string, img image.Image, dark bool) {
	t.Helper()
	pictest.Drawn(t, img, dark)
	if name != "" {
		pictest.Golden(t, name, img)
	}
}

// fits fails the test if an object, or a text that is seen in it, has less room than it needs: something is cut
// off then.
func fits(t *testing.T, o fyne.CanvasObject, room fyne.Size) {
	t.Helper()
	const rounding = 0.5
	if need := o.MinSize(); need.Width > room.Width+rounding || need.Height > room.Height+rounding {
		t.Errorf("a window of %v has no room for %v", room, need)
	}
	Visit(o, func(o fyne.CanvasObject) {
		switch o.(type) {
		case *widget.Label, *widget.Hyperlink, *widget.Button, *widget.Check:
			if need, has := o.MinSize(), o.Size(); need.Width > has.Width+rounding ||
				need.Height > has.Height+rounding {
				t.Errorf("%T, %q, has %v, and needs %v", o, Seen(o), has, need)
			}
		}
	})
}

// Visit calls fn with an object and all that is visible in it.
func Visit(o fyne.CanvasObject, fn func(fyne.CanvasObject)) {
	if o == nil || !o.Visible() {
		return
	}
	fn(o)
	for _, x := range inside(o) {
		Visit(x, fn)
	}
}

// inside returns what an object consists of.
func inside(o fyne.CanvasObject) []fyne.CanvasObject {
	switch o := o.(type) {
	case *fyne.Container:
		return o.Objects
	case fyne.Widget:
		return test.WidgetRenderer(o).Objects()
	}
	return nil
}

// Within returns an object and all in it. (test.LaidOutObjects makes new renderers, and labels change no more then.)
func Within(o fyne.CanvasObject) []fyne.CanvasObject {
	list := []fyne.CanvasObject{o}
	for _, child := range inside(o) {
		list = append(list, Within(child)...)
	}
	return list
}

// TapButton taps the button with a text.
func TapButton(t *testing.T, in fyne.CanvasObject, text string) {
	t.Helper()
	for _, o := range Within(in) {
		if button, ok := o.(*widget.Button); ok && button.Text == text && button.Visible() {
			test.Tap(button)
			return
		}
	}
	t.Fatalf("there is no button %q", text)
}

// Settle lays a window out as one that its user resized: texts that wrap know their height then.
func Settle(w fyne.Window) {
	size := w.Canvas().Size()
	for _, by := range []float32{40, 0} {
		w.Resize(fyne.NewSize(size.Width, size.Height+by))
		w.Content().Refresh()
	}
}

// Seen are the texts of what is visible in an object.
func Seen(o fyne.CanvasObject) string {
	var all []string
	Visit(o, func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *widget.Label:
			all = append(all, o.Text)
		case *widget.Hyperlink:
			all = append(all, o.Text)
		}
	})
	return strings.Join(all, "\n")
}
