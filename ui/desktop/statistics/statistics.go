// Package statistics is the page of what the node has done, since ever and over time: figures, a chart that can
// be saved, and the languages of pages.
package statistics

import (
	"context"
	"net/url"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/speech"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// Node is what the page asks.
type Node interface {
	Series(ctx context.Context, q api.SeriesQuery) (api.Series, error)
	Best(ctx context.Context, zone *time.Location) (api.Best, error)
}

const (
	// statsEvery is how often figures are asked for, bestEvery how often what stands out.
	statsEvery = 15 * time.Second
	bestEvery  = time.Minute
	// allYears are more than there will be.
	allYears = 1000
)

// Page are what the node has done, since ever and over time.
type Page struct {
	d       *desk.Desk
	node    Node
	looking bool
	period  period
	measure measure
	way     way
	// points are those of the period, as the node told them last; had says that it did.
	points []api.Point
	had    bool

	box     fyne.CanvasObject
	figures map[string]*texts.Figure
	best    *fyne.Container
	chart   *chartView
	twin    *widget.Label
	save    *widget.Button
	rows    map[string]*widget.Label
	tongues *tongues

	series *desk.Poll[api.Series]
	totals *desk.Poll[api.Series]
	stands *desk.Poll[api.Best]
}

// New makes the page. It asks nothing before somebody looks.
func New(d *desk.Desk, node Node) *Page {
	p := &Page{d: d, node: node, period: periods[2], measure: measures[0]}
	p.series = p.newSeries()
	p.totals = desk.NewPoll(d, statsEvery, func(ctx context.Context) (api.Series, error) {
		// Years are kept for ever: their sum is all there is.
		return node.Series(ctx, api.SeriesQuery{Unit: api.UnitYear, Limit: allYears})
	}, func(s api.Series) { p.total(s.Totals) })
	p.stands = desk.NewPoll(d, bestEvery, func(ctx context.Context) (api.Best, error) {
		return node.Best(ctx, time.Local)
	}, p.stand)
	ever, over := p.ever(), p.overTime()
	p.tongues = newTongues(d)
	both := container.New(&layouts.SideBySide{Least: 300, Gap: 10}, p.purposes(),
		boxes.Card(d.T("mine.languages"), nil, p.tongues.box))
	p.box = container.New(layout.NewCustomPaddedVBoxLayout(10), ever, over, both)
	p.draw()
	return p
}

// Content is what is shown, the same at each call.
func (p *Page) Content() fyne.CanvasObject { return p.box }

// Shown says whether somebody looks.
func (p *Page) Shown(on bool) {
	p.looking = on
	p.series.Run(on)
	p.totals.Run(on)
	p.stands.Run(on)
}

// Told takes how the node is.
func (p *Page) Told(l desk.Live) {
	if !p.looking || p.had {
		return
	}
	if l.Known && !l.Reachable {
		texts.Set(p.twin, p.d.Gone(l))
	}
}

// Happened takes events.
func (p *Page) Happened([]api.Event, bool) {}

// Figures and rows, in the order in which they stand.
var (
	everFigures = []string{"count.pages", "count.firsts", "mine.sites", "mine.links", "mine.received", "mine.helped"}
	purposeRows = []string{"mine.fromsites", "mine.tosites", "mine.frompeers", "mine.topeers", "mine.unchanged",
		"mine.duplicates", "mine.gone", "mine.failed"}
)

func (p *Page) ever() fyne.CanvasObject {
	p.figures = make(map[string]*texts.Figure)
	var cells []fyne.CanvasObject
	widest := float32(0)
	for _, key := range everFigures {
		widest = max(widest, fyne.MeasureText(p.d.T(key), theme.CaptionTextSize(), fyne.TextStyle{}).Width)
		p.figures[key] = texts.NewFigure(p.d.T(key))
		p.figures[key].Value.Truncation = fyne.TextTruncateEllipsis
		cells = append(cells, p.figures[key].Container)
	}
	p.best = container.New(layout.NewCustomPaddedVBoxLayout(-10))
	return boxes.Card(p.d.T("mine.ever"), nil, container.New(&layouts.Evenly{Least: widest + 2*theme.InnerPadding() + 1,
		Height: 58}, cells...), p.best)
}

func (p *Page) overTime() fyne.CanvasObject {
	d := p.d
	p.chart = newChartView(d)
	p.twin = texts.Fine("")
	p.save = widget.NewButtonWithIcon(d.T("window.statistics.save"), theme.DocumentSaveIcon(), p.savePicture)
	p.save.Importance = widget.LowImportance
	what, when := make([]string, len(measures)), make([]string, len(periods))
	for i, m := range measures {
		what[i] = d.T(m.key)
	}
	for i, t := range periods {
		when[i] = d.T("window.statistics.period." + t.name)
	}
	chooseWhat := widget.NewSelect(what, nil)
	chooseWhen := widget.NewSelect(when, nil)
	chooseWhat.SetSelectedIndex(0)
	chooseWhen.SetSelectedIndex(2)
	chooseWhat.OnChanged = func(string) { p.measure = measures[chooseWhat.SelectedIndex()]; p.draw() }
	chooseWhen.OnChanged = func(string) { p.turn(periods[chooseWhen.SelectedIndex()]) }
	choices := container.NewHBox(framed(150, chooseWhat), framed(160, chooseWhen))
	compare := widget.NewCheck(d.T("mine.compare"), func(on bool) { p.way.compared = on; p.draw() })
	sum := widget.NewCheck(d.T("mine.sum"), func(on bool) { p.way.summed = on; p.draw() })
	foot := container.NewBorder(nil, nil, nil, container.NewCenter(p.save), p.twin)
	return boxes.Card(d.T("mine.time"), choices, container.New(&layouts.Wrap{}, compare, sum), p.chart, foot)
}

// framed puts a line around something to choose from, which has the colour of the card it stands on.
func framed(width float32, inside fyne.CanvasObject) fyne.CanvasObject {
	return boxes.NewSurface(look.Card, theme.ColorNameInputBorder, theme.InputRadiusSize(),
		boxes.Pad(1, container.New(layouts.AtLeast{W: width}, inside)))
}

func (p *Page) purposes() fyne.CanvasObject {
	p.rows = make(map[string]*widget.Label)
	rows := container.New(layout.NewCustomPaddedVBoxLayout(-10))
	for _, key := range purposeRows {
		value := widget.NewLabelWithStyle("–", fyne.TextAlignTrailing, fyne.TextStyle{Bold: true})
		p.rows[key] = value
		rows.Add(container.NewBorder(nil, nil, nil, value, texts.Line(p.d.T(key))))
	}
	return boxes.Card(p.d.T("mine.purposes"), nil, rows)
}

// newSeries asks for the points of the period that is chosen.
func (p *Page) newSeries() *desk.Poll[api.Series] {
	chosen := p.period
	ask := func(ctx context.Context) (api.Series, error) { return p.node.Series(ctx, chosen.query(p.d.Now())) }
	return desk.NewPoll(p.d, statsEvery, ask, func(s api.Series) {
		p.points, p.had = s.Points, true
		p.draw()
	})
}

// turn shows another period.
func (p *Page) turn(to period) {
	if p.period == to {
		return
	}
	p.period, p.points, p.had = to, nil, false
	p.series.Run(false)
	p.series = p.newSeries()
	p.series.Run(p.looking)
	p.draw()
}

// draw shows the points that are known. Of nothing that was told yet nothing is said.
func (p *Page) draw() {
	o := arrange(p.period, p.measure, p.way, p.points, p.d.Now())
	p.chart.show(o, p.had)
	text := p.d.T("loading")
	if p.had {
		text = summaryText(p.d, o)
	}
	texts.Set(p.twin, text)
	if on := o.sum > 0; on == p.save.Disabled() {
		if on {
			p.save.Enable()
		} else {
			p.save.Disable()
		}
	}
}

func (p *Page) total(t api.Tally) {
	s := p.d.Speech
	for key, value := range map[string]string{
		"count.pages": s.Count(float64(t.Pages)), "count.firsts": s.Count(float64(t.Firsts)),
		"mine.sites": s.Count(float64(t.Domains)),
		"mine.links": s.Count(float64(t.Links)), "mine.received": s.Amount(float64(t.BytesReceived)),
		"mine.helped": s.Span(t.HelpedS),
	} {
		p.figures[key].Set(value)
	}
	for key, value := range map[string]string{
		"mine.fromsites": s.Amount(float64(t.BytesReceived)), "mine.tosites": s.Amount(float64(t.BytesSent)),
		"mine.frompeers": s.Amount(float64(t.PeerReceived)), "mine.topeers": s.Amount(float64(t.PeerSent)),
		"mine.unchanged": s.Count(float64(t.Unchanged)), "mine.duplicates": s.Count(float64(t.Duplicates)),
		"mine.gone": s.Count(float64(t.Gone)), "mine.failed": s.Count(float64(t.Failed)),
	} {
		texts.Set(p.rows[key], value)
	}
	p.tongues.tell(t.Languages)
}

// stand says what stands out.
func (p *Page) stand(b api.Best) {
	var said []string
	d := p.d
	if b.DaysHelped > 0 {
		said = append(said, d.N("mine.days", b.DaysHelped))
	}
	if b.StreakDays > 1 {
		said = append(said, d.N("mine.streak", b.StreakDays))
	}
	if b.BusiestDay != nil {
		said = append(said, d.N("mine.busiest", max(0, b.BusiestDay.Pages), "day", dayText(d, b.BusiestDay.Start)))
	}
	for _, m := range speech.Notable(b.Milestones) {
		if text := d.Milestone(m); m.Day != nil {
			said = append(said, text+" · "+dayText(d, *m.Day))
		}
	}
	var rows []fyne.CanvasObject
	for _, text := range said {
		rows = append(rows, texts.Line(text))
	}
	if f := b.FirstPage; f != nil {
		to := texts.Link(shown.First(f.Title, f.URL),
			func() { d.Dashboard("mine?" + url.Values{"url": {f.URL}}.Encode()) })
		to.Truncation = fyne.TextTruncateEllipsis
		rows = append(rows, container.NewBorder(nil, nil,
			widget.NewLabel(d.T("mine.first", "day", d.Date(f.Time, d.Now()))), nil, to))
	}
	if !texts.Same(p.best.Objects, rows) {
		p.best.Objects = rows
		p.best.Refresh()
		p.box.Refresh()
	}
}
