package demo

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

// Result is what came of the demo.
type Result struct {
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
	Links int64        `json:"links_travelled"`
	Nodes []nodeResult `json:"nodes"`
}

type nodeResult struct {
	state
	WARC string `json:"warc"`
}

func (d *run) result() Result {
	r := Result{Complete: d.done, Pages: d.tally.wanted(), Fetched: d.tally.fetched(), Seconds: d.took.Seconds(),
		Nodes: []nodeResult{}}
	r.Requests, r.Twice = d.tally.asked()
	for _, n := range d.swarm.nodes {
		x := nodeResult{state: n.now, WARC: n.warc}
		x.Domains, x.Rests = n.final, n.rested
		r.Links += n.now.Sent
		r.Nodes = append(r.Nodes, x)
	}
	return r
}

// printSummary says what came of the demo. A crawl that came to its end and is
// not right is an error.
func printSummary(e *env.Env, r Result) error {
	if err := printDemo(e, r); err != nil {
		return err
	}
	switch {
	case r.Twice > 0:
		return words.New("cli.demo.wrong", words.Args{"count": r.Twice})
	case r.Complete && r.Fetched < r.Pages:
		return words.New("cli.demo.missing", words.Args{"count": r.Pages - r.Fetched})
	}
	return nil
}

func printDemo(e *env.Env, r Result) error {
	if e.JSON {
		return console.JSON(e.Out, r)
	}
	took := time.Duration(r.Seconds * float64(time.Second)).Round(time.Second)
	fmt.Fprintln(e.Out, r.verdict(e.Lang, took))
	for _, n := range r.Nodes {
		if r.Fetched < r.Pages && n.Rests != "" {
			e.Tell("demo.rested", words.Args{"node": n.Number, "sentence": n.Rests})
		}
	}
	e.Tell("demo.travelled", words.Args{"count": r.Links, "home": e.Home})
	fmt.Fprintln(e.Out)
	rows := [][]string{e.Lang.Heading("result", "node", "pages", "domains", "sent", "taken", "warc")}
	number := e.Lang.Number
	for _, n := range r.Nodes {
		rows = append(rows, []string{
			number(int64(n.Number)), number(n.Pages), number(n.Domains), number(n.Sent), number(n.Taken),
			e.Lang.Text("result.in", words.Args{"size": e.Lang.Bytes(n.Archive), "folder": fromHome(e, n.WARC)}),
		})
	}
	if err := console.Table(e.Out, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(e.Out, "\n%s\nforage export --format wacz DIR --home %s\n",
		e.Lang.Text("demo.replay", nil), env.ShellQuoted(filepath.Join(e.Home, "1")))
	return err
}

// fromHome shortens a path below the demo's home.
func fromHome(e *env.Env, path string) string {
	if short, err := filepath.Rel(e.Home, path); err == nil {
		return short
	}
	return path
}

// verdict says how the crawl went, by the practice web's own account.
func (r Result) verdict(lang language.Language, took time.Duration) string {
	key, args := "demo.all", words.Args{"fetched": r.Fetched, "pages": r.Pages, "time": took.String()}
	if r.Fetched < r.Pages {
		key = "demo.some"
	}
	if r.Twice > 0 {
		return lang.Text(key, args) + lang.Text("demo.again", words.Args{"count": r.Twice})
	}
	once := "demo.once"
	if r.Fetched < r.Pages {
		once = "demo.twice.none"
	}
	return lang.Text(key, args) + lang.Text(once, nil)
}
