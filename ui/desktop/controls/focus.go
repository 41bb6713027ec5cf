package controls

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"github.com/forage-net/forage/ui/desktop/boxes"
)

// Focus moves the focus to a widget that is on the screen.
func Focus(w fyne.Focusable) {
	if o, ok := w.(fyne.CanvasObject); ok {
		FocusIn(o, w)
	}
}

// FocusIn moves the focus to a widget that may be new within what is on the screen, and reports whether it went there.
func FocusIn(around fyne.CanvasObject, w fyne.Focusable) bool {
	c := fyne.CurrentApp().Driver().CanvasForObject(around)
	if c == nil {
		return false // not drawn yet
	}
	c.Focus(w)
	return c.Focused() == w
}

// Reveal scrolls so that a widget can be seen, which the toolkit does not do for users of keys.
func Reveal(o fyne.CanvasObject) {
	driver := fyne.CurrentApp().Driver()
	c := driver.CanvasForObject(o)
	if c == nil {
		return
	}
	scroll := ScrollAround(c.Content(), o)
	if scroll == nil {
		return
	}
	const margin, foot = 12, 72 // a sentence at the foot of the window is to cover nothing
	top := driver.AbsolutePositionForObject(o).Y - driver.AbsolutePositionForObject(scroll).Y
	bottom := top + o.Size().Height
	by := float32(0)
	switch {
	case top < margin:
		by = top - margin
	case bottom > scroll.Size().Height-foot:
		by = min(bottom-scroll.Size().Height+foot, top-margin)
	}
	if by != 0 {
		scroll.ScrollToOffset(fyne.NewPos(scroll.Offset.X, scroll.Offset.Y+by))
	}
}

// scrollBy scrolls what is around a widget, or what else there is, by a key: text that holds nothing to focus is
// reached in no other way.
func scrollBy(o fyne.CanvasObject, key fyne.KeyName) {
	c := fyne.CurrentApp().Driver().CanvasForObject(o)
	if c == nil {
		return
	}
	scroll := ScrollAround(c.Content(), o)
	if scroll == nil {
		scroll = ScrollAround(c.Content(), nil)
	}
	if scroll == nil {
		return
	}
	const line = 40
	by := map[fyne.KeyName]float32{fyne.KeyUp: -line, fyne.KeyDown: line,
		fyne.KeyPageUp: line - scroll.Size().Height, fyne.KeyPageDown: scroll.Size().Height - line}[key]
	if by != 0 {
		scroll.ScrollToOffset(fyne.NewPos(scroll.Offset.X, scroll.Offset.Y+by))
	}
}

// ScrollAround finds what scrolls an object, nil if nothing does; of no object, the first that scrolls anything.
func ScrollAround(in, o fyne.CanvasObject) *container.Scroll {
	var found *container.Scroll
	var look func(at fyne.CanvasObject, by *container.Scroll) bool
	look = func(at fyne.CanvasObject, by *container.Scroll) bool {
		if at == o && o != nil {
			found = by
			return true
		}
		switch is := at.(type) {
		case *container.Scroll:
			if o == nil {
				found = is
				return true
			}
			return look(is.Content, is)
		case *fyne.Container:
			for _, child := range is.Objects {
				if look(child, by) {
					return true
				}
			}
		case *boxes.Surface:
			return look(is.Inside, by)
		case *ChoiceCard:
			return look(is.inside, by)
		}
		return false
	}
	look(in, nil)
	return found
}
