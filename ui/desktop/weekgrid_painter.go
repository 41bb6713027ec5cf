package desktop

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

// weekPainter is a week with what to paint it with, and its summary in words.
type weekPainter struct {
	d       *desk.Desk
	grid    *weekGrid
	brushes []*controls.ChoiceCard
	said    *widget.Label
	summary *widget.Label
	box     *fyne.Container
}

// brushes are in this order.
var brushes = []level{levelFull, levelGentle, levelOff}

func newWeekPainter(d *desk.Desk, painted func(week)) *weekPainter {
	p := &weekPainter{d: d, said: texts.Line(""), summary: texts.Prose("")}
	p.summary.TextStyle.Bold = true
	p.grid = newWeekGrid(d, func(w week) {
		texts.Set(p.summary, weekText(d.Speech, &w))
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
	p.box = container.NewVBox(row, boxes.Edge(p.grid), below)
	return p
}

// take changes what is painted with.
func (p *weekPainter) take(l level) {
	p.grid.brush, p.grid.isGoing = l, false
	for i, c := range p.brushes {
		c.Put(brushes[i] == l)
	}
}

func (p *weekPainter) put(w week) {
	p.grid.put(w)
	is := p.grid.shown()
	texts.Set(p.summary, weekText(p.d.Speech, &is))
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
