package desktop

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"
)

// Times in pictures are the same wherever they are drawn.
func init() { time.Local = time.UTC }

// within returns an object and all in it. (test.LaidOutObjects makes new renderers, and labels change no more then.)
func within(o fyne.CanvasObject) []fyne.CanvasObject {
	list := []fyne.CanvasObject{o}
	var inside []fyne.CanvasObject
	switch o := o.(type) {
	case *fyne.Container:
		inside = o.Objects
	case fyne.Widget:
		inside = test.WidgetRenderer(o).Objects()
	}
	for _, child := range inside {
		list = append(list, within(child)...)
	}
	return list
}

// tapButton taps the button with a text.
func tapButton(t *testing.T, in fyne.CanvasObject, text string) {
	t.Helper()
	for _, o := range within(in) {
		if button, ok := o.(*widget.Button); ok && button.Text == text && button.Visible() {
			test.Tap(button)
			return
		}
	}
	t.Fatalf("there is no button %q", text)
}
