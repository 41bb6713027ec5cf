// Command papers runs again the experiments of the papers that Forage stands on, and writes what came out:
// docs/papers.md with one row an experiment, a page for each, and pictures of the figures that readers know.
//
// Each experiment is a file, e01.go to e17.go, here and in package nearness: its set-up, the paper's numbers, the
// run, and the marks by which it is judged. Rows of ours drive the program's own packages p2p/ring, crawl/near,
// crawl/frontier and storage/bloom; what others do is in package rival. Crawls run in package sim on a made-up web of
// package web. All follows from the seed, except which sites the book of crawl/near forgets above 8,192. Round trips
// (package rtt) and a graph of hosts are read from -data; what lacks them is not run, and says so.
//
// Usage:
//
//	papers [-data PATH] [-out FILE] [-only E2,E5] [-seed N] [-draws N]
//
// The exit code is 0 if all ran, whatever came out, 1 if something could not be run, and 2 for a wrong usage.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/cmd/papers/web"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("papers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	data := flags.String("data", "",
		"a `path`: a directory with round trips (PlanetLabData_*) and a graph of hosts (vertices.txt, edges.txt, "+
			"or .gz), or one file of round trips")
	out := flags.String("out", "docs/papers.md", "the `file` to write; pictures go to the directory papers beside it")
	only := flags.String("only", "", "which `experiments` to run, such as E2,E5")
	l := &lab.Lab{Step: func(float64) {}}
	flags.Uint64Var(&l.Seed, "seed", 1, "what all random choices follow from")
	flags.IntVar(&l.Draws, "draws", 30, "how often a random choice is repeated, 1 to 1,000")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 || l.Draws < 1 || l.Draws > 1000 {
		return 2
	}
	if err := read(l, *data); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	chosen, err := choose(experiments, *only)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 2
	}
	rows, err := runAll(l, chosen, stderr)
	if err == nil {
		err = write(*out, rows, l)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	for _, r := range rows {
		fmt.Fprintf(stdout, "%-4s %s\n", r.ID, r.verdictOf(l))
	}
	return 0
}

// leastNodes leaves sites in a half of the nodes when 70 of them crawl.
const leastNodes = 160

// read reads the data that a path has. A directory may lack either kind.
func read(l *lab.Lab, path string) (err error) {
	if path == "" {
		return nil
	}
	if l.Trips, err = rtt.Find(path); err != nil && !errors.Is(err, rtt.ErrNone) {
		return err
	}
	if l.Trips != nil && l.Trips.Len() < leastNodes {
		return fmt.Errorf("%s has %d nodes, and the experiments need %d", l.Trips.Name, l.Trips.Len(), leastNodes)
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return err
	}
	l.Hosts, err = web.Find(path)
	return err
}

// chosen says which experiments are to be run.
type chosen struct {
	lab.Experiment
	asked bool
}

func choose(all []lab.Experiment, only string) (list []chosen, err error) {
	names := strings.FieldsFunc(only, func(c rune) bool { return c == ',' })
	for _, e := range all {
		list = append(list, chosen{e, len(names) == 0 || slices.Contains(names, e.ID)})
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(e lab.Experiment) bool { return e.ID == name }) {
			return nil, fmt.Errorf("there is no experiment %s", name)
		}
	}
	return list, nil
}

// runAll runs what was asked for and can be run, one after the other.
func runAll(l *lab.Lab, list []chosen, stderr io.Writer) (rows []row, err error) {
	bar := newBar(list, stderr)
	for _, c := range list {
		r := row{Experiment: c.Experiment}
		if c.asked && c.Lacks == "" && (!c.Trips || l.Trips != nil) {
			bar.begin(c.Experiment)
			l.Step = bar.step
			began := time.Now()
			res, err := c.Run(l)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.ID, err)
			}
			r.Result = &res
			bar.end(time.Since(began))
		}
		rows = append(rows, r)
	}
	return rows, nil
}
