package desktop

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

// enterButton is a button that the Enter key presses too.
type enterButton struct {
	widget.Button
	focused bool
}

func newEnterButton(text string, importance widget.Importance, tapped func()) *enterButton {
	b := &enterButton{}
	b.Text, b.Importance, b.OnTapped = text, importance, tapped
	b.ExtendBaseWidget(b)
	return b
}

// TypedKey implements fyne.Focusable.
func (b *enterButton) TypedKey(e *fyne.KeyEvent) {
	if isEnter(e) {
		b.Tapped(nil)
		return
	}
	scrollBy(b, e.Name)
	b.Button.TypedKey(e)
}

// FocusGained implements fyne.Focusable.
func (b *enterButton) FocusGained() { b.focused = true; b.Button.FocusGained(); reveal(b) }

// FocusLost implements fyne.Focusable.
func (b *enterButton) FocusLost() { b.focused = false; b.Button.FocusLost() }

// CreateRenderer implements fyne.Widget: a frame says where the keyboard is, which the toolkit's tint does not on a
// button in the main colour.
func (b *enterButton) CreateRenderer() fyne.WidgetRenderer {
	r := &frameRenderer{b.Button.CreateRenderer(), b, canvas.NewRectangle(color.Transparent)}
	r.mark()
	return r
}

type frameRenderer struct {
	fyne.WidgetRenderer
	b     *enterButton
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

func isEnter(e *fyne.KeyEvent) bool { return e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter }

// tickBox is a box to tick. The Enter key does what the button beside it does.
type tickBox struct {
	widget.Check
	enter func()
}

func newTickBox(text string, changed func(bool)) *tickBox {
	b := &tickBox{}
	b.Text, b.OnChanged = " "+text, changed // the toolkit leaves no room beside the box
	b.ExtendBaseWidget(b)
	return b
}

// TypedRune implements fyne.Focusable. The key counts, and not the letter that comes behind it: that of a key
// which turned to the next screen comes to what has the focus there, and must not tick it.
func (b *tickBox) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (b *tickBox) TypedKey(e *fyne.KeyEvent) {
	switch {
	case e.Name == fyne.KeySpace && !b.Disabled():
		b.SetChecked(!b.Checked)
	case isEnter(e) && b.enter != nil:
		b.enter()
	}
	scrollBy(b, e.Name)
}

// FocusGained implements fyne.Focusable.
func (b *tickBox) FocusGained() { b.Check.FocusGained(); reveal(b) }

// put sets it without telling anybody.
func (b *tickBox) put(on bool) {
	if b.Checked != on {
		b.Checked = on
		b.Refresh()
	}
}

// newUnfolding is a line that opens and closes what is below it.
func newUnfolding(title string, open bool, inside fyne.CanvasObject) *fyne.Container {
	var head *enterButton
	put := func(open bool) {
		head.Icon = theme.MenuExpandIcon()
		if open {
			head.Icon = theme.MenuDropDownIcon()
		}
		head.Refresh()
		boxes.Show(inside, open)
	}
	head = newEnterButton(title, widget.LowImportance, func() { put(!inside.Visible()) })
	put(open)
	return container.New(layout.NewCustomPaddedVBoxLayout(2), container.NewHBox(head), inside)
}

// readable keeps what is in it to a width that is good to read, in the middle of what there is.
type readable struct{ most float32 }

// Layout implements fyne.Layout.
func (m readable) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	wide := min(size.Width, m.most)
	for _, o := range objects {
		o.Move(fyne.NewPos((size.Width-wide)/2, 0))
		o.Resize(fyne.NewSize(wide, size.Height))
	}
}

// MinSize implements fyne.Layout.
func (m readable) MinSize(objects []fyne.CanvasObject) (least fyne.Size) {
	for _, o := range objects {
		least = least.Max(o.MinSize())
	}
	return least
}
