package look

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

const (
	// shownHours are the hours of a week, shownDays about three months, shownYears a life.
	shownHours = 7 * 24
	shownDays  = 92
	shownYears = 100
)

// NewStats returns "forage stats", which prints what was fetched by hour, day or year.
func NewStats(e *env.Env) *cobra.Command {
	c := env.Command("stats [--days|--years]", "what was fetched, by hour, day or year", 0, 0)
	fs := c.Flags()
	days := fs.Bool("days", false, "by day, the last 92")
	years := fs.Bool("years", false, "by year, all of them")
	return env.Does(c, func(ctx context.Context, _ []string) error {
		switch {
		case *days && *years:
			return env.Usage("said.cli.days-and-years", nil)
		case *days:
			return showSeries(ctx, e, api.SeriesQuery{Unit: api.UnitDay, Limit: shownDays, Zone: time.Local},
				time.DateOnly)
		case *years:
			return showSeries(ctx, e, api.SeriesQuery{Unit: api.UnitYear, Limit: shownYears, Zone: time.Local}, "2006")
		}
		return e.Ask(ctx, func(s env.Source) error {
			stats, err := s.Stats(ctx, shownHours)
			if err != nil {
				return err
			}
			if e.JSON {
				return console.JSON(e.Out, stats)
			}
			rows := [][]string{countHeads(e.Lang, api.UnitHour)}
			for _, h := range stats.Hours {
				rows = append(rows, countRow(e.Lang, h.Start.Local().Format("2006-01-02 15:04"), h.Counts))
			}
			return console.Table(e.Out, append(rows, countRow(e.Lang, e.Lang.Text("stats.all", nil), stats.Totals)))
		})
	})
}

// showSeries prints points, and below them what was done since ever.
func showSeries(ctx context.Context, e *env.Env, q api.SeriesQuery, layout string) error {
	return e.Ask(ctx, func(s env.Source) error {
		series, err := s.Series(ctx, q)
		if err != nil {
			return err
		}
		if e.JSON {
			return console.JSON(e.Out, series)
		}
		stats, err := s.Stats(ctx, 0)
		if err != nil {
			return err
		}
		return printSeries(e.Out, e.Lang, series, stats.Totals, layout)
	})
}

func printSeries(w io.Writer, lang language.Language, s api.Series, all api.Counts, layout string) error {
	rows := [][]string{countHeads(lang, s.Unit)}
	for _, p := range s.Points {
		rows = append(rows, countRow(lang, p.Start.Format(layout), p.Counts))
	}
	return console.Table(w, append(rows, countRow(lang, lang.Text("stats.all", nil), all)))
}

// countHeads are the headings of a table whose rows are of a unit of time.
func countHeads(lang language.Language, unit api.Unit) []string {
	first := "day"
	switch unit {
	case api.UnitHour:
		first = "hour"
	case api.UnitYear:
		first = "year"
	}
	return lang.Heading("stats", first, "pages", "firsts", "duplicates", "unchanged", "redirects", "gone", "failed",
		"forbidden", "new", "links", "received", "helped")
}

func countRow(lang language.Language, name string, c api.Counts) []string {
	row := []string{name}
	for _, n := range []int64{c.Pages, c.Firsts, c.Duplicates, c.Unchanged, c.Redirects, c.Gone, c.Failed,
		c.Forbidden, c.Found, c.Links} {
		row = append(row, lang.Number(n))
	}
	return append(row, lang.Bytes(c.BytesReceived), hoursText(c.HelpedS))
}

// hoursText writes seconds as hours and minutes.
func hoursText(seconds int64) string {
	return fmt.Sprintf("%d:%02d h", seconds/3600, seconds/60%60)
}
