package statistics

import (
	"image"
	"image/color"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/ring/chart"
	"github.com/forage-net/forage/ui/ring/paint"
	"github.com/forage-net/forage/ui/ring/palette"
)

// chartHeight is that of the dashboard's charts.
const chartHeight = 230

// chartView is a chart. The mouse, or the arrow keys, tell what its values are.
type chartView struct {
	widget.BaseWidget
	d     *desk.Desk
	chart *chart.Chart
	is    overTime
	known bool
	// at is the value that is told, -1 for none.
	at      int
	focused bool
	// pixels is how many pixels there are to a unit, as drawn last.
	pixels float64
}

var (
	_ fyne.Focusable    = (*chartView)(nil)
	_ fyne.Tappable     = (*chartView)(nil)
	_ desktop.Hoverable = (*chartView)(nil)
)

func newChartView(d *desk.Desk) *chartView {
	c := &chartView{d: d, chart: chart.New(chartFonts()), at: -1, pixels: 1}
	c.ExtendBaseWidget(c)
	return c
}

// chartFonts are those of the window.
func chartFonts() paint.Fonts {
	return paint.Fonts{Regular: theme.TextFont().Content(), Bold: theme.TextBoldFont().Content()}
}

// show shows other values; known says that they are, and not only not asked for yet. What is told stays told,
// if it is of the same times.
func (c *chartView) show(o overTime, known bool) {
	same := len(o.times) == len(c.is.times) && len(o.times) > 0 && o.times[0].Equal(c.is.times[0]) &&
		o.measure.name == c.is.measure.name
	at := -1
	if same && o.sum > 0 {
		at = c.at
	}
	c.is, c.known = o, known
	c.fill(c.chart)
	c.at = -2
	c.tell(at)
}

// fill gives a chart the values and its words.
func (c *chartView) fill(to *chart.Chart) {
	d, o := c.d, c.is
	empty := " "
	if c.known {
		empty = d.T("mine.nothing")
	}
	to.SetWords(chart.Words{
		Value: func(v float64) string { return o.measure.write(d.Speech, v) },
		When:  func(at time.Time) string { return tickText(d, o.period, at) },
		Empty: empty,
	})
	data := chart.Data{Kind: chart.Bars, Unit: o.period.unit, Stacked: true, Counted: o.measure.counted}
	if o.sum > 0 {
		for _, at := range o.times {
			data.Times = append(data.Times, zoneOf(o.period, at))
		}
		data.Series = []chart.Series{{Name: d.T(o.measure.key), Values: o.values[0]}}
		if o.measure.parts[0] != "" {
			data.Series = []chart.Series{{Name: d.T(o.measure.parts[0]), Values: o.values[0]},
				{Name: d.T(o.measure.parts[1]), Values: o.values[1]}}
		}
	}
	if o.sum > 0 && o.way.compared {
		data.Before, data.BeforeName = o.before, d.T("mine.before")
	}
	to.Set(data)
}

// tell says what one value is, -1 for none.
func (c *chartView) tell(at int) {
	if at >= len(c.is.times) || c.is.sum == 0 {
		at = -1
	}
	if at == c.at {
		return
	}
	c.at = at
	c.chart.Highlight(at)
	c.Refresh()
}

// told is what is said of the value that is told, "" if none is.
func (c *chartView) told() string {
	if c.at < 0 {
		return ""
	}
	return valueText(c.d, c.is, c.at)
}

// MouseIn implements desktop.Hoverable, as do MouseMoved and MouseOut.
func (c *chartView) MouseIn(e *desktop.MouseEvent) { c.point(e.Position) }

// MouseMoved implements desktop.Hoverable.
func (c *chartView) MouseMoved(e *desktop.MouseEvent) { c.point(e.Position) }

// MouseOut implements desktop.Hoverable.
func (c *chartView) MouseOut() { c.tell(-1) }

func (c *chartView) point(at fyne.Position) {
	if i, ok := c.chart.At(float64(at.X-chartMargin) * c.pixels); ok {
		c.tell(i)
		return
	}
	c.tell(-1)
}

// Tapped implements fyne.Tappable.
func (c *chartView) Tapped(e *fyne.PointEvent) {
	if canvas := fyne.CurrentApp().Driver().CanvasForObject(c); canvas != nil {
		canvas.Focus(c)
	}
	c.point(e.Position)
}

// FocusGained implements fyne.Focusable, as do FocusLost, TypedRune and TypedKey.
func (c *chartView) FocusGained() { c.focused = true; c.Refresh() }

