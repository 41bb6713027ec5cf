// Package week is a week to paint on by mouse and keys: quarters of an hour in which all, gentle work or nothing is
// allowed.
package week

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desk"
)

// weekGrid is a week to paint on, by mouse or keyboard: rows are days, columns quarters of an hour. It is one picture,
// not an object for each of its cells.
type weekGrid struct {
	widget.BaseWidget
	d     *desk.Desk
	week  Week
	brush level
	// painted is called when a stroke is done.
	painted func(Week)
	// tell says what is under the pointer or the keyboard, "" where nothing is.
	tell func(string)

	stroke  *weekStroke
	place   weekPlace
	hover   weekPlace
	hovered bool
	focused bool
	shift   bool
	// going is what Shift with arrows goes on painting, once it has begun.
	going   level
	isGoing bool
	// pressed is so while the mouse takes the focus: what is painted on is not to move under it.
	pressed bool
}

// weekStroke is a stroke of the mouse that is not done.
type weekStroke struct {
	from, to int
	level    level
}

// weekPlace is a cell; row -1 are the hours, column -1 the days.
type weekPlace struct{ row, column int }

func (p weekPlace) onCell() bool { return p.row >= 0 && p.column >= 0 }
func (p weekPlace) cell() int    { return p.row*dayCells + p.column }

var (
	_ fyne.Focusable     = (*weekGrid)(nil)
	_ fyne.Draggable     = (*weekGrid)(nil)
	_ desktop.Mouseable  = (*weekGrid)(nil)
	_ desktop.Hoverable  = (*weekGrid)(nil)
	_ desktop.Keyable    = (*weekGrid)(nil)
	_ desktop.Cursorable = (*weekGrid)(nil)
)

func newWeekGrid(d *desk.Desk, painted func(Week), tell func(string)) *weekGrid {
	g := &weekGrid{d: d, brush: levelFull, painted: painted, tell: tell}
	g.ExtendBaseWidget(g)
	return g
}

// put shows another week.
func (g *weekGrid) put(w Week) {
	if g.week != w {
		g.week = w
		g.Refresh()
	}
}

// shown is the week with the stroke that is being made.
func (g *weekGrid) shown() Week {
	w := g.week
	if g.stroke != nil {
		w.paint(box(g.stroke.from, g.stroke.to), g.stroke.level)
	}
	return w
}

// change takes a week that was painted.
func (g *weekGrid) change(cells []int, to level) {
	w := g.week
	w.paint(cells, to)
	if w == g.week {
		g.Refresh()
		return
	}
	g.week = w
	g.Refresh()
	g.painted(w)
}

// at returns what is at a position; ok is false outside and in the corner.
func (g *weekGrid) at(pos fyne.Position) (p weekPlace, ok bool) {
	size := g.Size()
	cell := (size.Width - gridLeft) / dayCells
	row := (size.Height - gridTop) / weekDays
	if pos.X < 0 || pos.Y < 0 || pos.X >= size.Width || pos.Y >= size.Height || cell <= 0 || row <= 0 {
		return p, false
	}
	p = weekPlace{-1, -1}
	if pos.Y >= gridTop {
		p.row = min(weekDays-1, int((pos.Y-gridTop)/row))
	}
	if pos.X >= gridLeft {
		p.column = min(dayCells-1, int((pos.X-gridLeft)/cell))
	}
	return p, p.row >= 0 || p.column >= 0
}

// inside is at for a stroke that goes on: outside counts as the nearest cell.
func (g *weekGrid) inside(pos fyne.Position) weekPlace {
	size := g.Size()
	pos.X = min(max(pos.X, gridLeft), size.Width-0.01)
	pos.Y = min(max(pos.Y, gridTop), size.Height-0.01)
	p, _ := g.at(pos)
	return weekPlace{max(p.row, 0), max(p.column, 0)}
}

// MouseDown implements desktop.Mouseable: a stroke begins, or a head paints its row or column.
func (g *weekGrid) MouseDown(e *desktop.MouseEvent) {
	if e.Button != desktop.MouseButtonPrimary {
		return
	}
	p, ok := g.at(e.Position)
	if !ok {
		return
	}
	g.place = p
	g.isGoing = false
	g.pressed = true
	controls.Focus(g)
	g.pressed = false
	if !p.onCell() {
		g.turnHead(p)
		return
	}
	cell := p.cell()
	g.stroke = &weekStroke{cell, cell, g.week.turned([]int{cell}, g.brush)}
	g.Refresh()
	g.tellOf(p)
}

// MouseUp implements desktop.Mouseable.
func (g *weekGrid) MouseUp(*desktop.MouseEvent) { g.finish() }

// Dragged implements fyne.Draggable.
func (g *weekGrid) Dragged(e *fyne.DragEvent) {
	if g.stroke == nil {
		return
	}
	p := g.inside(e.Position)
	g.hover = p // the pointer is not told of while it drags
	if to := p.cell(); to != g.stroke.to {
		g.stroke.to, g.place = to, p
		g.Refresh()
		g.tellOf(p)
	}
}

// DragEnd implements fyne.Draggable.
func (g *weekGrid) DragEnd() { g.finish() }

// finish ends a stroke. It may be called twice for one.
func (g *weekGrid) finish() {
	if s := g.stroke; s != nil {
		g.stroke = nil
		g.change(box(s.from, s.to), s.level)
	}
}

// turnHead paints a whole day or hour.
func (g *weekGrid) turnHead(p weekPlace) {
	var cells []int
	if p.row >= 0 {
		cells = cellsOfDay(p.row)
	} else {
		cells = cellsOfHour(p.column / 4)
	}
	g.change(cells, g.week.turned(cells, g.brush))
	g.tellOf(p)
}

