package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/api"
)

func runLimits(ctx context.Context, e *env, args []string) error {
	fs := e.flags("limits")
	history := fs.Bool("history", false, "what was allowed and used in the last 24 hours")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	return e.command(ctx, func(c *api.Client) error {
		if *history {
			h, err := c.LimitHistory(ctx)
			if err != nil {
				return err
			}
			return e.show(h, func() { writeHistory(e.out, h) })
		}
		l, err := c.Limits(ctx, "en")
		if err != nil {
			return err
		}
		return e.show(l, func() { writeLimits(e.out, l) })
	})
}

// show writes an answer as JSON if that was asked for, else as text does.
func (e *env) show(v any, text func()) error {
	if !e.json {
		text()
		return nil
	}
	return printJSON(e.out, v)
}

func writeLimits(w io.Writer, l api.Limits) {
	fmt.Fprintln(w, l.Sentence)
	for _, r := range l.Reasons {
		if r.Sentence != l.Sentence {
			fmt.Fprintln(w, r.Sentence)
		}
	}
	fmt.Fprintf(w, "\nlevel    %s\nfooting  %s\n", l.Level, l.Footing)
	if l.Mode != "auto" {
		fmt.Fprintf(w, "mode     %s%s\n", l.Mode, until(l.Until))
	}
	if l.Changes != nil {
		fmt.Fprintf(w, "changes  at %s, or when something does\n", clockTime(*l.Changes))
	}
	if l.Fault != "" {
		fmt.Fprintf(w, "\nThe settings file is wrong, so the last good settings are in force:\n%s\n", l.Fault)
	}
	fmt.Fprintln(w)
	rows := [][]string{{"budget", "now", "minute", "hour", "day", "limit"}}
	for _, b := range l.Budgets {
		rows = append(rows, []string{b.Name, amount(b.Now), amount(b.Minute), amount(b.Hour), amount(b.Day), bound(b.Limit, b.Unit)})
	}
	for _, q := range l.Quotas {
		limit := "no limit"
		if q.Limit >= 0 {
			limit = app.FormatBytes(q.Limit)
		}
		rows = append(rows, []string{q.Name, app.FormatBytes(q.Used), "", "", "", limit})
	}
	_ = table(w, rows) // who looked is gone
}

func until(t *time.Time) string {
	if t == nil {
		return " until \"forage resume\""
	}
	return " until " + clockTime(*t)
}

// clockTime writes a time of today without its date.
func clockTime(t time.Time) string {
	t = t.Local()
	if y, m, d := t.Date(); time.Since(t).Abs() < 24*time.Hour {
		if ny, nm, nd := time.Now().Date(); y == ny && m == nm && d == nd {
			return t.Format("15:04:05")
		}
	}
	return t.Format("2006-01-02 15:04")
}

// amount writes what was used, "-" if that is not known.
func amount(v float64) string {
	switch {
	case v < 0:
		return "-"
	case v < 10:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
	}
	return fmt.Sprintf("%.0f", v)
}

func bound(v float64, unit string) string {
	if v < 0 {
		return "no limit"
	}
	return strings.TrimSpace(amount(v) + " " + unit)
}

// historyLine is one hour of the history.
type historyLine struct {
	start   time.Time
	minutes map[string]int // by level
	mean    map[string]float64
	most    map[string]float64
	seconds int
}

func writeHistory(w io.Writer, h api.LimitHistory) {
	for _, s := range h.Summary {
		fmt.Fprintln(w, s)
	}
	var hours []*historyLine
	for _, m := range h.Minutes {
		start := hourOf(m.Start.Local())
		if n := len(hours); n == 0 || !hours[n-1].start.Equal(start) {
			hours = append(hours, &historyLine{start: start, minutes: make(map[string]int), mean: make(map[string]float64), most: make(map[string]float64)})
		}
		x := hours[len(hours)-1]
		x.minutes[m.Level]++
		x.seconds += m.Seconds
		for _, f := range m.Figures {
			x.mean[f.Name] += f.Mean * float64(m.Seconds)
			x.most[f.Name] = max(x.most[f.Name], f.Max)
		}
	}
	if len(hours) == 0 {
		return
	}
	fmt.Fprintln(w)
	rows := [][]string{{"hour", "minutes full", "gentle", "off", "CPU % mean", "most", "down kbit/s mean", "most", "up kbit/s mean", "most", "pages/min"}}
	for _, x := range hours {
		mean := func(name string) string { return amount(x.mean[name] / float64(max(x.seconds, 1))) }
		minutes := func(level string) string { return number(x.minutes[level]) }
		rows = append(rows, []string{
			x.start.Format("2006-01-02 15:04"), minutes("full"), minutes("gentle"), minutes("off"), mean("cpu_percent"), amount(x.most["cpu_percent"]),
			mean("down_kbit"), amount(x.most["down_kbit"]), mean("up_kbit"), amount(x.most["up_kbit"]), mean("pages_per_min"),
		})
	}
	_ = table(w, rows) // who looked is gone
}

// hourOf returns the beginning of the hour that clocks show: not in every zone is that one of UTC.
func hourOf(t time.Time) time.Time {
	return t.Add(-time.Duration(t.Minute())*time.Minute - time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
}

func runFinish(ctx context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags("finish"), args, 0, 0); err != nil {
		return done(err)
	}
	return e.command(ctx, func(c *api.Client) error {
		if err := c.Finish(ctx); err != nil {
			return err
		}
		return e.say(steered{Done: "finishing", Sentence: "What is under way comes to its end; nothing more is begun until \"forage resume\"."})
	})
}