// FocusLost implements fyne.Focusable.
func (c *chartView) FocusLost() {
	c.focused = false
	c.tell(-1)
	c.Refresh()
}

// TypedRune implements fyne.Focusable.
func (c *chartView) TypedRune(rune) {}

// TypedKey implements fyne.Focusable: left and right go through the values, from the last one.
func (c *chartView) TypedKey(e *fyne.KeyEvent) {
	last, to := len(c.is.times)-1, c.at
	switch e.Name {
	case fyne.KeyLeft:
		to--
		if c.at < 0 {
			to = last
		}
	case fyne.KeyRight:
		to++
		if c.at < 0 {
			to = last
		}
	case fyne.KeyHome:
		to = 0
	case fyne.KeyEnd:
		to = last
	case fyne.KeyEscape:
		c.tell(-1)
		return
	default:
		return
	}
	c.tell(max(0, min(to, last)))
}

// middle is where the bar of a value stands, in units from the left of the chart.
func (c *chartView) middle(at int, width float32) float32 {
	first, last := float32(-1), float32(0)
	for x := float32(0); x < width; x++ {
		if i, ok := c.chart.At(float64(x) * c.pixels); ok && i == at {
			if first < 0 {
				first = x
			}
			last = x
		} else if first >= 0 {
			break
		}
	}
	if first < 0 { // narrower than a unit
		return width * (float32(at) + 0.5) / float32(max(1, len(c.is.times)))
	}
	return (first + last) / 2
}

// draw is the picture, in pixels.
func (c *chartView) draw(w, h int) image.Image {
	if width := c.Size().Width - 2*chartMargin; width > 0 {
		c.pixels = float64(w) / float64(width)
	}
	c.chart.SetLook(chartLook())
	return c.chart.Draw(w, h, c.pixels)
}

func chartLook() palette.Look { return palette.In(look.Dark()) }

// chartMargin is left free around the chart for the frame that shows the focus.
const chartMargin = 4

// CreateRenderer implements fyne.Widget.
func (c *chartView) CreateRenderer() fyne.WidgetRenderer {
	r := &chartRenderer{c: c, raster: canvas.NewRaster(c.draw), frame: canvas.NewRectangle(color.Transparent),
		tip: canvas.NewRectangle(color.Transparent), text: canvas.NewText("", color.Black)}
	r.Refresh()
	return r
}

type chartRenderer struct {
	c          *chartView
	raster     *canvas.Raster
	frame, tip *canvas.Rectangle
	text       *canvas.Text
}

func (r *chartRenderer) MinSize() fyne.Size { return fyne.NewSize(280, chartHeight) }
func (r *chartRenderer) Destroy()           {}
func (r *chartRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.raster, r.frame, r.tip, r.text}
}
func (r *chartRenderer) Layout(size fyne.Size) {
	r.frame.Resize(size)
	r.raster.Move(fyne.NewPos(chartMargin, chartMargin))
	r.raster.Resize(size.SubtractWidthHeight(2*chartMargin, 2*chartMargin))
	r.place(size)
}

// place puts what is told above its bar.
func (r *chartRenderer) place(size fyne.Size) {
	c := r.c
	on := c.at >= 0 && size.Width > 0
	boxes.Show(r.tip, on)
	boxes.Show(r.text, on)
	if !on {
		return
	}
	r.text.Text = c.told()
	need := r.text.MinSize().AddWidthHeight(16, 8)
	x := chartMargin + c.middle(c.at, size.Width-2*chartMargin) - need.Width/2
	x = max(chartMargin, min(x, size.Width-chartMargin-need.Width))
	r.tip.Resize(need)
	r.tip.Move(fyne.NewPos(x, chartMargin))
	r.text.Move(fyne.NewPos(x+8, chartMargin+4))
	r.text.Resize(r.text.MinSize())
}

func (r *chartRenderer) Refresh() {
	r.frame.StrokeWidth, r.frame.CornerRadius = 0, 6
	if r.c.focused {
		r.frame.StrokeColor, r.frame.StrokeWidth = look.Color(theme.ColorNamePrimary), 2
	}
	r.tip.FillColor, r.tip.StrokeColor, r.tip.StrokeWidth,
		r.tip.CornerRadius = look.Color(theme.ColorNameOverlayBackground), look.Color(theme.ColorNameInputBorder), 1, 6
	r.text.Color, r.text.TextSize = look.Color(theme.ColorNameForeground), theme.CaptionTextSize()
	r.place(r.c.Size())
	r.raster.Refresh()
	canvas.Refresh(r.c)
}
