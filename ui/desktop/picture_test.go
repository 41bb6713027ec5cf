package desktop

import (
	"image"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/pictest"
)

// newPageWindow shows a page in a window of a size, in which it scrolls up and down.
func newPageWindow(t *testing.T, p page, w, h float32) fyne.Window {
	t.Helper()
	win := test.NewTempWindow(t, container.NewVScroll(p.content()))
	win.SetPadded(false)
	win.Resize(fyne.NewSize(w, h))
	return win
}

// picture draws an object in a window of a size, and compares it with the stored picture of that name.
func picture(t *testing.T, name string, o fyne.CanvasObject, dark bool, w, h float32) {
	t.Helper()
	win := test.NewTempWindow(t, o)
	win.SetPadded(false)
	win.Resize(fyne.NewSize(w, h))
	settle(win)
	pictureOf(t, name, win.Canvas(), dark)
}

// pictureOf draws what a window shows and judges it. If it has a name it is also compared with the stored picture of
// that name, of which there is one for each view.
func pictureOf(t *testing.T, name string, c fyne.Canvas, dark bool) {
	t.Helper()
	fits(t, c.Content(), c.Size())
	if !raced { // drawing takes ten times as long then, and is tried without
		pictureIs(t, name, c.Capture(), dark)
	}
}

func pictureIs(t *testing.T, name string, img image.Image, dark bool) {
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
	visit(o, func(o fyne.CanvasObject) {
		switch o.(type) {
		case *widget.Label, *widget.Hyperlink, *widget.Button, *widget.Check:
			if need, has := o.MinSize(), o.Size(); need.Width > has.Width+rounding ||
				need.Height > has.Height+rounding {
				t.Errorf("%T, %q, has %v, and needs %v", o, seen(o), has, need)
			}
		}
	})
}
