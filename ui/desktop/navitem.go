package desktop

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
)

// navItem is one line of the list of pages: a button that stays lit while its page is shown.
type navItem struct {
	widget.BaseWidget
	text     string
	icon     fyne.Resource
	tapped   func()
	selected bool
	focused  bool
	hovered  bool
}

var (
	_ fyne.Focusable    = (*navItem)(nil)
	_ fyne.Tappable     = (*navItem)(nil)
	_ desktop.Hoverable = (*navItem)(nil)
)

func newNavItem(text string, icon fyne.Resource, tapped func()) *navItem {
	n := &navItem{text: text, icon: icon, tapped: tapped}
	n.ExtendBaseWidget(n)
	return n
}

func (n *navItem) choose(on bool) {
	if n.selected != on {
		n.selected = on
		n.Refresh()
	}
}

// Tapped implements fyne.Tappable.
func (n *navItem) Tapped(*fyne.PointEvent) { n.tapped() }

// MouseIn implements desktop.Hoverable, as do MouseMoved and MouseOut.
func (n *navItem) MouseIn(*desktop.MouseEvent) { n.hovered = true; n.Refresh() }

// MouseMoved implements desktop.Hoverable.
func (n *navItem) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (n *navItem) MouseOut() { n.hovered = false; n.Refresh() }

// FocusGained implements fyne.Focusable.
func (n *navItem) FocusGained() { n.focused = true; n.Refresh() }

// FocusLost implements fyne.Focusable.
func (n *navItem) FocusLost() { n.focused = false; n.Refresh() }

// TypedRune implements fyne.Focusable.
func (n *navItem) TypedRune(rune) {}

// TypedKey implements fyne.Focusable: space and return are a tap.
func (n *navItem) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace || e.Name == fyne.KeyReturn || e.Name == fyne.KeyEnter {
		n.tapped()
	}
}

// CreateRenderer implements fyne.Widget.
func (n *navItem) CreateRenderer() fyne.WidgetRenderer {
	r := &navRenderer{n: n, back: canvas.NewRectangle(color.Transparent), icon: canvas.NewImageFromResource(n.icon),
		text: canvas.NewText(n.text, color.Black)}
	r.icon.FillMode = canvas.ImageFillContain
	r.icon.SetMinSize(fyne.NewSquareSize(20))
	r.row = container.New(layout.NewCustomPaddedLayout(8, 8, 12, 12),
		container.New(layout.NewCustomPaddedHBoxLayout(10), container.NewCenter(r.icon), container.NewCenter(r.text)))
	r.Refresh()
	return r
}

type navRenderer struct {
	n    *navItem
	back *canvas.Rectangle
	icon *canvas.Image
	text *canvas.Text
	row  *fyne.Container
}

func (r *navRenderer) Layout(size fyne.Size) {
	r.back.Resize(size)
	r.row.Resize(size)
}

// MinSize is that of the chosen line, whose text is bold: the list stays as wide whichever is.
func (r *navRenderer) MinSize() fyne.Size {
	size, style := theme.TextSize(), fyne.TextStyle{Bold: true}
	bold := fyne.MeasureText(r.n.text, size, style).Width - fyne.MeasureText(r.n.text, size, r.text.TextStyle).Width
	return r.row.MinSize().AddWidthHeight(bold, 0)
}

func (r *navRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.back, r.row} }
func (r *navRenderer) Destroy()                     {}
func (r *navRenderer) Refresh() {
	n := r.n
	tint := theme.ColorNameForeground
	r.back.FillColor, r.back.StrokeWidth, r.back.CornerRadius = color.Transparent, 0, 8
	switch {
	case n.selected:
		r.back.FillColor, tint = look.Color(look.LeafPale), theme.ColorNamePrimary
	case n.hovered:
		r.back.FillColor = look.Color(theme.ColorNameHover)
	}
	if n.focused {
		r.back.StrokeColor, r.back.StrokeWidth = look.Color(theme.ColorNamePrimary), 2
	}
	r.text.Text, r.text.Color, r.text.TextSize = n.text, look.Color(tint), theme.TextSize()
	r.text.TextStyle.Bold = n.selected
	r.icon.Resource = theme.NewColoredResource(n.icon, tint)
	r.back.Refresh()
	r.icon.Refresh()
	r.text.Refresh()
}
