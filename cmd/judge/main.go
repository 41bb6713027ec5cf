// Command judge says how well a crawler did on the nine-site test web, from
// the files the web serves and the server's access log alone.
//
// It works out for itself which HTML pages can be reached from
// http://start.test/ by links that robots.txt allows (truth.go, on the server
// in server.go and the rules in robots.go), reads what the server says was
// requested (log.go), and compares the two (verdict.go). It shares no code with the
// crawler it judges, so both cannot be wrong in the same way by accident.
//
// Usage:
//
//	judge -docs DIR -www DIR -log FILE [-from OFFSET | -since EPOCH]
//	      [-host NAME | -all] [-gap 2s] [-again]
//
// The exit code is 0 if the crawl was right, 1 if it was not and 2 if it
// could not be judged.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Exit codes.
const (
	exitRight    = 0
	exitWrong    = 1
	exitUnjudged = 2
)

// options is what the command line says.
type options struct {
	docs, www, log string
	from           int64
	since          float64
	host           string
	all, again     bool
	gap            time.Duration
}

// run judges one crawl and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stderr, "judge:", err)
		}
		return exitUnjudged
	}
	right, err := judge(ctx, testWeb(o.docs, o.www), o, stdout)
	switch {
	case err != nil:
		fmt.Fprintln(stderr, "judge:", err)
		return exitUnjudged
	case !right:
		return exitWrong
	}
	return exitRight
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("judge", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.docs, "docs", "", "the `directory` the Debian packages are unpacked in")
	flags.StringVar(&o.www, "www", "", "the `directory` of the start page, robots files and sitemaps")
	flags.StringVar(&o.log, "log", "", "the access log, a `file`")
	flags.Int64Var(&o.from, "from", 0, "judge the log from this byte `offset` on")
	flags.Float64Var(&o.since, "since", 0, "judge requests that ended at this Unix `time` or later, in seconds")
	flags.StringVar(&o.host, "host", "", "judge this `host` alone")
	flags.BoolVar(&o.all, "all", false, "judge policy.test as well, which is left out because of its crawl delay")
	flags.DurationVar(&o.gap, "gap", 0, "the least time between two requests to a host")
	flags.BoolVar(&o.again, "again", false, "pages may be fetched more than once, and not modified (304) counts as fetched")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	switch {
	case flags.NArg() > 0:
		return options{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.docs == "" || o.www == "" || o.log == "":
		return options{}, errors.New("-docs, -www and -log are needed")
	case o.from < 0 || o.since < 0 || o.gap < 0:
		return options{}, errors.New("-from, -since and -gap cannot be negative")
	case o.host != "" && o.all:
		return options{}, errors.New("-host and -all exclude each other")
	}
	return o, nil
}

// slowHost is judged only when asked for: at its crawl delay of 2 s a polite
// crawl of it takes longer than all the others together.
const slowHost = "policy.test"

// judge writes the report and says whether the crawl was right.
func judge(ctx context.Context, w web, o options, out io.Writer) (bool, error) {
	if o.host != "" && w.sites[o.host] == nil {
		return false, fmt.Errorf("host %s is not of this web", o.host)
	}
	judged := func(host string) bool {
		switch {
		case o.host != "":
			return host == o.host
		case o.all:
			return true
		}
		return host != slowHost
	}
	t, err := findTruth(ctx, w)
	if err != nil {
		return false, fmt.Errorf("find the truth: %w", err)
	}
	hits, err := readLogFile(o.log, o.from, o.since)
	if err != nil {
		return false, fmt.Errorf("read log: %w", err)
	}
	return compare(w, t, hits, judged, o.gap, o.again).report(out), nil
}
