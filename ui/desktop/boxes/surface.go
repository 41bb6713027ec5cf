package boxes

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// Surface is a ground of a colour of the theme, with round corners and a thin line around.
type Surface struct {
	widget.BaseWidget
	ground, Line fyne.ThemeColorName // line is "" for none
	radius       float32
	Inside       fyne.CanvasObject
}

// NewSurface puts a ground around something.
func NewSurface(ground, line fyne.ThemeColorName, radius float32, inside fyne.CanvasObject) *Surface {
	s := &Surface{ground: ground, Line: line, radius: radius, Inside: inside}
	s.ExtendBaseWidget(s)
	return s
}

// Paint changes its ground.
func (s *Surface) Paint(ground fyne.ThemeColorName) {
	if s.ground != ground {
		s.ground = ground
		s.Refresh()
	}
}

// CreateRenderer implements fyne.Widget.
func (s *Surface) CreateRenderer() fyne.WidgetRenderer {
	r := &surfaceRenderer{s: s, back: canvas.NewRectangle(color.Transparent)}
	r.Refresh()
	return r
}

type surfaceRenderer struct {
	s    *Surface
	back *canvas.Rectangle
}

func (r *surfaceRenderer) Layout(size fyne.Size) {
	r.back.Resize(size)
	r.s.Inside.Resize(size)
}
func (r *surfaceRenderer) MinSize() fyne.Size { return r.s.Inside.MinSize() }
func (r *surfaceRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.back, r.s.Inside}
}
func (r *surfaceRenderer) Destroy() {}
func (r *surfaceRenderer) Refresh() {
	r.back.FillColor = look.Color(r.s.ground)
	r.back.CornerRadius = r.s.radius
	r.back.StrokeWidth = 0
	if r.s.Line != "" {
		r.back.StrokeColor, r.back.StrokeWidth = look.Color(r.s.Line), 1
	}
	r.back.Refresh()
	r.s.Inside.Refresh()
}

// Pad puts an even margin around something.
func Pad(by float32, inside fyne.CanvasObject) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(by, by, by, by), inside)
}

// Card is a box with a title and what belongs together in it. note, which may be nil, stands at the
// right of the title.
func Card(title string, note fyne.CanvasObject, inside ...fyne.CanvasObject) fyne.CanvasObject {
	var head fyne.CanvasObject = texts.Strong(title)
	if note != nil {
		head = container.NewBorder(nil, nil, nil, note, head)
	}
	rows := append([]fyne.CanvasObject{head}, inside...)
	return NewSurface(look.Card, theme.ColorNameSeparator, 12, Pad(12, container.NewVBox(rows...)))
}

// Edge brings what is no text to the edges of the texts around it.
func Edge(o fyne.CanvasObject) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(0, 0, 8, 8), o)
}
