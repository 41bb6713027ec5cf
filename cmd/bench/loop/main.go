// Command loop compares what forage and a bare loop use for the same web, the practice web:
//
//	go run ./cmd/bench/loop -forage bin/forage [-index yes] [-pages N] [-pairs N]
//
// Its pages have the bytes, tags and links that manuals of programming languages have, in UTF-8 and compressed.
//
// The loop (crawl.go) is the least that a crawl can be: it requests pages, inflates them by libraries, finds links in
// one pass over the bytes, and writes raw WARC records. It has no store, no robots.txt, no digests and no index, and
// syncs nothing. Forage has its limits and gaps off and everything else on, except for the search index where -index
// does not ask for it: it is another task than a crawl.
//
// The two take turns, each on one core (GOMAXPROCS and, where there is taskset, affinity), with the web on another.
// What counts is CPU time, user and system, from start to end, for each expected page that the server answered with
// status 200. One more turn of each is profiled, for the parts (parts.go).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/forage-net/forage/app/demo"
)

const (
	// crawlVerb makes the program the loop.
	crawlVerb = "crawl"
	// profileVariable asks forage and the loop for a CPU profile.
	profileVariable = "FORAGE_CPUPROFILE"
	// fetchers is how many requests each has in flight.
	fetchers = 16
)

func main() {
	run := compare
	if len(os.Args) == 6 && os.Args[1] == crawlVerb {
		run = crawl
	}
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "loop:", err)
		os.Exit(2)
	}
}

// turns are crawls of one web.
type turns struct {
	forage string // the binary
	index  string // its setting index.on
	web    *demo.Web
	pages  atomic.Int64 // expected ones that were got
}

// start serves a web on the first core.
func (t *turns) start(o demo.Options) (err error) {
	var expected []string
	o.Log = func(h demo.Hit) {
		if _, ok := slices.BinarySearch(expected, h.URL); ok && h.Status == 200 {
			t.pages.Add(1)
		}
	}
	exec.Command("taskset", "-apc", "0", strconv.Itoa(os.Getpid())).Run() // where there is none, the web is anywhere
	if t.web, err = demo.Start(o); err != nil {
		return err
	}
	expected = t.web.Expected()
	return t.web.Warm(context.Background())
}

// take has forage or the loop crawl the web, and returns the CPU time of a page in µs.
func (t *turns) take(forage bool, profile string) (cost float64, err error) {
	dir, err := os.MkdirTemp("", "forage-loop-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	hosts, pages, home := filepath.Join(dir, "hosts"), filepath.Join(dir, "pages"), filepath.Join(dir, "home")
	config := filepath.Join(home, "config.toml")
	err = errors.Join(os.MkdirAll(filepath.Dir(config), 0o700),
		os.WriteFile(config, []byte("index.on = \""+t.index+"\"\n"), 0o600),
		os.WriteFile(hosts, []byte(t.web.Hosts()), 0o600),
		os.WriteFile(pages, []byte(strings.Join(t.web.Expected(), "\n")+"\n"), 0o600))
	if err != nil {
		return 0, err
	}
	args := []string{os.Args[0], crawlVerb, hosts, pages, t.web.StartURL(), filepath.Join(home, "raw.warc")}
	if forage {
		args = []string{t.forage, "run", "--home", home, "--accept", "--lab", "--hosts", hosts,
			"--seeds", t.web.StartURL(), "--gap", "0s", "--fetchers", strconv.Itoa(fetchers),
			"--no-limits", "--no-tray", "--api", "127.0.0.1:0", "--exit-when-idle", "2s"}
	}
	if exec.Command("taskset", "-c", "1", "true").Run() == nil {
		args = append([]string{"taskset", "-c", "1"}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", profileVariable+"="+profile)
	t.pages.Store(0)
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%q: %w: %s", args, err, out)
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return float64(cpu.Microseconds()) / float64(max(t.pages.Load(), 1)), nil
}

// compare makes all turns and prints what they used.
func compare(stdout io.Writer) error {
	var t turns
	o := demo.Options{PageBytes: 47_000, Manual: true}
	flag.StringVar(&t.forage, "forage", "", "the binary to measure, a `path`")
	flag.StringVar(&t.index, "index", "no", "\"yes\" has forage index the words of pages, too")
	flag.IntVar(&o.Pages, "pages", 4000, "how many pages the practice web has")
	pairs := flag.Int("pairs", 5, "how many turns each has")
	flag.Parse()
	if t.forage == "" || *pairs < 1 {
		return errors.New("-forage is needed, and -pairs above 0")
	}
	if err := t.start(o); err != nil {
		return err
	}
	defer t.web.Close()
	var nodes, loops, ratios []float64
	fmt.Fprintf(stdout, "%8s  %8s  %5s  CPU s for 1,000 pages (pages got)\n", "forage", "loop", "ratio")
	for range *pairs {
		node, err := t.take(true, "")
		if err != nil {
			return err
		}
		got := t.pages.Load()
		loop, err := t.take(false, "")
		if err != nil {
			return err
		}
		nodes, loops, ratios = append(nodes, node), append(loops, loop), append(ratios, node/loop)
		fmt.Fprintf(stdout, "%8.3f  %8.3f  %5.2f  (%d, %d)\n", node/1000, loop/1000, node/loop, got, t.pages.Load())
	}
	node, loop := median(nodes), median(loops)
	fmt.Fprintf(stdout, "%8.3f  %8.3f  %5.2f  median\n\n", node/1000, loop/1000, median(ratios))
	return t.printParts(stdout, node, loop)
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
