// Command search measures the search of archived pages: what it costs, and how well it finds.
//
//	go run ./cmd/bench/search [-pages N] [-dump DIR] DIR
//
// It archives the HTML files below DIR, indexes them, and searches for pages that are known to be there. Queries are
// made by rule: from the titles of pages, and from sentences of their text. Whatever several pages answer equally is
// left out: a title that two pages have, a sentence that stands on two. With -dump it writes pages and queries as JSON
// lines, for others to answer.
//
//	go run ./cmd/bench/search -synthetic N [-stored N]
//
// It makes an index of N pages of random words, which are distributed like those of a language, and searches it for
// words; and an archive of fewer pages with an index, which it searches for phrases. One processor does all of it.
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
	flag.StringVar(&o.dump, "dump", "", "write pages and queries into the directory `DIR`")
	flag.BoolVar(&o.verbose, "v", false, "print what was not found first")
	flag.StringVar(&o.profile, "profile", "", "write a profile of the processor time into `FILE`")
	flag.IntVar(&o.least, "least", 1024, "leave out files of less than `N` bytes")
	flag.IntVar(&o.synthetic, "synthetic", 0, "index `N` pages of random words, and search those")
	flag.IntVar(&o.stored, "stored", 50_000,
		"with -synthetic, archive `N` pages of random words, and search those for phrases")
	flag.StringVar(&o.at, "at", "",
		"with -synthetic, make the index in the directory `DIR`, or search the one that is there")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: search [flags] DIR\n\nDIR is a directory of HTML files.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if (flag.NArg() != 1) != (o.synthetic > 0) {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	work := run
	if o.synthetic > 0 {
		work = synthetic
	}
	if err := work(ctx, os.Stdout, flag.Arg(0), o); err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}
