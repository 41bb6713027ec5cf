// Command bench measures what a crawl costs. It serves the practice web in its
// own process, lets a forage binary crawl it as a child, politeness and limits
// off and everything else on, and reports what the child alone used: CPU time,
// peak memory, disk. What was fetched it takes from the server's log, not from
// the child's words, and a crawl that missed a page, fetched one twice or went
// where it must not is no measurement but a failure.
//
// Nothing is subtracted: start, end and the two idle seconds before it are in the
// figures. The web and the child share the machine, so pages per second say
// less than CPU time does.
//
// With -scale it measures the frontier instead, alone and without a network: its
// memory, speed and filters when that many URLs are known (scale.go and
// package scale). Private memory and filters are judged; speed is reported.
//
// With -swarm it measures networks of that many nodes, each a forage process,
// which begin together and crawl a web that grows with them: speed, CPU time,
// and what they sent, by kind of message. With -idle it measures nodes that
// have nothing to do. See swarm.go and swarmidle.go.
//
// With -rates it measures whether a node keeps to the rates that its user allows, with
// pages and peers that want more than there is (rates.go and package rates).
//
// With -cpu it measures whether a node that crawls keeps to the share of the machine that its user allows (cpu.go and cpureport.go).
//
// With -api it measures what open dashboards cost a node that crawls, and how long the calls of
// its API take meanwhile (api.go, dashboard.go and apiprobe.go).
//
// A run goes through crawl.go; the child and its launcher are in child.go, the
// judgement in tally.go, page sizes in sizes.go, the table in report.go.
//
// Usage:
//
//	bench -forage PATH [-pages N] [-page-bytes N] [-runs N]
//	      [-max-cpu SECONDS] [-max-rss MB] [-profile FILE] [-json]
//	bench -scale URLS[,URLS]... [-domains N] [-digests=false] [-paced DURATION]
//	      [-max-rss-anon MB] [-profile FILE] [-json]
//	bench -swarm NODES[,NODES]... [-node-domains N] [-node-pages N] [-fetchers N]
//	      [-latency DURATION] [-gap DURATION] [-forage PATH] [-profile FILE] [-json]
//	bench -idle NODES [-settle DURATION] [-watch DURATION] [-real-times]
//	      [-forage PATH] [-json]
//	bench -rates [-kbit RATES] [-over DURATION] [-json]
//	bench -cpu -forage PATH [-cpu-shares PERCENTS] [-cpu-over DURATION] [-json]
//	bench -api -forage PATH [-dashboards N] [-api-over DURATION] [-api-rounds N]
//	      [-api-pace home|full|both] [-profile FILE] [-json]
//
// The exit code is 0 if all was well, 1 if a crawl was wrong or a figure is
// beyond its limit, and 2 if nothing could be measured.
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

