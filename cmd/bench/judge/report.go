package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// table writes a verdict in lines of what was looked at, whether it was right,
// and figures, with examples of what was not.
func (v verdict) table(out io.Writer) {
	line := func(name string, wrong bool, figures string) {
		says := "right"
		if wrong {
			says = "wrong"
		}
		fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("%-14s %-6s %s", name, says, figures), " "))
	}
	line("coverage", len(v.Missing) > 0, fmt.Sprintf("%d of %d pages, %s", v.Fetched, v.Expected,
		percent(v.Fetched, v.Expected)))
	examples(out, v.Missing)
	line("overlap", v.Overlap > 0 && !v.againAllowed, fmt.Sprintf("%d answers that were had before", v.Overlap))
	examples(out, v.Twice)
	line("forbidden", len(v.Forbidden) > 0, fmt.Sprintf("%d requests", len(v.Forbidden)))
	examples(out, v.Forbidden)
	line("unnamed", len(v.Unnamed) > 0, fmt.Sprintf("%d requests to which nothing leads", len(v.Unnamed)))
	examples(out, v.Unnamed)
	line("robots first", len(v.Unrobotted) > 0, fmt.Sprintf("%d hosts asked before their robots.txt",
		len(v.Unrobotted)))
	examples(out, v.Unrobotted)
	line("gap", len(v.Short) > 0, v.gapFigures())
	examples(out, v.Short)
	note := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-21s %s\n", name, fmt.Sprintf(format, args...))
	}
	note("robots.txt", "%d requests to %d hosts, %d to one at most", v.RobotsTxt, v.Hosts, v.Most)
	note("requests", "%d in %.1f s, %s not HTML", v.Requests, v.Seconds, percent(v.NotHTML, v.Requests))
	if v.Seconds > 0 {
		note("pages per second", "%.1f", float64(v.Fetched)/v.Seconds)
	}
	if len(v.Beyond) > 0 {
		note("other pages", "%d, such as %s", len(v.Beyond), v.Beyond[0])
	}
	line("verdict", !v.Right, "")
}

func (v verdict) gapFigures() string {
	if v.SmallestAt == "" {
		return fmt.Sprintf("%d domains, none asked twice", v.Domains)
	}
	asked := "the crawl delays"
	if v.GapAsked != nil {
		asked = fmt.Sprint(seconds(*v.GapAsked))
	}
	return fmt.Sprintf("%d of %d in %d domains shorter than %s; smallest %s (%s), median %s", len(v.Short), v.Gaps,
		v.Domains, asked,
		seconds(v.Smallest), v.SmallestAt, seconds(v.Median).Round(100*time.Microsecond))
}

// shown is how many lines of a list are written.
const shown = 10

func examples(out io.Writer, lines []string) {
	for _, l := range lines[:min(shown, len(lines))] {
		fmt.Fprintf(out, "  %s\n", l)
	}
	if more := len(lines) - shown; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
}

func percent(n, of int) string {
	if of == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.2f %%", 100*float64(n)/float64(of))
}

// crawl is the verdict on one part of the log.
type crawl struct {
	From int64 `json:"from"` // its byte offset
	verdict
}

// report writes the verdicts, and returns whether all crawls were right.
func report(out io.Writer, crawls []crawl, asJSON bool) (bool, error) {
	right := true
	for _, c := range crawls {
		right = right && c.Right
	}
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return right, e.Encode(struct {
			Right  bool    `json:"right"`
			Crawls []crawl `json:"crawls"`
		}{right, crawls})
	}
	for i, c := range crawls {
		if len(crawls) > 1 {
			if i > 0 {
				fmt.Fprintln(out)
			}
			fmt.Fprintf(out, "from %d\n", c.From)
		}
		c.table(out)
	}
	return right, nil
}
