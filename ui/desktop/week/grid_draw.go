package week

import (
	"image"
	"image/color"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"

	"github.com/forage-net/forage/ui/desktop/look"
)

const (
	gridLeft = 40 // width of the days' names
	gridTop  = 22 // height of the hours
	gridRow  = 28
	gridCell = 4 // least width of a quarter of an hour
	// gridEvery is how many hours there are from one number to the next.
	gridEvery = 3
)

// CreateRenderer implements fyne.Widget.
func (g *weekGrid) CreateRenderer() fyne.WidgetRenderer {
	r := &weekRenderer{g: g, focus: canvas.NewRectangle(color.Transparent),
		hover: canvas.NewRectangle(color.Transparent), now: canvas.NewRectangle(color.Transparent)}
	r.halo = canvas.NewRectangle(color.Transparent)
	r.cells = canvas.NewRaster(r.draw)
	for day := range weekDays {
		r.days[day] = canvas.NewText(g.d.Weekday(day), color.Black)
	}
	for i := range r.hours {
		r.hours[i] = canvas.NewText(strconv.Itoa(i*gridEvery), color.Black)
	}
	r.Refresh()
	return r
}

type weekRenderer struct {
	g                 *weekGrid
	cells             *canvas.Raster
	focus, hover, now *canvas.Rectangle
	halo              *canvas.Rectangle // keeps the focus apart from what is below it
	days              [weekDays]*canvas.Text
	hours             [24 / gridEvery]*canvas.Text

	// What was drawn last, and of what.
	img   *image.NRGBA
	week  Week
	inks  weekInks
	drawn bool
}

func (r *weekRenderer) MinSize() fyne.Size {
	return fyne.NewSize(gridLeft+gridCell*dayCells, gridTop+gridRow*weekDays)
}

func (r *weekRenderer) Destroy() {}

func (r *weekRenderer) Objects() []fyne.CanvasObject {
	objects := []fyne.CanvasObject{r.cells}
	for _, t := range r.days {
		objects = append(objects, t)
	}
	for _, t := range r.hours {
		objects = append(objects, t)
	}
	return append(objects, r.now, r.hover, r.halo, r.focus)
}

func (r *weekRenderer) Layout(size fyne.Size) {
	r.cells.Move(fyne.NewPos(gridLeft, gridTop))
	r.cells.Resize(fyne.NewSize(size.Width-gridLeft, size.Height-gridTop))
	row := (size.Height - gridTop) / weekDays
	for day, t := range r.days {
		t.Move(fyne.NewPos(6, gridTop+float32(day)*row+(row-t.MinSize().Height)/2))
	}
	for i, t := range r.hours {
		t.Move(fyne.NewPos(r.left(i*gridEvery*4, size), 2))
	}
	r.mark(size)
}

// left is where a column begins.
func (r *weekRenderer) left(column int, size fyne.Size) float32 {
	return gridLeft + float32(column)*(size.Width-gridLeft)/dayCells
}

// mark puts the frames around what has the focus and the pointer, and the line of this moment.
func (r *weekRenderer) mark(size fyne.Size) {
	g := r.g
	r.frame(r.halo, g.place, g.focused, size)
	r.frame(r.focus, g.place, g.focused, size)
	r.frame(r.hover, g.hover, g.hovered && g.stroke == nil, size)
	row := (size.Height - gridTop) / weekDays
	now := cellNow(g.d.Now())
	r.now.Move(fyne.NewPos(r.left(now%dayCells, size), gridTop+float32(now/dayCells)*row))
	r.now.Resize(fyne.NewSize(3, row))
}

