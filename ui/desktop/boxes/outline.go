package boxes

import (
	"fmt"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// outline is a thin line with round corners around something, with no ground of its own. Where the processor
// draws, a ground with round corners costs 24 ns for each of its pixels in every frame, half a million of them
// on a page, and a line nearly nothing.
type outline struct {
	widget.BaseWidget
	inside fyne.CanvasObject
}

func newOutline(inside fyne.CanvasObject) *outline {
	o := &outline{inside: inside}
	o.ExtendBaseWidget(o)
	return o
}

// Corner is the radius of the corners.
const Corner = 12

// corners are quarters of a circle, clockwise from the upper left.
var corners = [...]string{"M0.5 12A11.5 11.5 0 0 1 12 0.5", "M0 0.5A11.5 11.5 0 0 1 11.5 12",
	"M11.5 0A11.5 11.5 0 0 1 0 11.5", "M12 11.5A11.5 11.5 0 0 1 0.5 0"}

// CreateRenderer implements fyne.Widget.
func (o *outline) CreateRenderer() fyne.WidgetRenderer {
	r := &outlineRenderer{o: o, objects: []fyne.CanvasObject{o.inside}}
	for i := range corners {
		r.lines[i], r.corners[i] = canvas.NewRectangle(color.Transparent), canvas.NewImageFromResource(nil)
		r.objects = append(r.objects, r.lines[i], r.corners[i])
	}
	r.style()
	return r
}

type outlineRenderer struct {
	o       *outline
	lines   [4]*canvas.Rectangle // top, right, bottom, left
	corners [4]*canvas.Image
	objects []fyne.CanvasObject
}

func (r *outlineRenderer) Layout(size fyne.Size) {
	r.o.inside.Resize(size)
	across, down := fyne.NewSize(size.Width-2*Corner, 1), fyne.NewSize(1, size.Height-2*Corner)
	for i, at := range []fyne.Position{{X: Corner}, {X: size.Width - 1, Y: Corner}, {X: Corner, Y: size.Height - 1},
		{Y: Corner}} {
		r.lines[i].Move(at)
		if i%2 == 0 {
			r.lines[i].Resize(across)
		} else {
			r.lines[i].Resize(down)
		}
	}
	for i, at := range []fyne.Position{{}, {X: size.Width - Corner},
		{X: size.Width - Corner, Y: size.Height - Corner}, {Y: size.Height - Corner}} {
		r.corners[i].Move(at)
		r.corners[i].Resize(fyne.NewSquareSize(Corner))
	}
}

func (r *outlineRenderer) MinSize() fyne.Size           { return r.o.inside.MinSize() }
func (r *outlineRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *outlineRenderer) Destroy()                     {}

func (r *outlineRenderer) Refresh() {
	r.style()
	for i := range r.lines {
		r.lines[i].Refresh()
		r.corners[i].Refresh()
	}
	r.o.inside.Refresh()
}

func (r *outlineRenderer) style() {
	ink := look.Color(theme.ColorNameSeparator)
	red, green, blue, _ := ink.RGBA()
	hex := fmt.Sprintf("#%02x%02x%02x", red>>8, green>>8, blue>>8)
	for i, path := range corners {
		r.lines[i].FillColor = ink
		svg := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d">`+
			`<path fill="none" stroke="%s" d="%s"/></svg>`, Corner, Corner, hex, path)
		r.corners[i].Resource = fyne.NewStaticResource(fmt.Sprintf("corner-%d-%s.svg", i, hex[1:]), []byte(svg))
	}
}

// Frame is a card without a ground, for a page that is drawn often.
func Frame(title string, note fyne.CanvasObject, inside ...fyne.CanvasObject) fyne.CanvasObject {
	var head fyne.CanvasObject = texts.Strong(title)
	if note != nil {
		head = container.NewBorder(nil, nil, nil, container.NewCenter(note), head)
	}
	rows := append([]fyne.CanvasObject{head}, inside...)
	return newOutline(Pad(10, container.New(layouts.Pile{Gap: 4}, rows...)))
}
