package limiter

import (
	"context"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/app/promise"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
)

// Limits implements api.Node.
func (a *Arbiter) Limits(_ context.Context, lang string) (api.Limits, error) {
	a.look()
	a.mu.Lock()
	defer a.mu.Unlock()
	now, d := a.now(), a.is
	l := api.Limits{
		Level: d.Level.String(), Footing: a.cfg.Gate.Now().String(), Sentence: tell.Decision(d, lang, now.Wall),
		Reasons: []api.LimitReason{}, Quotas: a.quotas(now), Budgets: a.budgets(now),
	}
	mode, until := a.state.Manual(now)
	l.Mode, l.Until = mode.String(), orNil(until)
	l.Run = a.runMode(now)
	l.Changes, l.HelpNow = a.changes(now), a.helpsNow(now)
	if a.fault != nil {
		l.Fault = words.In(lang, a.fault)
	}
	for _, r := range d.Reasons {
		l.Reasons = append(l.Reasons, api.LimitReason{
			Kind: r.Kind.String(), Allows: r.Allows.String(), Sentence: tell.Reason(r, lang, now.Wall),
			Since: orNil(r.Since), Until: orNil(r.Until),
		})
	}
	if a.hub != nil {
		for _, s := range a.hub.Status(lang) {
			l.Sensors = append(l.Sensors, api.LimitSensor{
				Name: s.Name, Known: s.Known, Value: s.Value, Source: s.Source, Never: s.Never, Why: s.Why,
			})
		}
	}
	return l, nil
}

// maxTurns is how many times are looked at, at which something may change, until the level does: few clocks run at
// once.
const maxTurns = 8

// changes returns when the level changes though nothing happens, nil if it does not within a day or is too near to be
// told. The mutex is held.
func (a *Arbiter) changes(now limits.Clock) *time.Time {
	sensors, state, d, then := a.sensors(now), a.state, a.is, now
	for range maxTurns {
		then = limits.Clock{Wall: then.Wall.Add(d.Next), Steady: then.Steady + d.Next}
		if then.Steady-now.Steady >= 24*time.Hour {
			return nil
		}
		if d, state = limits.Decide(a.bounds, sensors, state, then); d.Level != a.is.Level {
			if then.Steady-now.Steady < time.Minute {
				return nil
			}
			return &then.Wall
		}
	}
	return nil
}

// helpsNow reports whether the node rests and would work if the user asked it to. What the user asked for by hand is
// taken back otherwise. The mutex is held.
func (a *Arbiter) helpsNow(now limits.Clock) bool {
	asked := a.state
	if mode, _ := asked.Manual(now); mode != limits.Auto || asked.IsFinishing() || a.is.Level > limits.Off {
		return false
	}
	asked.Work(now, time.Minute)
	d, _ := limits.Decide(a.bounds, a.sensors(now), asked, now)
	return d.Level > limits.Off
}

// quotas are what may be used up. The mutex is held.
func (a *Arbiter) quotas(now limits.Clock) []api.LimitQuota {
	today, month := a.state.Used(now, a.bounds.Data)
	todaySites, monthSites := a.state.UsedForSites(now, a.bounds.Data)
	return []api.LimitQuota{
		{Name: "data.day", Used: today, Sites: todaySites, Limit: a.bounds.Data.Day},
		{Name: "data.month", Used: month, Sites: monthSites, Limit: a.bounds.Data.Month},
		{Name: "disk", Used: a.cfg.Archived(), Limit: a.is.DiskAllowed},
	}
}

// measures are the budgets as they are measured, in the order in which they are shown.
var measures = [...]struct {
	promise.Measure
	name, unit string
	of         func(limits.Budget) float64
}{
	{promise.CPU, "cpu_percent", "%", func(b limits.Budget) float64 { return b.CPUPercent }},
	{promise.Down, "down_kbit", "kbit/s", func(b limits.Budget) float64 { return float64(b.DownKbit) }},
	{promise.Up, "up_kbit", "kbit/s", func(b limits.Budget) float64 { return float64(b.UpKbit) }},
	{promise.Sockets, "sockets", "", func(b limits.Budget) float64 { return float64(b.Sockets) }},
	{promise.Pages, "pages_per_min", "", func(b limits.Budget) float64 { return float64(b.PagesPerMin) }},
}

