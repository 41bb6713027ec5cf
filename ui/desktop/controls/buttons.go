package controls

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/look"
)

// EnterButton is a button that the Enter key presses too.
type EnterButton struct {
	widget.Button
	focused bool
}

// NewEnterButton makes a button.
func NewEnterButton(text string, importance widget.Importance, tapped func()) *EnterButton {
	b := &EnterButton{}
	b.Text, b.Importance, b.OnTapped = text, importance, tapped
	b.ExtendBaseWidget(b)
	return b
}

// TypedKey implements fyne.Focusable.
func (b *EnterButton) TypedKey(e *fyne.KeyEvent) {
	if IsEnter(e) {
		b.Tapped(nil)
		return
	}
	scrollBy(b, e.Name)
	b.Button.TypedKey(e)
}

// FocusGained implements fyne.Focusable.
func (b *EnterButton) FocusGained() { b.focused = true; b.Button.FocusGained(); Reveal(b) }

// FocusLost implements fyne.Focusable.
func (b *EnterButton) FocusLost() { b.focused = false; b.Button.FocusLost() }

// CreateRenderer implements fyne.Widget: a frame says where the keyboard is, which the toolkit's tint does not on a
// button in the main colour.
func (b *EnterButton) CreateRenderer() fyne.WidgetRenderer {
	r := &frameRenderer{b.Button.CreateRenderer(), b, canvas.NewRectangle(color.Transparent)}
	r.mark()
	return r
}

type frameRenderer struct {
	fyne.WidgetRenderer
	b     *EnterButton
	frame *canvas.Rectangle
}

func (r *frameRenderer) Layout(size fyne.Size) {
	r.WidgetRenderer.Layout(size)
	r.frame.Move(fyne.NewPos(-3, -3))
	r.frame.Resize(size.AddWidthHeight(6, 6))
}

func (r *frameRenderer) Objects() []fyne.CanvasObject {
	return append(r.WidgetRenderer.Objects(), r.frame)
}

func (r *frameRenderer) Refresh() {
	r.WidgetRenderer.Refresh()
	r.mark()
}

func (r *frameRenderer) mark() {
	r.frame.StrokeColor, r.frame.StrokeWidth, r.frame.CornerRadius = look.Color(look.AmberMark), 2, 8
	r.frame.Hidden = !r.b.focused
	r.frame.Refresh()
}

// IsEnter reports whether a key is one of the two for Enter.
func IsEnter(e *fyne.KeyEvent) bool { return e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter }

// TickBox is a box to tick. The Enter key does what the button beside it does.
type TickBox struct {
	widget.Check
	Enter func()
}

// NewTickBox makes a box that is not ticked.
func NewTickBox(text string, changed func(bool)) *TickBox {
	b := &TickBox{}
	b.Text, b.OnChanged = " "+text, changed // the toolkit leaves no room beside the box
	b.ExtendBaseWidget(b)
	return b
}

// TypedRune implements fyne.Focusable. The key counts, and not the letter that comes behind it: that of a key
// which turned to the next screen comes to what has the focus there, and must not tick it.
func (b *TickBox) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (b *TickBox) TypedKey(e *fyne.KeyEvent) {
	switch {
	case e.Name == fyne.KeySpace && !b.Disabled():
		b.SetChecked(!b.Checked)
	case IsEnter(e) && b.Enter != nil:
		b.Enter()
	}
	scrollBy(b, e.Name)
}

// FocusGained implements fyne.Focusable.
func (b *TickBox) FocusGained() { b.Check.FocusGained(); Reveal(b) }

// Put sets it without telling anybody.
func (b *TickBox) Put(on bool) {
	if b.Checked != on {
		b.Checked = on
		b.Refresh()
	}
}

// NewUnfolding is a line that opens and closes what is below it.
func NewUnfolding(title string, open bool, inside fyne.CanvasObject) *fyne.Container {
	var head *EnterButton
	put := func(open bool) {
		head.Icon = theme.MenuExpandIcon()
		if open {
			head.Icon = theme.MenuDropDownIcon()
		}
		head.Refresh()
		boxes.Show(inside, open)
	}
	head = NewEnterButton(title, widget.LowImportance, func() { put(!inside.Visible()) })
	put(open)
	return container.New(layout.NewCustomPaddedVBoxLayout(2), container.NewHBox(head), inside)
}
