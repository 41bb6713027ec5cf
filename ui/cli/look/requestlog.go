package look

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

// recordPage is how many requests are asked for at a time, maxRecordDays how many days back.
const (
	recordPage    = 1000
	maxRecordDays = 365
)

// recordFlag are the flags of "forage log" that are about requests.
type recordFlag struct {
	requests, report bool
	domain           string
	days             int
}

func recordFlags(fs *pflag.FlagSet) *recordFlag {
	f := new(recordFlag)
	fs.BoolVar(&f.requests, "requests", false,
		"print each request to a site, and those robots.txt prevented, latest first")
	fs.StringVar(&f.domain, "domain", "", "only requests to the domain `D`")
	fs.IntVar(&f.days, "days", 0, "of the last `N` days (UTC), including today (default 1, with --report 7)")
	fs.BoolVar(&f.report, "report", false, "print a report that you can give to others")
	return f
}

// wanted reports whether any of them was given.
func (f *recordFlag) wanted() bool { return f.requests || f.report || f.domain != "" || f.days != 0 }

func (f *recordFlag) check(follow bool) error {
	switch {
	case !f.requests:
		return env.Usage("said.cli.go-with-requests", nil)
	case follow:
		return env.Usage("said.cli.follow-and-requests", nil)
	case f.days < 0 || f.days > maxRecordDays:
		return env.Usage("said.cli.days-is-want", words.Args{"days": f.days, "most": maxRecordDays})
	case f.report && f.domain != "":
		return env.Usage("said.cli.report-is-about-all-domains", nil)
	}
	return nil
}

// recorder is a node, or the files of one, with a record of requests.
type recorder interface {
	Requests(ctx context.Context, q api.RequestQuery) (api.RequestPage, error)
	RequestReport(ctx context.Context, days int) (string, error)
}

func printRecord(ctx context.Context, e *env.Env, f *recordFlag, follow bool) error {
	if err := f.check(follow); err != nil {
		return err
	}
	ctx = api.WithLang(ctx, e.Lang.Of())
	return e.Ask(ctx, func(s env.Source) error {
		r, ok := s.(recorder)
		if !ok {
			return fmt.Errorf("%T keeps no record of requests", s)
		}
		if f.report {
			return printRequestReport(ctx, e, r, orDays(f.days, 7))
		}
		today := time.Now().UTC().Truncate(24 * time.Hour)
		return printRequests(ctx, e, r, f.domain, today.AddDate(0, 0, 1-orDays(f.days, 1)))
	})
}

func orDays(days, byDefault int) int {
	if days == 0 {
		return byDefault
	}
	return days
}

func printRequestReport(ctx context.Context, e *env.Env, r recorder, days int) error {
	text, err := r.RequestReport(ctx, days)
	if err != nil {
		return err
	}
	if e.JSON {
		return console.JSON(e.Out, map[string]any{"days": days, "report": text})
	}
	for line := range strings.Lines(text) {
		if _, err := fmt.Fprintln(e.Out, console.Printable(line)); err != nil {
			return err
		}
	}
	return nil
}

// printRequests prints requests since a time, the latest first; as JSON one a line.
func printRequests(ctx context.Context, e *env.Env, r recorder, domain string, since time.Time) error {
	q := api.RequestQuery{Limit: recordPage, Domain: domain}
	for {
		page, err := r.Requests(ctx, q)
		if err != nil {
			return err
		}
		for _, x := range page.Requests {
			if x.Time.Before(since) {
				return nil
			}
			if err := printRequest(e, x); err != nil {
				return err
			}
		}
		if q.Before = page.Next; page.Next == "" || pageIsBefore(page.Next, since) {
			return nil
		}
	}
}

// pageIsBefore reports whether a place lies in a day before another: what is there is not wanted,
// even if the page before it had nothing to show that.
func pageIsBefore(next string, since time.Time) bool {
	day, _, _ := strings.Cut(next, ".")
	return day < since.Format(time.DateOnly)
}

func printRequest(e *env.Env, x api.Request) error {
	if e.JSON {
		return json.NewEncoder(e.Out).Encode(x)
	}
	status := "-"
	if x.Status > 0 {
		status = fmt.Sprint(x.Status)
	}
	waited := ""
	if x.WaitedS >= 0 {
		waited = "; " + e.Lang.Text("log.waited", words.Args{"waited": e.Lang.Rate(x.WaitedS),
			"gap": e.Lang.Rate(x.GapS)})
	}
	why := e.Lang.Word("allowed", x.Allowed)
	if x.Rule != "" {
		why = x.Rule
	}
	if x.Checks != "" {
		by := e.Lang.Text("log.self", nil)
		if x.By != "" {
			by = language.ShortID(x.By)
		}
		why = strings.TrimPrefix(why+"; ", "; ") + e.Lang.Text("log.check",
			words.Args{"peer": language.ShortID(x.Checks), "by": by})
	}
	return printLine(e, fmt.Sprintf("%s  %-10s %3s  %s  (%s%s)  %s", x.Time.Local().Format(time.DateTime),
		e.Lang.Word("code", string(x.Code)), status,
		console.Printable(x.URL), console.Printable(why), waited, console.Printable(x.Title)))
}

// printLine prints a line of a log, of which a terminal shows as much as fits.
func printLine(e *env.Env, line string) error {
	if e.Columns > 0 {
		line = console.Cut(line, e.Columns)
	}
	_, err := fmt.Fprintln(e.Out, line)
	return err
}