func (r *weekRenderer) frame(o *canvas.Rectangle, p weekPlace, on bool, size fyne.Size) {
	if !on {
		o.Hide()
		return
	}
	row := (size.Height - gridTop) / weekDays
	at, box := fyne.NewPos(1, 1), fyne.NewSize(gridLeft-2, gridTop-2)
	if p.row >= 0 {
		at.Y, box.Height = gridTop+float32(p.row)*row, row
	}
	if p.column >= 0 {
		at.X, box.Width = r.left(p.column, size), (size.Width-gridLeft)/dayCells
		if p.row < 0 {
			box.Width *= 4
		}
	}
	if p.onCell() { // the frame is around the cell, which is narrow
		at, box = at.SubtractXY(2, 1), box.Add(fyne.NewSize(4, 2))
	}
	o.Move(at)
	o.Resize(box)
	o.Show()
}

func (r *weekRenderer) Refresh() {
	r.focus.StrokeColor, r.focus.StrokeWidth, r.focus.CornerRadius = look.Color(look.AmberMark), 3, 3
	r.halo.StrokeColor, r.halo.StrokeWidth, r.halo.CornerRadius = look.Color(theme.ColorNameBackground), 6, 3
	r.hover.StrokeColor, r.hover.StrokeWidth, r.hover.CornerRadius = look.Color(theme.ColorNameForeground), 1.5, 2
	r.now.FillColor = look.Color(look.AmberMark)
	for _, t := range r.days {
		t.Color, t.TextSize = look.Color(theme.ColorNameForeground), theme.CaptionTextSize()
		t.Refresh()
	}
	for _, t := range r.hours {
		t.Color, t.TextSize = look.Color(look.Soft), theme.CaptionTextSize()
		t.Refresh()
	}
	r.mark(r.g.Size())
	for _, o := range []*canvas.Rectangle{r.halo, r.focus, r.hover, r.now} {
		o.Refresh()
	}
	if !r.drawn || r.week != r.g.shown() || r.inks != inksNow() {
		r.drawn = false
		r.cells.Refresh()
	}
}

// weekInks are the colours of the cells.
type weekInks struct{ off, pale, full, line color.NRGBA }

func inksNow() weekInks {
	ink := func(name fyne.ThemeColorName) color.NRGBA {
		return color.NRGBAModel.Convert(look.Color(name)).(color.NRGBA)
	}
	return weekInks{ink(look.Card), ink(look.LeafPale), ink(theme.ColorNamePrimary), ink(theme.ColorNameSeparator)}
}

// draw makes the picture of the cells, if anything in it differs from the last.
func (r *weekRenderer) draw(w, h int) image.Image {
	is, inks := r.g.shown(), inksNow()
	if r.img == nil || r.img.Rect.Dx() != w || r.img.Rect.Dy() != h {
		r.img, r.drawn = image.NewNRGBA(image.Rect(0, 0, w, h)), false
	}
	if !r.drawn || is != r.week || inks != r.inks {
		scale := float32(1)
		if width := r.cells.Size().Width; width > 0 {
			scale = float32(w) / width
		}
		drawWeek(r.img, &is, inks, scale)
		r.week, r.inks, r.drawn = is, inks, true
	}
	return r.img
}

// drawWeek fills a picture with a week: nothing, stripes or full, with lines between days and hours.
func drawWeek(img *image.NRGBA, w *Week, inks weekInks, scale float32) {
	wide, high := img.Rect.Dx(), img.Rect.Dy()
	thin := max(1, int(scale+0.5))
	stripe := max(2, int(5*scale+0.5))
	for y := range high {
		day := min(weekDays-1, y*weekDays/high)
		top := day > 0 && y-(day*high+weekDays-1)/weekDays < thin
		striped := y%stripe < max(1, int(1.5*scale+0.5))
		for x := range wide {
			column := min(dayCells-1, x*dayCells/wide)
			ink := inks.of(w[day*dayCells+column], striped)
			if top || x < thin || y < thin || x >= wide-thin || y >= high-thin || column%4 == 0 &&
				x-(column*wide+dayCells-1)/dayCells < thin {
				ink = inks.line
			}
			img.SetNRGBA(x, y, ink)
		}
	}
}

func (i weekInks) of(l level, striped bool) color.NRGBA {
	switch {
	case l == levelFull, l == levelGentle && striped:
		return i.full
	case l == levelGentle:
		return i.pale
	}
	return i.off
}
