package desktop

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/look"
)

// choiceCard is one of several things to choose from, each in a box of its own.
type choiceCard struct {
	widget.BaseWidget
	inside           fyne.CanvasObject
	on               bool
	focused, hovered bool
	choose           func()
	// step, if not nil, goes to the card before or after.
	step  func(by int)
	enter func()
}

var (
	_ fyne.Focusable    = (*choiceCard)(nil)
	_ fyne.Tappable     = (*choiceCard)(nil)
	_ desktop.Hoverable = (*choiceCard)(nil)
)

func newChoiceCard(inside fyne.CanvasObject, choose func()) *choiceCard {
	c := &choiceCard{inside: inside, choose: choose}
	c.ExtendBaseWidget(c)
	return c
}

// chooseOneOf makes cards of which the arrow keys choose the one before and after.
func chooseOneOf(cards []*choiceCard) {
	for i, c := range cards {
		c.step = func(by int) {
			to := cards[(i+by+len(cards))%len(cards)]
			focus(to)
			to.choose()
		}
	}
}

func (c *choiceCard) put(on bool) {
	if c.on != on {
		c.on = on
		c.Refresh()
	}
}

// Tapped implements fyne.Tappable.
func (c *choiceCard) Tapped(*fyne.PointEvent) { focus(c); c.choose() }

// MouseIn implements desktop.Hoverable, as do MouseMoved and MouseOut.
func (c *choiceCard) MouseIn(*desktop.MouseEvent) { c.hovered = true; c.Refresh() }

// MouseMoved implements desktop.Hoverable.
func (c *choiceCard) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (c *choiceCard) MouseOut() { c.hovered = false; c.Refresh() }

// FocusGained implements fyne.Focusable.
func (c *choiceCard) FocusGained() { c.focused = true; c.Refresh(); reveal(c) }

// FocusLost implements fyne.Focusable.
func (c *choiceCard) FocusLost() { c.focused = false; c.Refresh() }

// TypedRune implements fyne.Focusable.
func (c *choiceCard) TypedRune(rune) {}

// TypedKey implements fyne.Focusable: space chooses, arrows go to the next, and Enter goes on.
func (c *choiceCard) TypedKey(e *fyne.KeyEvent) {
	switch {
	case e.Name == fyne.KeySpace, isEnter(e) && c.enter == nil:
		c.choose()
	case isEnter(e):
		c.enter()
	case e.Name == fyne.KeyPageUp, e.Name == fyne.KeyPageDown, c.step == nil:
		scrollBy(c, e.Name)
	case e.Name == fyne.KeyUp, e.Name == fyne.KeyLeft:
		c.step(-1)
	case e.Name == fyne.KeyDown, e.Name == fyne.KeyRight:
		c.step(1)
	}
}

// CreateRenderer implements fyne.Widget.
func (c *choiceCard) CreateRenderer() fyne.WidgetRenderer {
	r := &choiceRenderer{c: c, back: canvas.NewRectangle(color.Transparent),
		rim: canvas.NewCircle(color.Transparent), dot: canvas.NewCircle(color.Transparent)}
	r.Refresh()
	return r
}

const (
	choicePad  = 12
	choiceMark = 16
)

type choiceRenderer struct {
	c        *choiceCard
	back     *canvas.Rectangle
	rim, dot *canvas.Circle
}

func (r *choiceRenderer) Layout(size fyne.Size) {
	r.back.Resize(size)
	r.rim.Move(fyne.NewPos(choicePad, choicePad))
	r.rim.Resize(fyne.NewSquareSize(choiceMark))
	r.dot.Move(fyne.NewPos(choicePad+4, choicePad+4))
	r.dot.Resize(fyne.NewSquareSize(choiceMark - 8))
	left := float32(2*choicePad + choiceMark - 6)
	r.c.inside.Move(fyne.NewPos(left, 3))
	r.c.inside.Resize(fyne.NewSize(size.Width-left-6, size.Height-6))
}

func (r *choiceRenderer) MinSize() fyne.Size {
	inside := r.c.inside.MinSize()
	return fyne.NewSize(inside.Width+2*choicePad+choiceMark, max(inside.Height+6, choiceMark+2*choicePad))
}

func (r *choiceRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.back, r.rim, r.dot, r.c.inside}
}

func (r *choiceRenderer) Destroy() {}

func (r *choiceRenderer) Refresh() {
	c := r.c
	ground, line := look.Card, theme.ColorNameSeparator
	switch {
	case c.on:
		ground, line = look.LeafPale, theme.ColorNamePrimary
	case c.hovered:
		line = theme.ColorNameInputBorder
	}
	r.back.FillColor, r.back.StrokeColor, r.back.StrokeWidth, r.back.CornerRadius = look.Color(ground),
		look.Color(line), 1, 10
	if c.focused {
		r.back.StrokeColor, r.back.StrokeWidth = look.Color(theme.ColorNamePrimary), 3
	}
	r.rim.StrokeColor, r.rim.StrokeWidth = look.Color(theme.ColorNameInputBorder), 2
	r.dot.FillColor = color.Transparent
	if c.on {
		r.rim.StrokeColor, r.dot.FillColor = look.Color(theme.ColorNamePrimary), look.Color(theme.ColorNamePrimary)
	}
	r.back.Refresh()
	r.rim.Refresh()
	r.dot.Refresh()
	c.inside.Refresh()
}
