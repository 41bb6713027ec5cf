package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/forage-net/forage/app"
)

// demoResult is what came of the demo.
type demoResult struct {
	// Complete says that the crawl came to its end by itself.
	Complete bool `json:"complete"`
	// Pages are those of the practice web, Fetched those that were had. The
	// practice web answered Requests requests, Twice of them for what it had
	// answered before.
	Pages    int     `json:"pages"`
	Fetched  int     `json:"fetched"`
	Requests int     `json:"requests"`
	Twice    int     `json:"fetched_twice"`
	Seconds  float64 `json:"seconds"`
	// Links counts those that one node found and another owns.
	Links int64            `json:"links_travelled"`
	Nodes []demoNodeResult `json:"nodes"`
}

type demoNodeResult struct {
	demoState
	WARC string `json:"warc"`
}

func (d *demoRun) result() demoResult {
	r := demoResult{Complete: d.done, Pages: d.tally.wanted(), Fetched: d.tally.fetched(), Seconds: d.took.Seconds(), Nodes: []demoNodeResult{}}
	r.Requests, r.Twice = d.tally.asked()
	for _, n := range d.swarm.nodes {
		x := demoNodeResult{demoState: n.now, WARC: n.warc}
		x.Domains = n.final
		r.Links += n.now.Sent
		r.Nodes = append(r.Nodes, x)
	}
	return r
}

// demoSummary says what came of the demo. A crawl that came to its end and is
// not right is an error.
func (e *env) demoSummary(r demoResult) error {
	if err := e.printDemo(r); err != nil {
		return err
	}
	switch {
	case r.Twice > 0:
		return fmt.Errorf("%s fetched what had been fetched", plural(r.Twice, "request"))
	case r.Complete && r.Fetched < r.Pages:
		return fmt.Errorf("%s not fetched", plural(r.Pages-r.Fetched, "page"))
	}
	return nil
}

func (e *env) printDemo(r demoResult) error {
	if e.json {
		return printJSON(e.out, r)
	}
	took := time.Duration(r.Seconds * float64(time.Second)).Round(time.Second)
	fmt.Fprintf(e.out, "%s\n%s travelled from the node that found them to their owners.\nThe WARC files are below %s:\n\n",
		r.verdict(took), plural(int(r.Links), "link"), e.home)
	rows := [][]string{{"NODE", "PAGES", "DOMAINS", "LINKS SENT", "LINKS TAKEN", "WARC FILES"}}
	for _, n := range r.Nodes {
		rows = append(rows, []string{
			number(int64(n.Number)), number(n.Pages), number(n.Domains), number(n.Sent), number(n.Taken),
			app.FormatBytes(n.Archive) + " in " + e.fromHome(n.WARC),
		})
	}
	if err := table(e.out, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(e.out, "\nReplayWeb.page opens what this makes of the first node's:\nforage export --format wacz DIR --home %s/1\n", e.home)
	return err
}

// fromHome shortens a path below the demo's home.
func (e *env) fromHome(path string) string {
	if short, err := filepath.Rel(e.home, path); err == nil {
		return short
	}
	return path
}

// verdict says how the crawl went, by the practice web's own account.
func (r demoResult) verdict(took time.Duration) string {
	var b strings.Builder
	if r.Fetched < r.Pages {
		fmt.Fprintf(&b, "%s of %s pages were fetched in %s", number(r.Fetched), number(r.Pages), took)
	} else {
		fmt.Fprintf(&b, "All %s pages were fetched in %s", number(r.Pages), took)
	}
	if r.Twice > 0 {
		fmt.Fprintf(&b, ", and %s asked for what had been fetched before.", plural(r.Twice, "request"))
	} else {
		b.WriteString(".\nEvery page was fetched once: the practice web's own log says so.")
	}
	return b.String()
}
