package overview

import (
	"math"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/texts"
)

const (
	historyEvery = time.Minute
	// metersEvery is how often meters move at most: measures never stand still, and nobody reads so fast.
	metersEvery = 5 * time.Second
	// mostMeters bounds the budgets and the quotas that are shown.
	mostMeters = 12
	// mostBreaches are told one by one; the dashboard has them all.
	mostBreaches = 3
	// breachesOf is how many of a list are looked at.
	breachesOf = 1000
)

// promises says what is used of what its user allows, and what was not kept.
type promises struct {
	d       *desk.Desk
	box     fyne.CanvasObject
	poll    *desk.Poll[api.LimitHistory]
	meters  *fyne.Container
	byName  map[string]*meter
	kept    *widget.Label
	broken  *widget.Label
	told    []*widget.Label
	is      desk.Live
	history *api.LimitHistory
	// last is when the meters were set, zero if they are to be set at once.
	last time.Time
}

func newPromises(d *desk.Desk, node Node, changed func()) *promises {
	p := &promises{d: d, meters: container.New(&layouts.Cells{Least: 210, Gap: 18, Below: 9}),
		byName: map[string]*meter{}, kept: texts.Fine(""), broken: texts.Prose("")}
	p.broken.Importance, p.broken.TextStyle.Bold = widget.DangerImportance, true
	inside := []fyne.CanvasObject{p.kept, p.broken}
	for range mostBreaches {
		l := texts.Fine("")
		l.Importance = widget.DangerImportance
		l.Hide()
		p.told = append(p.told, l)
		inside = append(inside, l)
	}
	p.kept.Hide()
	p.broken.Hide()
	p.box = boxes.Frame(d.T("promises.title"), texts.Link(d.T("promises.change"), func() { d.Show(desk.PageSettings) }),
		boxes.Pad(8, p.meters), container.New(layouts.Pile{Gap: -8}, inside...))
	p.poll = desk.NewPoll(d, historyEvery, node.LimitHistory, func(h api.LimitHistory) {
		h.Minutes, h.Breaches = nil, h.Breaches[:min(len(h.Breaches), breachesOf)]
		p.history, p.last = &h, time.Time{}
		changed()
	})
	return p
}

func (p *promises) update(now time.Time) {
	if since := now.Sub(p.last); !p.is.Known || since >= 0 && since < metersEvery {
		return
	}
	p.last = now
	var breaches []api.LimitBreach
	if p.history != nil {
		breaches = p.history.Breaches
	}
	l := p.is.Limits
	for _, b := range l.Budgets[:min(len(l.Budgets), mostMeters)] {
		if p.d.Has("budget." + b.Name) {
			p.budget(b, breaches)
		}
	}
	for _, q := range l.Quotas[:min(len(l.Quotas), mostMeters)] {
		if p.d.Has("quota." + q.Name) {
			p.quota(q)
		}
	}
	p.tell(breaches)
}

func (p *promises) budget(b api.LimitBudget, breaches []api.LimitBreach) {
	breached := slices.ContainsFunc(breaches, func(x api.LimitBreach) bool { return x.Name == b.Name })
	limit := b.Limit
	if p.is.Limits.Level == "off" {
		limit = 0 // what other nodes may take then is not a limit of the user's
	}
	text := usedText(p.d, amountText(p.d, b.Name, b.Now), limit, amountText(p.d, b.Name, b.Limit))
	p.meter("budget."+b.Name).set(b.Now, limit, text, breached)
}

func (p *promises) quota(q api.LimitQuota) {
	p.meter("quota."+q.Name).set(float64(q.Used), float64(q.Limit),
		usedText(p.d, p.d.Bytes(q.Used), float64(q.Limit), p.d.Bytes(q.Limit)), false)
}

// meter returns the meter of a name, a new one if there is none yet: those are as many as there are names.
func (p *promises) meter(key string) *meter {
	m := p.byName[key]
	if m == nil {
		m = newMeter(p.d.T(key))
		p.byName[key] = m
		p.meters.Add(m)
	}
	return m
}

func (p *promises) tell(breaches []api.LimitBreach) {
	boxes.Show(p.kept, p.history != nil && len(breaches) == 0)
	texts.Set(p.kept, p.d.T("promises.kept"))
	boxes.Show(p.broken, len(breaches) > 0)
	texts.Set(p.broken, p.d.N("promises.broken", int64(len(breaches))))
	latest := breaches[max(0, len(breaches)-mostBreaches):]
	for i, l := range p.told {
		boxes.Show(l, i < len(latest))
		if i < len(latest) {
			texts.Set(l, breachText(p.d, latest[len(latest)-1-i]))
		}
	}
}

// breachText says when a limit was not kept, and why.
func breachText(d *desk.Desk, b api.LimitBreach) string {
	what := shown.Text(b.Name)
	if d.Has("budget." + b.Name) {
		what = d.T("budget." + b.Name)
	}
	text := d.T("promises.breach",
		"at", d.Date(b.Start, d.Now())+" "+b.Start.Local().Format("15:04:05"), "what", what,
		"worst", amountText(d, b.Name, b.Worst), "limit", amountText(d, b.Name, b.Limit), "time",
		d.Length(shown.Seconds(b.LengthS)))
	if b.Cause != "" {
		text += " " + shown.Text(b.Cause)
	}
	return text
}

// usedText says how much of a limit is used: most as a number, limit in words.
func usedText(d *desk.Desk, used string, most float64, limit string) string {
	switch {
	case most < 0:
		return d.T("promises.unlimited", "used", used)
	case most == 0:
		return d.T("promises.nothing", "used", used)
	}
	return d.T("promises.of", "used", used, "limit", limit)
}

// mostAmount is more than any measure of a computer.
const mostAmount = 1e15

// amountText writes a measure of a budget with its unit.
func amountText(d *desk.Desk, name string, value float64) string {
	if !(value >= 0) {
		return "–"
	}
	value = math.Min(value, mostAmount)
	switch name {
	case "cpu_percent":
		return d.Percent(value/100, 1)
	case "down_kbit", "up_kbit":
		if value >= 1000 {
			return d.Decimal(value/1000, 1) + "\u00a0Mbit/s"
		}
		return d.Decimal(value, 0) + "\u00a0kbit/s"
	}
	digits := 0
	if value < 10 {
		digits = 1
	}
	return d.Decimal(value, digits)
}
