package desktop

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/look"
)

// surface is a ground of a colour of the theme, with round corners and a thin line around.
type surface struct {
	widget.BaseWidget
	ground, line fyne.ThemeColorName // line is "" for none
	radius       float32
	inside       fyne.CanvasObject
}

func newSurface(ground, line fyne.ThemeColorName, radius float32, inside fyne.CanvasObject) *surface {
	s := &surface{ground: ground, line: line, radius: radius, inside: inside}
	s.ExtendBaseWidget(s)
	return s
}

// paint changes its ground.
func (s *surface) paint(ground fyne.ThemeColorName) {
	if s.ground != ground {
		s.ground = ground
		s.Refresh()
	}
}

// CreateRenderer implements fyne.Widget.
func (s *surface) CreateRenderer() fyne.WidgetRenderer {
	r := &surfaceRenderer{s: s, back: canvas.NewRectangle(color.Transparent)}
	r.Refresh()
	return r
}

type surfaceRenderer struct {
	s    *surface
	back *canvas.Rectangle
}

func (r *surfaceRenderer) Layout(size fyne.Size) {
	r.back.Resize(size)
	r.s.inside.Resize(size)
}
func (r *surfaceRenderer) MinSize() fyne.Size { return r.s.inside.MinSize() }
func (r *surfaceRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.back, r.s.inside}
}
func (r *surfaceRenderer) Destroy() {}
func (r *surfaceRenderer) Refresh() {
	r.back.FillColor = look.Color(r.s.ground)
	r.back.CornerRadius = r.s.radius
	r.back.StrokeWidth = 0
	if r.s.line != "" {
		r.back.StrokeColor, r.back.StrokeWidth = look.Color(r.s.line), 1
	}
	r.back.Refresh()
	r.s.inside.Refresh()
}

// pad puts an even margin around something.
func pad(by float32, inside fyne.CanvasObject) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(by, by, by, by), inside)
}

// card is a box with a title and what belongs together in it. note, which may be nil, stands at the
// right of the title.
func card(title string, note fyne.CanvasObject, inside ...fyne.CanvasObject) fyne.CanvasObject {
	var head fyne.CanvasObject = strong(title)
	if note != nil {
		head = container.NewBorder(nil, nil, nil, note, head)
	}
	rows := append([]fyne.CanvasObject{head}, inside...)
	return newSurface(look.Card, theme.ColorNameSeparator, 12, pad(12, container.NewVBox(rows...)))
}

// strong is a heading.
func strong(text string) *widget.Label {
	l := widget.NewLabelWithStyle(text, fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	l.SizeName = theme.SizeNameSubHeadingText
	return l
}

// prose is text that wraps.
func prose(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.Wrapping = fyne.TextWrapWord
	return l
}

// fine is text that is less important, and small; it wraps.
func fine(text string) *widget.Label {
	l := prose(text)
	l.Importance = widget.LowImportance
	l.SizeName = theme.SizeNameCaptionText
	return l
}

// line is text that is cut with an ellipsis where there is no room.
func line(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.Truncation = fyne.TextTruncateEllipsis
	return l
}

// setText changes a text only where it differs: each change draws the window again.
func setText(l *widget.Label, text string) {
	if l.Text != text {
		l.SetText(text)
	}
}

// link is a text to click on.
func link(text string, tapped func()) *widget.Hyperlink {
	l := widget.NewHyperlink(text, nil)
	l.OnTapped = tapped
	return l
}

// figure is a number with what it counts below.
type figure struct {
	*fyne.Container
	value, name *widget.Label
}

func newFigure(name string) *figure {
	value := widget.NewLabelWithStyle("–", fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	value.SizeName = theme.SizeNameHeadingText
	under := fine(name)
	return &figure{container.New(layout.NewCustomPaddedVBoxLayout(-12), value, under), value, under}
}

func (f *figure) set(value string) { setText(f.value, value) }

// show shows or hides an object where that is a change.
func show(o fyne.CanvasObject, on bool) {
	switch {
	case on && !o.Visible():
		o.Show()
		redraw()
	case !on && o.Visible():
		o.Hide()
	}
}

// redraw has the window drawn again. The toolkit does not see to it where an object is shown that was never drawn before,
// nor where a container is.
func redraw() {
	for _, w := range fyne.CurrentApp().Driver().AllWindows() {
		if c, ok := w.Canvas().(interface{ SetDirty() }); ok {
			c.SetDirty()
		}
	}
}
