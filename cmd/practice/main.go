// Command practice serves the practice web (app/demo) from a process of its
// own, for crawls by several nodes and a judge that trusts none of them. It
// writes three files: the hosts for "forage run --lab --hosts", the truth for
// "judge -truth", and an access log. It says where the web starts and serves
// until it is interrupted.
//
// Usage:
//
//	practice [-domains 300] [-pages N] [-seed N] [-listen 127.0.0.1:0]
//	         [-latency 0s] [-hosts FILE] [-truth FILE] [-log FILE]
//
// The first two are complete when the start URL appears on standard output. The
// log grows a line with each answer; one that is there already is emptied.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/forage-net/forage/app/demo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "practice:", err)
		os.Exit(1)
	}
}

// pagesEach is how many pages a domain has on average if nothing is said: at a
// gap of 100 ms the largest then take some seven seconds.
const pagesEach = 40

// options is what the command line says.
type options struct {
	web               demo.Options
	hosts, truth, log string
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("practice", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.web.Sites, "domains", 300, "how many registrable domains, 1 to 1000")
	flags.IntVar(&o.web.Pages, "pages", 0, "how many pages in all (default 40 a domain)")
	flags.Uint64Var(&o.web.Seed, "seed", 0, "which of the webs that differ in texts and links")
	listen := flags.String("listen", "127.0.0.1:0",
		"loopback `ADDRESS:PORT` of the start page; each domain takes the next port, or any free one if it is 0")
	flags.DurationVar(&o.web.Latency, "latency", 0, "hold every answer back for so long")
	flags.StringVar(&o.hosts, "hosts", "", "write the names and addresses to `FILE`")
	flags.StringVar(&o.truth, "truth", "", "write what a right crawl does to `FILE`")
	flags.StringVar(&o.log, "log", "", "write the access log to `FILE`")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 {
		return options{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.web.Sites < 1 || o.web.Pages < 0 {
		return options{}, errors.New("-domains must be 1 at least, and -pages cannot be negative")
	}
	if o.web.Pages == 0 {
		// A web of few domains needs more for what they are peculiar by.
		o.web.Pages = max(pagesEach*o.web.Sites, 200)
	}
	address, port, err := net.SplitHostPort(*listen)
	if err != nil {
		return options{}, fmt.Errorf("-listen: %w", err)
	}
	o.web.Address = address
	if o.web.Port, err = strconv.Atoi(port); err != nil {
		return options{}, fmt.Errorf("-listen: %q is no port", port)
	}
	return o, nil
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	if o.log != "" {
		log, openErr := createLog(o.log)
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, log.Close()) }()
		o.web.Log = log.add
	}
	web, err := demo.Start(o.web)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, web.Close()) }() // before the log is closed
	if err := writeFile(o.hosts, func(w io.Writer) error {
		_, err := io.WriteString(w, web.Hosts())
		return err
	}); err != nil {
		return err
	}
	if err := writeFile(o.truth, web.WriteTruth); err != nil {
		return err
	}
	fmt.Fprintln(stdout, web.StartURL())
	fmt.Fprintf(stderr, "practice: %d pages in %d domains\n", o.web.Pages, o.web.Sites+1)
	<-ctx.Done()
	return nil
}

// writeFile writes a file; no name, no file.
func writeFile(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	err = write(f)
	return errors.Join(err, f.Close())
}