// budgets are the bounds that hold, and what was used. The mutex is held.
func (a *Arbiter) budgets(now limits.Clock) []api.LimitBudget {
	records, _ := a.account.History(now)
	inFlight, _ := a.cfg.Fetchers.InFlight()
	list := make([]api.LimitBudget, 0, len(measures)+1)
	for _, m := range measures {
		list = append(list, api.LimitBudget{
			Name: m.name, Unit: m.unit, Limit: m.of(a.is.Budget), Now: a.parts.using(m.Measure),
			Minute: meanOf(records, m.Measure, now, time.Minute), Hour: meanOf(records, m.Measure, now, time.Hour),
			Day: meanOf(records, m.Measure, now, 24*time.Hour), Month: a.account.Month(now, m.Measure),
		})
	}
	return append(list, api.LimitBudget{
		Name: "fetchers", Limit: float64(a.is.Budget.Fetchers), Now: float64(inFlight), Minute: -1, Hour: -1, Day: -1,
		Month: -1,
	})
}

// meanOf returns the mean of what was used in the last while, -1 if nothing is known of it.
func meanOf(records []promise.Record, m promise.Measure, now limits.Clock, last time.Duration) float64 {
	sum, seconds := 0.0, 0
	for _, r := range records {
		if end := r.Start.Add(time.Duration(r.Seconds) * time.Second); now.Wall.Sub(end) < last {
			sum += r.Figures[m].Mean * float64(r.Seconds)
			seconds += r.Seconds
		}
	}
	if seconds == 0 {
		return -1
	}
	return sum / float64(seconds)
}

// LimitHistory implements api.Node: it says what was allowed and used in the last 24 hours.
func (a *Arbiter) LimitHistory(ctx context.Context) (api.LimitHistory, error) {
	now, lang := a.now(), api.Lang(ctx)
	records, breaches := a.account.History(now)
	return historyIn(lang, records, breaches, a.account.Summary(now, lang)), nil
}

// ReadHistory is as Arbiter.LimitHistory, up to the end of the node's last run.
func ReadHistory(db *storage.DB, c *clock.Clock, lang string) (api.LimitHistory, error) {
	now := clockOf(c)
	recorder, err := promise.ReadAccount(db, now)
	if err != nil {
		return api.LimitHistory{}, err
	}
	summary := recorder.Summary(now, lang)
	return historyIn(lang, recorder.Records(now), recorder.Breaches(now), summary.Sentences), nil
}

// historyIn puts what was allowed and used into a language.
func historyIn(lang string, records []promise.Record, breaches []promise.Breach, summary []string) api.LimitHistory {
	h := api.LimitHistory{Summary: summary, Minutes: []api.LimitMinute{}, Breaches: []api.LimitBreach{}}
	for _, r := range records {
		minute := api.LimitMinute{Start: r.Start, Seconds: r.Seconds, Level: r.Level.String()}
		for _, m := range measures {
			f := r.Figures[m.Measure]
			figure := api.LimitFigure{Name: m.name, Limit: f.Limit, Mean: f.Mean, Max: f.Max}
			minute.Figures = append(minute.Figures, figure)
		}
		h.Minutes = append(h.Minutes, minute)
	}
	for _, b := range breaches {
		h.Breaches = append(h.Breaches, api.LimitBreach{
			Name: nameOf(b.Measure), Start: b.Start, LengthS: b.Length.Seconds(), Limit: b.Limit, Worst: b.Worst,
			Cause: words.Shown(lang, b.Cause),
		})
	}
	return h
}

// nameOf returns the name of the setting that a measure belongs to.
func nameOf(m promise.Measure) string {
	for _, known := range measures {
		if known.Measure == m {
			return known.name
		}
	}
	return m.String()
}
