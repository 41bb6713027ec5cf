package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/forage-net/forage/app/api"
)

const (
	// shownHours are the hours of a week, shownDays about three months, shownYears a life.
	shownHours = 7 * 24
	shownDays  = 92
	shownYears = 100
)

func runStats(ctx context.Context, e *env, args []string) error {
	fs := e.flags("stats")
	days := fs.Bool("days", false, "by day, the last 92")
	years := fs.Bool("years", false, "by year, all of them")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	switch {
	case *days && *years:
		return usage("--days and --years do not go together")
	case *days:
		return e.showSeries(ctx, api.SeriesQuery{Unit: api.UnitDay, Limit: shownDays, Zone: time.Local}, time.DateOnly)
	case *years:
		return e.showSeries(ctx, api.SeriesQuery{Unit: api.UnitYear, Limit: shownYears, Zone: time.Local}, "2006")
	}
	return e.ask(ctx, func(s source) error {
		stats, err := s.Stats(ctx, shownHours)
		if err != nil {
			return err
		}
		if e.json {
			return printJSON(e.out, stats)
		}
		rows := [][]string{countHeads(e.lang, api.UnitHour)}
		for _, h := range stats.Hours {
			rows = append(rows, countRow(e.lang, h.Start.Local().Format("2006-01-02 15:04"), h.Counts))
		}
		return table(e.out, append(rows, countRow(e.lang, e.lang.text("stats.all", nil), stats.Totals)))
	})
}

// showSeries prints points, and below them what was done since ever.
func (e *env) showSeries(ctx context.Context, q api.SeriesQuery, layout string) error {
	return e.ask(ctx, func(s source) error {
		series, err := s.Series(ctx, q)
		if err != nil {
			return err
		}
		if e.json {
			return printJSON(e.out, series)
		}
		stats, err := s.Stats(ctx, 0)
		if err != nil {
			return err
		}
		return printSeries(e.out, e.lang, series, stats.Totals, layout)
	})
}

func printSeries(w io.Writer, lang language, s api.Series, all api.Counts, layout string) error {
	rows := [][]string{countHeads(lang, s.Unit)}
	for _, p := range s.Points {
		rows = append(rows, countRow(lang, p.Start.Format(layout), p.Counts))
	}
	return table(w, append(rows, countRow(lang, lang.text("stats.all", nil), all)))
}

// countHeads are the headings of a table whose rows are of a unit of time.
func countHeads(lang language, unit api.Unit) []string {
	first := "day"
	switch unit {
	case api.UnitHour:
		first = "hour"
	case api.UnitYear:
		first = "year"
	}
	return lang.heading("stats", first, "pages", "firsts", "duplicates", "unchanged", "redirects", "gone", "failed", "forbidden", "new", "links", "received", "helped")
}

func countRow(lang language, name string, c api.Counts) []string {
	row := []string{name}
	for _, n := range []int64{c.Pages, c.Firsts, c.Duplicates, c.Unchanged, c.Redirects, c.Gone, c.Failed, c.Forbidden, c.Found, c.Links} {
		row = append(row, lang.number(n))
	}
	return append(row, lang.bytes(c.BytesReceived), hoursText(c.HelpedS))
}

// hoursText writes seconds as hours and minutes.
func hoursText(seconds int64) string {
	return fmt.Sprintf("%d:%02d h", seconds/3600, seconds/60%60)
}
