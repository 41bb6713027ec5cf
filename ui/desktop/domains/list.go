package domains

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// siteList is a list that is worked with keys: up, down, by the page, to the ends; return or space chooses,
// escape leaves what was chosen.
type siteList struct {
	widget.List
	// mark is the row from which keys lead on; it is drawn while the list has the focus.
	mark    int
	focused bool
	choose  func(int)
	leave   func()
}

func newSiteList(length func() int, create func() fyne.CanvasObject, update func(int, fyne.CanvasObject),
	choose func(int), leave func()) *siteList {
	l := &siteList{choose: choose, leave: leave}
	l.Length, l.CreateItem, l.UpdateItem = length, create, update
	l.HideSeparators = true
	l.OnSelected = func(i int) {
		l.mark = i
		// What is chosen is drawn by the rows: the list would scroll to it whenever it moves.
		l.UnselectAll()
		l.choose(i)
	}
	l.ExtendBaseWidget(l)
	return l
}

// FocusGained implements fyne.Focusable, as do FocusLost and TypedKey.
func (l *siteList) FocusGained() {
	l.focused = true
	l.List.FocusGained()
	l.Refresh()
}

// FocusLost implements fyne.Focusable.
func (l *siteList) FocusLost() {
	l.focused = false
	l.List.FocusLost()
	l.Refresh()
}

// TypedKey implements fyne.Focusable.
func (l *siteList) TypedKey(e *fyne.KeyEvent) {
	to, last := l.mark, l.Length()-1
	switch e.Name {
	case fyne.KeyUp:
		to--
	case fyne.KeyDown:
		to++
	case fyne.KeyPageUp:
		to -= l.seen()
	case fyne.KeyPageDown:
		to += l.seen()
	case fyne.KeyHome:
		to = 0
	case fyne.KeyEnd:
		to = last
	case fyne.KeyEscape:
		l.leave()
		return
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		if to >= 0 && to <= last {
			l.choose(to)
		}
		return
	}
	if to = max(0, min(to, last)); to != l.mark && last >= 0 {
		l.mark = to
		l.Highlight(to)
	}
}

// pitch is from one row to the next.
func (l *siteList) pitch() float32 { return rowHeight + listGap }

// seen is how many rows are seen whole.
func (l *siteList) seen() int { return max(1, int(l.Size().Height/l.pitch())) }

// window is from which row to which the list shows, at least in part.
func (l *siteList) window() (first, last int) {
	offset := l.GetScrollOffset()
	first = max(0, int(offset/l.pitch()))
	return first, max(first, min(l.Length()-1, int((offset+l.Size().Height)/l.pitch())))
}
