// Command search measures the search of archived pages: what it costs, and how well it finds.
//
//	go run ./cmd/bench/search [-pages N] [-least N] DIR
//
// It archives the HTML files below DIR, indexes them, and searches for pages that are known to be there. Queries are
// made by rule: from the titles of pages, and from sentences of their text. Whatever several pages answer equally is
// left out: a title that two pages have, a sentence that stands on two.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	o := options{}
	flag.IntVar(&o.pages, "pages", 4000, "read at most `N` pages")
	flag.IntVar(&o.queries, "queries", 500, "make at most `N` queries of each kind")
	flag.BoolVar(&o.verbose, "v", false, "print what was not found first")
	flag.StringVar(&o.profile, "profile", "", "write a profile of the processor time into `FILE`")
	flag.IntVar(&o.least, "least", 1024, "leave out files of less than `N` bytes")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: search [flags] DIR\n\nDIR is a directory of HTML files.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, flag.Arg(0), o); err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}
