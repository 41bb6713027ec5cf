// Command judge says how well a crawler did, from a server's access log and
// from what the server was to be asked for, and from nothing else: which nodes
// crawled and what they say of it does not count. It shares no code with the crawler it
// judges, so both cannot be wrong in the same way by accident.
//
// The truth about the nine-site test web it works out for itself: which HTML
// pages can be reached from http://start.test/ by links that robots.txt allows
// (truth.go, on the server in server.go and the rules in robots.go). The truth about
// a practice web comes from a file that its server writes (claims.go).
//
// It reads what was requested (log.go) and compares (verdict.go): every page
// fetched, no URL twice, nothing that is forbidden or that nothing leads to,
// robots.txt first, and between the requests to a registrable domain, whoever
// made them and whichever of its hosts was asked, never less than the gap
// (gaps.go).
//
// Usage:
//
//	judge {-truth FILE | -docs DIR -www DIR} -log FILE
//	      [-from OFFSET]... [-since EPOCH] [-host NAME | -all]
//	      [-gap 2s] [-tolerance 500us] [-again] [-json]
//
// Several offsets are several crawls, each judged by itself up to where the
// next begins. The exit code is 0 if all crawls were right, 1 if one was not
// and 2 if it could not be judged.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
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
	docs, www, truth, log string
	from                  []int64 // ascending; empty for the whole log
	since                 float64
	host                  string
	all, again, json      bool
	gap                   time.Duration // below 0 if crawl delays count instead
	tolerance             time.Duration // below 0 for what the log calls for
}

// run judges the crawls and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stderr, "judge:", err)
		}
		return exitUnjudged
	}
	right, err := o.judge(ctx, stdout)
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
	o := options{gap: -1, tolerance: -1}
	flags := flag.NewFlagSet("judge", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.docs, "docs", "", "the `directory` the Debian packages of the test web are unpacked in")
	flags.StringVar(&o.www, "www", "", "the `directory` of the test web's start page, robots files and sitemaps")
	flags.StringVar(&o.truth, "truth", "", "what the practice web expects, a `file`")
	flags.StringVar(&o.log, "log", "", "the access log, a `file`")
	flags.Func("from", "judge the log from this byte `offset` on; may be repeated, each to the next being a crawl",
		o.addFrom)
	flags.Float64Var(&o.since, "since", 0, "judge requests that ended at this Unix `time` or later, in seconds")
	flags.StringVar(&o.host, "host", "", "judge this `host` alone")
	flags.BoolVar(&o.all, "all", false,
		"judge policy.test of the test web as well, which is left out because of its crawl delay")
	flags.Func("gap", "the least `duration` between two requests to a domain, from the end of one to the start of "+
		"the next, instead of the crawl delays",
		durationOf(&o.gap))
	flags.Func("tolerance", "how much `shorter` a gap may be, because of what the log rounds (default 500us, 5ms "+
		"if it does not tell when requests began)",
		durationOf(&o.tolerance))
	flags.BoolVar(&o.again, "again", false,
		"pages may be fetched more than once, and not modified (304) counts as fetched")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	switch {
	case flags.NArg() > 0:
		return options{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.log == "":
		return options{}, errors.New("-log is needed")
	case o.truth == "" && (o.docs == "" || o.www == ""), o.truth != "" && (o.docs != "" || o.www != ""):
		return options{}, errors.New("either -truth or -docs and -www are needed")
	case o.since < 0:
		return options{}, errors.New("-since cannot be negative")
	case o.host != "" && o.all:
		return options{}, errors.New("-host and -all exclude each other")
	}
	return o, nil
}

// addFrom takes one -from.
func (o *options) addFrom(text string) error {
	offset, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return err
	case offset < 0:
		return errors.New("it cannot be negative")
	case len(o.from) > 0 && offset <= o.from[len(o.from)-1]:
		return errors.New("each must be greater than the one before")
	}
	o.from = append(o.from, offset)
	return nil
}

// durationOf returns what parses a flag that cannot be negative.
func durationOf(d *time.Duration) func(string) error {
	return func(text string) error {
		value, err := time.ParseDuration(text)
		if err == nil && value < 0 {
			err = errors.New("it cannot be negative")
		}
		*d = value
		return err
	}
}
