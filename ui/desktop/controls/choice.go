package controls

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// ChoiceCard is one of several things to choose from, each in a box of its own.
type ChoiceCard struct {
	widget.BaseWidget
	inside           fyne.CanvasObject
	On               bool
	focused, hovered bool
	choose           func()
	// step, if not nil, goes to the card before or after.
	step  func(by int)
	Enter func()
}

var (
	_ fyne.Focusable    = (*ChoiceCard)(nil)
	_ fyne.Tappable     = (*ChoiceCard)(nil)
	_ desktop.Hoverable = (*ChoiceCard)(nil)
)

// NewChoiceCard makes a card; choose is called when it is chosen.
func NewChoiceCard(inside fyne.CanvasObject, choose func()) *ChoiceCard {
	c := &ChoiceCard{inside: inside, choose: choose}
	c.ExtendBaseWidget(c)
	return c
}

// ChooseOneOf makes cards of which the arrow keys choose the one before and after.
func ChooseOneOf(cards []*ChoiceCard) {
	for i, c := range cards {
		c.step = func(by int) {
			to := cards[(i+by+len(cards))%len(cards)]
			Focus(to)
			to.choose()
		}
	}
}

// Put shows whether it is the one that is chosen.
func (c *ChoiceCard) Put(on bool) {
	if c.On != on {
		c.On = on
		c.Refresh()
	}
}

// Tapped implements fyne.Tappable.
func (c *ChoiceCard) Tapped(*fyne.PointEvent) { Focus(c); c.choose() }

// MouseIn implements desktop.Hoverable, as do MouseMoved and MouseOut.
func (c *ChoiceCard) MouseIn(*desktop.MouseEvent) { c.hovered = true; c.Refresh() }

// MouseMoved implements desktop.Hoverable.
func (c *ChoiceCard) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (c *ChoiceCard) MouseOut() { c.hovered = false; c.Refresh() }

// FocusGained implements fyne.Focusable.
func (c *ChoiceCard) FocusGained() { c.focused = true; c.Refresh(); Reveal(c) }

// FocusLost implements fyne.Focusable.
func (c *ChoiceCard) FocusLost() { c.focused = false; c.Refresh() }

// TypedRune implements fyne.Focusable.
func (c *ChoiceCard) TypedRune(rune) {}

// TypedKey implements fyne.Focusable: space chooses, arrows go to the next, and Enter goes on.
func (c *ChoiceCard) TypedKey(e *fyne.KeyEvent) {
	switch {
	case e.Name == fyne.KeySpace, IsEnter(e) && c.Enter == nil:
		c.choose()
	case IsEnter(e):
		c.Enter()
	case e.Name == fyne.KeyPageUp, e.Name == fyne.KeyPageDown, c.step == nil:
		scrollBy(c, e.Name)
	case e.Name == fyne.KeyUp, e.Name == fyne.KeyLeft:
		c.step(-1)
	case e.Name == fyne.KeyDown, e.Name == fyne.KeyRight:
		c.step(1)
	}
}

// CreateRenderer implements fyne.Widget.
func (c *ChoiceCard) CreateRenderer() fyne.WidgetRenderer {
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
	c        *ChoiceCard
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
	case c.On:
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
	if c.On {
		r.rim.StrokeColor, r.dot.FillColor = look.Color(theme.ColorNamePrimary), look.Color(theme.ColorNamePrimary)
	}
	r.back.Refresh()
	r.rim.Refresh()
	r.dot.Refresh()
	c.inside.Refresh()
}

// ChoiceText is what a preset is.
func ChoiceText(title, text string) fyne.CanvasObject {
	head := texts.Prose(title)
	head.TextStyle.Bold = true
	return container.New(layout.NewCustomPaddedVBoxLayout(-10), head, texts.Prose(text))
}