// tellOf says what is at a place.
func (g *weekGrid) tellOf(p weekPlace) {
	w := g.shown()
	switch {
	case p.onCell():
		g.tell(cellText(g.d.Speech, &w, p.cell()))
	case p.row >= 0:
		g.tell(g.d.T("week.whole", "day", dayName(g.d.Speech, p.row)))
	default:
		g.tell(g.d.T("week.hour", "hour", clockOf(p.column/4*4)))
	}
}

// MouseIn implements desktop.Hoverable, as do MouseMoved and MouseOut.
func (g *weekGrid) MouseIn(e *desktop.MouseEvent) { g.MouseMoved(e) }

// MouseMoved implements desktop.Hoverable.
func (g *weekGrid) MouseMoved(e *desktop.MouseEvent) {
	p, ok := g.at(e.Position)
	if !ok {
		g.MouseOut()
		return
	}
	if !p.onCell() && p.row < 0 {
		p.column -= p.column % 4
	}
	if !g.hovered || p != g.hover {
		g.hover, g.hovered = p, true
		g.Refresh()
		g.tellOf(p)
	}
}

// MouseOut implements desktop.Hoverable.
func (g *weekGrid) MouseOut() {
	if !g.hovered {
		return
	}
	g.hovered = false
	g.Refresh()
	if g.focused {
		g.tellOf(g.place)
	} else {
		g.tell("")
	}
}

// Cursor implements desktop.Cursorable.
func (g *weekGrid) Cursor() desktop.Cursor {
	if g.hovered && !g.hover.onCell() {
		return desktop.PointerCursor
	}
	return desktop.CrosshairCursor
}

// FocusGained implements fyne.Focusable.
func (g *weekGrid) FocusGained() {
	g.focused = true
	g.Refresh()
	g.tellOf(g.place)
	if !g.pressed {
		controls.Reveal(g)
	}
}

// FocusLost implements fyne.Focusable.
func (g *weekGrid) FocusLost() {
	g.focused, g.shift, g.isGoing, g.stroke = false, false, false, nil
	g.Refresh()
	g.tell("")
}

// KeyDown implements desktop.Keyable.
func (g *weekGrid) KeyDown(e *fyne.KeyEvent) {
	if e.Name == desktop.KeyShiftLeft || e.Name == desktop.KeyShiftRight {
		g.shift = true
	}
}

// KeyUp implements desktop.Keyable.
func (g *weekGrid) KeyUp(e *fyne.KeyEvent) {
	if e.Name == desktop.KeyShiftLeft || e.Name == desktop.KeyShiftRight {
		g.shift = false
	}
}

// TypedRune implements fyne.Focusable.
func (g *weekGrid) TypedRune(rune) {}

// TypedKey implements fyne.Focusable: arrows move, space paints, Shift with an arrow goes on painting.
func (g *weekGrid) TypedKey(e *fyne.KeyEvent) {
	switch {
	case e.Name == fyne.KeyEscape:
		g.stroke = nil
		g.Refresh()
	case e.Name == fyne.KeySpace || controls.IsEnter(e):
		g.turnHere()
	default:
		to, ok := g.place.moved(e.Name)
		if !ok {
			return
		}
		if !g.shift {
			g.isGoing = false
		} else if g.place.onCell() && to.onCell() {
			g.paintTo(to)
		}
		g.place = to
		g.Refresh()
		g.tellOf(to)
	}
}

func (g *weekGrid) turnHere() {
	if !g.place.onCell() {
		g.turnHead(g.place)
		return
	}
	cells := []int{g.place.cell()}
	g.going, g.isGoing = g.week.turned(cells, g.brush), true
	g.change(cells, g.going)
	g.tellOf(g.place)
}

// paintTo paints from the place of the keyboard to another.
func (g *weekGrid) paintTo(to weekPlace) {
	if !g.isGoing {
		g.going, g.isGoing = g.week.turned([]int{g.place.cell()}, g.brush), true
	}
	g.change(box(g.place.cell(), to.cell()), g.going)
}

// moved is where a key leads; ok is false if it is none that moves.
func (p weekPlace) moved(key fyne.KeyName) (to weekPlace, ok bool) {
	step := 1
	if p.row < 0 {
		step = 4
	}
	to = p
	switch key {
	case fyne.KeyLeft:
		to.column -= step
		if p.column <= 0 {
			to.column = -1
		}
	case fyne.KeyRight:
		to.column = min(dayCells-1, p.column+step)
		if p.column < 0 {
			to.column = 0
		}
	case fyne.KeyUp:
		to.row = max(p.row-1, -1)
	case fyne.KeyDown:
		to.row = min(p.row+1, weekDays-1)
	case fyne.KeyHome:
		to.column = 0
	case fyne.KeyEnd:
		to.column = dayCells - 1
	case fyne.KeyPageUp:
		to = weekPlace{0, max(p.column, 0)}
	case fyne.KeyPageDown:
		to = weekPlace{weekDays - 1, max(p.column, 0)}
	default:
		return p, false
	}
	switch {
	case to.row >= 0:
	case to.column < 0: // there is nothing in the corner
		if p.row >= 0 {
			return p, true
		}
		to.column = 0
	default:
		to.column -= to.column % 4
	}
	return to, true
}

// cellNow is the cell of a moment, by this computer's clock.
func cellNow(at time.Time) int {
	at = at.Local()
	return (int(at.Weekday())+6)%7*dayCells + at.Hour()*4 + at.Minute()/15
}