// Exit codes.
const (
	exitRight      = 0
	exitWrong      = 1
	exitUnmeasured = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) > 2 && os.Args[1] == launchVerb {
		os.Exit(launch(ctx, os.Args[2:], os.Stdout, os.Stderr))
	}
	if len(os.Args) == 3 && os.Args[1] == scaleVerb {
		os.Exit(runScale(ctx, os.Args[2], os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == probeVerb {
		os.Exit(probe(ctx, os.Args[2:], os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == webVerb {
		os.Exit(serveWeb(ctx, os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	if len(os.Args) > 1 && os.Args[1] == bystanderVerb {
		os.Exit(bystand(os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// options is what the command line says.
type options struct {
	forage  string
	pages   int
	bytes   int     // of a page, before it is compressed
	runs    int     // measured ones
	maxCPU  float64 // seconds per 1,000 pages, 0 for no limit
	maxRSS  float64 // MB, 0 for no limit
	profile string
	json    bool

	scale      []int // known URLs, one run each
	domains    int
	digests    bool
	paced      time.Duration
	maxRSSAnon float64 // MB, 0 for no limit

	swarm swarmOptions
	rates rateOptions
	api   apiOptions
	cpu   cpuOptions
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.forage, "forage", "", "the binary to measure, a `path`")
	flags.IntVar(&o.pages, "pages", 4000, "how many pages the practice web has")
	flags.IntVar(&o.bytes, "page-bytes", 49_000, "the least length of an ordinary page in `bytes`, before it is compressed")
	flags.IntVar(&o.runs, "runs", 3, "how many crawls to measure, 1 to 100")
	flags.Float64Var(&o.maxCPU, "max-cpu", 1.0, "CPU `seconds` per 1,000 pages the median may have; 0 for no limit")
	flags.Float64Var(&o.maxRSS, "max-rss", 150, "`MB` (a million bytes) of resident memory the median may have; 0 for no limit")
	flags.StringVar(&o.profile, "profile", "", "write a CPU profile of one more crawl to `FILE`; with -scale, of each run to FILE.URLS; with -swarm, of the first node of each to FILE.NODES; with -api, of each node to FILE.PACE")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	sizes := flags.String("scale", "", "measure the frontier alone with so many known URLs, `URLS[,URLS]...`")
	flags.IntVar(&o.domains, "domains", 50_000, "with -scale: in how many domains")
	flags.BoolVar(&o.digests, "digests", true, "with -scale: keep the digest of every page, as a node does")
	flags.DurationVar(&o.paced, "paced", 10*time.Second, "with -scale: how long to settle at the pace of a node")
	flags.Float64Var(&o.maxRSSAnon, "max-rss-anon", 250, "with -scale: `MB` of private memory a run may have; 0 for no limit")
	swarm := o.swarm.flags(flags)
	o.rates.flags(flags)
	o.api.flags(flags)
	o.cpu.flags(flags)
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	switch {
	case flags.NArg() > 0:
		return options{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.rates.on:
		return o.withRates()
	case o.api.on:
		return o.withAPI()
	case o.cpu.on:
		return o.withCPU()
	case *sizes != "":
		return o.withSizes(*sizes)
	case *swarm != "" || o.swarm.idle > 0:
		return o.withSwarm(*swarm)
	case o.forage == "":
		return options{}, errors.New("-forage is needed: build one with \"make build\" and give -forage bin/forage")
	case o.runs < 1 || o.runs > 100:
		return options{}, fmt.Errorf("-runs %d is out of range: 1 to 100", o.runs)
	case o.pages < 1 || o.bytes < 0:
		return options{}, errors.New("-pages must be above 0, and -page-bytes not below")
	case o.maxCPU < 0 || o.maxRSS < 0:
		return options{}, errors.New("-max-cpu and -max-rss cannot be negative")
	}
	if _, err := os.Stat(o.forage); err != nil {
		return options{}, fmt.Errorf("-forage: %w", err)
	}
	return o, nil
}

// withSizes returns the options of runs to a size.
func (o options) withSizes(list string) (options, error) {
	var err error
	if o.scale, err = parseSizes(list); err != nil {
		return options{}, err
	}
	if o.domains < 1 || o.paced < 0 || o.maxRSSAnon < 0 {
		return options{}, errors.New("-domains must be above 0, and -paced and -max-rss-anon not below")
	}
	return o, nil
}

// run measures as the arguments say and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(stderr, "bench:", err)
		}
		return exitUnmeasured
	}
	failures, err := measureAndPrint(ctx, o, stdout, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return exitUnmeasured
	}
	if failures > 0 {
		return exitWrong
	}
	return exitRight
}

// measureAndPrint returns how many failures it printed.
func measureAndPrint(ctx context.Context, o options, stdout, stderr io.Writer) (failures int, err error) {
	if len(o.scale) > 0 {
		r, err := measureScale(ctx, o, stderr)
		if err != nil {
			return 0, err
		}
		return len(r.Failures), r.print(stdout, o.json)
	}
	if o.rates.on {
		r, err := measureRates(ctx, o, stderr)
		if err != nil {
			return 0, err
		}
		return len(r.Failures), r.print(stdout, o.json)
	}
	if o.api.on {
		r, err := measureAPI(ctx, o, stderr)
		if err != nil {
			return 0, err
		}
		return len(r.Failures), r.print(stdout, o.json)
	}
	if o.cpu.on {
		r, err := measureCPU(ctx, o, stderr)
		if err != nil {
			return 0, err
		}
		return len(r.Failures), r.print(stdout, o.json)
	}
	if o.swarms() {
		r, err := measureSwarm(ctx, o, stderr)
		if err != nil {
			return 0, err
		}
		return len(r.Failures), r.print(stdout, o.json)
	}
	r, err := measure(ctx, o, stderr)
	if err != nil {
		return 0, err
	}
	return len(r.Failures), r.print(stdout, o.json)
}

// measure makes all crawls. Progress goes to stderr.
func measure(ctx context.Context, o options, stderr io.Writer) (*report, error) {
	r := newReport(o)
	for i := range o.runs {
		fmt.Fprintf(stderr, "crawl %d of %d ...\n", i+1, o.runs)
		c, err := crawlOnce(ctx, o, "", i == 0)
		if err != nil {
			return nil, fmt.Errorf("crawl %d: %w", i+1, err)
		}
		r.add(c)
	}
	if o.profile != "" {
		if err := profileOnce(ctx, o, stderr); err != nil {
			return nil, err
		}
	}
	r.judge(o)
	return r, nil
}

// profileOnce makes a crawl that is profiled and not measured.
func profileOnce(ctx context.Context, o options, stderr io.Writer) error {
	fmt.Fprintln(stderr, "one more crawl for the profile ...")
	c, err := crawlOnce(ctx, o, o.profile, false)
	if err != nil {
		return fmt.Errorf("crawl for the profile: %w", err)
	}
	if info, err := os.Stat(o.profile); err != nil || info.Size() == 0 {
		return fmt.Errorf("%s wrote no profile to %s", o.forage, o.profile)
	}
	fmt.Fprintf(stderr, "%s holds the profile of %d pages, which took %.2f CPU seconds\n", o.profile, c.pages, (c.User + c.System).Seconds())
	return nil
}
