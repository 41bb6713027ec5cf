package look

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

// NewLimits returns "forage limits", which says what may be done now, or was in the last day.
func NewLimits(e *env.Env) *cobra.Command {
	c := env.Command("limits [--history]", "what Forage may do now, and why; what it uses", 0, 0)
	history := c.Flags().Bool("history", false, "what was allowed and used in the last 24 hours")
	return env.Does(c, func(ctx context.Context, _ []string) error {
		if *history {
			return e.Ask(ctx, func(s env.Source) error {
				h, err := s.LimitHistory(api.WithLang(ctx, e.Lang.Of()))
				if err != nil {
					return err
				}
				return e.Show(h, func() error { return WriteHistory(e.Out, e.Lang, h) })
			})
		}
		return e.WithNode(func(c *client.Client) error {
			l, err := c.Limits(ctx, e.Lang.Of())
			if err != nil {
				return err
			}
			return e.Show(l, func() error { return WriteLimits(e.Out, e.Lang, l) })
		})
	})
}

// WriteLimits writes what holds now, why, and what is used.
func WriteLimits(w io.Writer, lang language.Language, l api.Limits) error {
	fmt.Fprintln(w, l.Sentence)
	for _, r := range l.Reasons {
		if r.Sentence != l.Sentence {
			fmt.Fprintln(w, r.Sentence)
		}
	}
	fmt.Fprintln(w)
	if err := console.Facts(w, limitFacts(lang, l)); err != nil {
		return err
	}
	if l.Fault != "" {
		fmt.Fprintf(w, "\n%s\n%s\n", lang.Text("limits.fault", nil), l.Fault)
	}
	fmt.Fprintln(w)
	rows := [][]string{lang.Heading("limits", "budget", "now", "minute", "hour", "day", "month", "limit")}
	for _, b := range l.Budgets {
		row := []string{b.Name}
		for _, v := range []float64{b.Now, b.Minute, b.Hour, b.Day, b.Month} {
			row = append(row, lang.Amount(v))
		}
		rows = append(rows, append(row, bound(lang, b.Limit, b.Unit)))
	}
	for _, q := range l.Quotas {
		limit := lang.Text("limits.none", nil)
		if q.Limit >= 0 {
			limit = lang.Bytes(q.Limit)
		}
		rows = append(rows, []string{q.Name, lang.Bytes(q.Used), "", "", "", "", limit})
		if q.Used > 0 && q.Name != "disk" {
			rows = append(rows, []string{"  " + lang.Text("limits.sites", nil), lang.Bytes(q.Sites)},
				[]string{"  " + lang.Text("limits.nodes", nil), lang.Bytes(q.Used - q.Sites)})
		}
	}
	return console.Table(w, rows)
}

// limitFacts are rows of what holds now.
func limitFacts(lang language.Language, l api.Limits) [][]string {
	rows := [][]string{
		{lang.Text("limits.level", nil), lang.Word("level", l.Level)},
		{lang.Text("limits.footing", nil), lang.Word("footing", l.Footing)},
	}
	if l.Mode != "auto" {
		key, args := "limits.mode.resume", words.Args{"mode": lang.Word("mode", l.Mode)}
		if l.Until != nil {
			key, args["time"] = "limits.mode.until", lang.Clock(*l.Until)
		}
		rows = append(rows, []string{lang.Text("limits.mode", nil), lang.Text(key, args)})
	}
	if l.Changes != nil {
		note := lang.Text("limits.changes.note", words.Args{"time": lang.Clock(*l.Changes)})
		rows = append(rows, []string{lang.Text("limits.changes", nil), note})
	}
	return rows
}

func bound(lang language.Language, v float64, unit string) string {
	if v < 0 {
		return lang.Text("limits.none", nil)
	}
	return strings.TrimSpace(lang.Amount(v) + " " + unit)
}

// historyLine is one hour of the history.
type historyLine struct {
	start   time.Time
	minutes map[string]int // by level
	mean    map[string]float64
	most    map[string]float64
	seconds int
}

// WriteHistory writes a line for each hour.
func WriteHistory(w io.Writer, lang language.Language, h api.LimitHistory) error {
	for _, s := range h.Summary {
		fmt.Fprintln(w, s)
	}
	var hours []*historyLine
	for _, m := range h.Minutes {
		start := hourOf(m.Start.Local())
		if n := len(hours); n == 0 || !hours[n-1].start.Equal(start) {
			hours = append(hours, &historyLine{start: start, minutes: make(map[string]int),
				mean: make(map[string]float64), most: make(map[string]float64)})
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
		return nil
	}
	fmt.Fprintln(w)
	rows := [][]string{lang.Heading(
		"history", "hour", "full", "gentle", "off", "cpu", "most", "down", "most", "up", "most", "pages")}
	for _, x := range hours {
		mean := func(name string) string { return lang.Amount(x.mean[name] / float64(max(x.seconds, 1))) }
		minutes := func(level string) string { return lang.Number(int64(x.minutes[level])) }
		rows = append(rows, []string{
			x.start.Format("2006-01-02 15:04"), minutes("full"), minutes("gentle"), minutes("off"),
			mean("cpu_percent"), lang.Amount(x.most["cpu_percent"]),
			mean("down_kbit"), lang.Amount(x.most["down_kbit"]), mean("up_kbit"), lang.Amount(x.most["up_kbit"]),
			mean("pages_per_min"),
		})
	}
	return console.Table(w, rows)
}

// hourOf returns the beginning of the hour that clocks show: not in every zone is that one of UTC.
func hourOf(t time.Time) time.Time {
	past := time.Duration(t.Minute()*60+t.Second())*time.Second + time.Duration(t.Nanosecond())
	return t.Add(-past)
}
