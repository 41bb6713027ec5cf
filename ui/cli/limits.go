package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

func runLimits(ctx context.Context, e *env, args []string) error {
	fs := e.flags("limits")
	history := fs.Bool("history", false, "what was allowed and used in the last 24 hours")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	if *history {
		return e.ask(ctx, func(s source) error {
			h, err := s.LimitHistory(api.WithLang(ctx, e.lang.of()))
			if err != nil {
				return err
			}
			return e.show(h, func() { writeHistory(e.out, e.lang, h) })
		})
	}
	return e.command(ctx, func(c *api.Client) error {
		l, err := c.Limits(ctx, e.lang.of())
		if err != nil {
			return err
		}
		return e.show(l, func() { writeLimits(e.out, e.lang, l) })
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

func writeLimits(w io.Writer, lang language, l api.Limits) {
	fmt.Fprintln(w, l.Sentence)
	for _, r := range l.Reasons {
		if r.Sentence != l.Sentence {
			fmt.Fprintln(w, r.Sentence)
		}
	}
	fmt.Fprintln(w)
	_ = facts(w, limitFacts(lang, l)) // who looked is gone
	if l.Fault != "" {
		fmt.Fprintf(w, "\n%s\n%s\n", lang.text("limits.fault", nil), l.Fault)
	}
	fmt.Fprintln(w)
	rows := [][]string{lang.heading("limits", "budget", "now", "minute", "hour", "day", "month", "limit")}
	for _, b := range l.Budgets {
		row := []string{b.Name}
		for _, v := range []float64{b.Now, b.Minute, b.Hour, b.Day, b.Month} {
			row = append(row, lang.amount(v))
		}
		rows = append(rows, append(row, bound(lang, b.Limit, b.Unit)))
	}
	for _, q := range l.Quotas {
		limit := lang.text("limits.none", nil)
		if q.Limit >= 0 {
			limit = lang.bytes(q.Limit)
		}
		rows = append(rows, []string{q.Name, lang.bytes(q.Used), "", "", "", "", limit})
		if q.Used > 0 && q.Name != "disk" {
			rows = append(rows, []string{"  " + lang.text("limits.sites", nil), lang.bytes(q.Sites)}, []string{"  " + lang.text("limits.nodes", nil), lang.bytes(q.Used - q.Sites)})
		}
	}
	_ = table(w, rows)
}

// limitFacts are rows of what holds now.
func limitFacts(lang language, l api.Limits) [][]string {
	rows := [][]string{
		{lang.text("limits.level", nil), lang.word("level", l.Level)}, {lang.text("limits.footing", nil), lang.word("footing", l.Footing)},
	}
	if l.Mode != "auto" {
		key, args := "limits.mode.resume", words.Args{"mode": lang.word("mode", l.Mode)}
		if l.Until != nil {
			key, args["time"] = "limits.mode.until", lang.clock(*l.Until)
		}
		rows = append(rows, []string{lang.text("limits.mode", nil), lang.text(key, args)})
	}
	if l.Changes != nil {
		note := lang.text("limits.changes.note", words.Args{"time": lang.clock(*l.Changes)})
		rows = append(rows, []string{lang.text("limits.changes", nil), note})
	}
	return rows
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

func bound(lang language, v float64, unit string) string {
	if v < 0 {
		return lang.text("limits.none", nil)
	}
	return strings.TrimSpace(lang.amount(v) + " " + unit)
}

// historyLine is one hour of the history.
type historyLine struct {
	start   time.Time
	minutes map[string]int // by level
	mean    map[string]float64
	most    map[string]float64
	seconds int
}

func writeHistory(w io.Writer, lang language, h api.LimitHistory) {
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
	rows := [][]string{lang.heading("history", "hour", "full", "gentle", "off", "cpu", "most", "down", "most", "up", "most", "pages")}
	for _, x := range hours {
		mean := func(name string) string { return lang.amount(x.mean[name] / float64(max(x.seconds, 1))) }
		minutes := func(level string) string { return number(x.minutes[level]) }
		rows = append(rows, []string{
			x.start.Format("2006-01-02 15:04"), minutes("full"), minutes("gentle"), minutes("off"), mean("cpu_percent"), lang.amount(x.most["cpu_percent"]),
			mean("down_kbit"), lang.amount(x.most["down_kbit"]), mean("up_kbit"), lang.amount(x.most["up_kbit"]), mean("pages_per_min"),
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
		return e.say(steered{Done: "finishing", Sentence: e.lang.text("finishing", nil)})
	})
}
