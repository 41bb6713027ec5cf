package statistics

import (
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/speech"
)

// period is a stretch of time that ends now, and what it is counted by.
type period struct {
	name string
	unit api.Unit
	// n is how many points it has, of years the most.
	n int
}

var periods = []period{
	{"48h", api.UnitHour, 48},
	{"7d", api.UnitHour, 7 * 24},
	{"30d", api.UnitDay, 30},
	{"365d", api.UnitDay, 365},
	{"years", api.UnitYear, 20},
}

// leastYears are shown: a bar alone says little.
const leastYears = 5

// measure is what is counted.
type measure struct {
	name string
	// key is what it is called, parts what the series are if there are two.
	key   string
	parts [2]string
	of    func(api.Point) [2]float64
	// write writes a value, counted says that there are no halves.
	write   func(speech.Speech, float64) string
	counted bool
}

var measures = []measure{
	{name: "pages", key: "mine.measure.pages",
		of: func(p api.Point) [2]float64 { return [2]float64{float64(p.Pages)} }, write: speech.Speech.Count,
		counted: true},
	{name: "firsts", key: "mine.measure.firsts",
		of: func(p api.Point) [2]float64 { return [2]float64{float64(p.Firsts)} }, write: speech.Speech.Count,
		counted: true},
	{name: "data", key: "mine.measure.data", parts: [2]string{"window.statistics.received",
		"window.statistics.sent"}, of: data, write: speech.Speech.Amount, counted: true},
	{name: "helped", key: "mine.measure.helped",
		of: func(p api.Point) [2]float64 { return [2]float64{float64(p.HelpedS) / 3600} }, write: speech.Speech.Hours},
}

func data(p api.Point) [2]float64 {
	above := func(n int64) float64 { return max(0, float64(n)) }
	return [2]float64{above(p.BytesReceived) + above(p.PeerReceived), above(p.BytesSent) + above(p.PeerSent)}
}

// start is where the point begins in which a time is, in UTC; that of a day is the midnight of UTC of its date here.
func (p period) start(at time.Time) time.Time {
	year, month, day := at.Local().Date()
	switch p.unit {
	case api.UnitHour:
		return at.UTC().Truncate(time.Hour)
	case api.UnitYear:
		return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// back is the start of a point so many before that of a time.
func (p period) back(at time.Time, n int) time.Time { return p.earlier(p.start(at), n) }

// earlier is the start of a point so many before another.
func (p period) earlier(start time.Time, n int) time.Time {
	switch p.unit {
	case api.UnitHour:
		return start.Add(-time.Duration(n) * time.Hour)
	case api.UnitYear:
		return start.AddDate(-n, 0, 0)
	}
	return start.AddDate(0, 0, -n)
}

// query asks for the points of a period that ends now, and of the one before.
func (p period) query(now time.Time) api.SeriesQuery {
	return api.SeriesQuery{Unit: p.unit, From: p.back(now, 2*p.n-1), Limit: 2*p.n + 1, Zone: time.Local}
}

// way is how values over time are shown: beside those of the period before, and each with all before it.
type way struct{ compared, summed bool }

// overTime are values at all times of a period, also at those at which nothing happened.
type overTime struct {
	period  period
	measure measure
	way     way
	times   []time.Time
	values  [2][]float64
	// sums are those at each time, sum is all of them, most the index of the largest; before are of the period before.
	sums, before []float64
	sum          float64
	most         int
}

// arrange puts points at their times. What is not of the period is left out.
func arrange(p period, m measure, w way, points []api.Point, now time.Time) overTime {
	o := overTime{period: p, measure: m, way: w}
	n := p.n
	if p.unit == api.UnitYear {
		n = leastYears
		for _, point := range points {
			n = max(n, min(p.n, p.start(now).Year()-point.Start.UTC().Year()+1))
		}
	}
	first := p.back(now, 2*n-1)
	known := make(map[int64]api.Point, min(len(points), 2*n))
	for _, point := range points {
		if at := point.Start; !at.Before(first) && !at.After(p.start(now)) {
			known[at.Unix()] = point
		}
	}
	for i := range n {
		at := p.back(now, n-1-i)
		of := m.of(known[at.Unix()])
		for s := range o.values {
			o.values[s] = append(o.values[s], shown.Amount(of[s]))
		}
		sum := shown.Amount(of[0]) + shown.Amount(of[1])
		o.times, o.sums, o.sum = append(o.times, at), append(o.sums, sum), o.sum+sum
		if sum > o.sums[o.most] {
			o.most = i
		}
		of = m.of(known[p.back(now, 2*n-1-i).Unix()])
		o.before = append(o.before, shown.Amount(of[0])+shown.Amount(of[1]))
	}
	if w.summed {
		for _, list := range [][]float64{o.values[0], o.values[1], o.sums, o.before} {
			for i := 1; i < len(list); i++ {
				list[i] += list[i-1]
			}
		}
	}
	return o
}

// momentText writes the time of a point. Hours are told as clocks here show them, days have their date.
func momentText(d *desk.Desk, p period, at time.Time) string {
	switch p.unit {
	case api.UnitHour:
		return d.Date(at, d.Now()) + ", " + d.Clock(at)
	case api.UnitYear:
		return at.UTC().Format("2006")
	}
	return dayText(d, at)
}

// zoneOf is a time of a point in the zone in which it is told.
func zoneOf(p period, at time.Time) time.Time {
	if p.unit == api.UnitHour {
		return at.Local()
	}
	return at.UTC()
}

// tickText is when in short, for an axis.
func tickText(d *desk.Desk, p period, at time.Time) string {
	if p.unit == api.UnitHour {
		if at = at.Local(); at.Hour() != 0 {
			return d.Clock(at)
		}
		return d.Date(at, d.Now())
	}
	return momentText(d, p, at)
}

// dayText writes a date.
func dayText(d *desk.Desk, at time.Time) string {
	year, month, day := at.UTC().Date()
	return d.Date(time.Date(year, month, day, 12, 0, 0, 0, time.Local), d.Now())
}

// summaryText says in a sentence what a chart shows.
func summaryText(d *desk.Desk, o overTime) string {
	m := o.measure
	if o.sum == 0 {
		return d.T("mine.nothing")
	}
	text := d.T("mine.summary", "what", d.T(m.key), "from", momentText(d, o.period, o.times[0]), "to",
		momentText(d, o.period, o.times[len(o.times)-1]), "sum", m.write(d.Speech, o.sum))
	if text += "."; o.way.summed {
		return text
	}
	return text + " " + d.T("window.statistics.most", "value", m.write(d.Speech, o.sums[o.most]), "when",
		momentText(d, o.period, o.times[o.most]))
}

// valueText says what a chart shows at one of its times.
func valueText(d *desk.Desk, o overTime, i int) string {
	m := o.measure
	text := momentText(d, o.period, o.times[i]) + ": " + m.write(d.Speech, o.sums[i])
	if o.way.compared {
		then := o.period.earlier(o.times[i], len(o.times))
		return text + ", " + momentText(d, o.period, then) + ": " + m.write(d.Speech, o.before[i])
	}
	if m.parts[0] == "" {
		return text
	}
	for s, key := range m.parts {
		sep := ", "
		if s == 0 {
			sep = " ("
		}
		text += sep + d.T(key) + " " + m.write(d.Speech, o.values[s][i])
	}
	return text + ")"
}
