package week

import (
	"image"
	"image/color"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// Painter is a week with what to paint it with, and its summary in words.
type Painter struct {
	Grid    *weekGrid
	brushes []*controls.ChoiceCard
	said    *widget.Label
	summary *widget.Label
	Box     *fyne.Container
}

// brushes are in this order.
var brushes = []level{levelFull, levelGentle, levelOff}

// NewPainter makes a painter; painted is called when a stroke is done.
func NewPainter(d *desk.Desk, painted func(Week)) *Painter {
	p := &Painter{said: texts.Line(""), summary: texts.Prose("")}
	p.summary.TextStyle.Bold = true
	p.Grid = newWeekGrid(d, func(w Week) {
		texts.Set(p.summary, "") // until somebody puts the one of what is painted now
		painted(w)
	}, func(text string) { texts.Set(p.said, text) })
	row := container.New(&layouts.Flow{Gap: 6}, container.New(layout.NewCustomPaddedLayout(4, 0, 0, 0),
		widget.NewLabel(d.T("week.brush"))))
	for _, l := range brushes {
		inside := container.NewHBox(container.NewCenter(newSwatch(l)),
			widget.NewLabel(d.T("week.level."+strconv.Itoa(int(l)))))
		c := controls.NewChoiceCard(inside, func() { p.take(l) })
		p.brushes = append(p.brushes, c)
		row.Add(c)
	}
	controls.ChooseOneOf(p.brushes)
	p.take(levelFull)
	below := container.New(layout.NewCustomPaddedVBoxLayout(-10), p.said, p.summary, texts.Fine(d.T("week.help")))
	p.Box = container.NewVBox(row, boxes.Edge(p.Grid), below)
	return p
}

// take changes what is painted with.
func (p *Painter) take(l level) {
	p.Grid.brush, p.Grid.isGoing = l, false
	for i, c := range p.brushes {
		c.Put(brushes[i] == l)
	}
}

// Painted is what is painted by now.
func (p *Painter) Painted() Week { return p.Grid.week }

// Put shows another week and its summary, unless a stroke is being made.
func (p *Painter) Put(w Week, summary string) {
	if p.Grid.stroke == nil {
		p.Grid.put(w)
		texts.Set(p.summary, summary)
	}
}

// newSwatch is a little of what a level looks like in the grid.
func newSwatch(l level) fyne.CanvasObject {
	r := canvas.NewRasterWithPixels(func(x, y, w, h int) color.Color {
		inks := inksNow()
		if !image.Pt(x, y).In(image.Rect(1, 1, w-1, h-1)) {
			return look.Color(look.Soft)
		}
		return inks.of(l, y%5 < 2)
	})
	r.SetMinSize(fyne.NewSquareSize(18))
	return r
}
