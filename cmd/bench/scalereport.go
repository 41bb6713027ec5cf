package main

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"

	"github.com/forage-net/forage/cmd/bench/scale"
)

const (
	// maxBloomError is the part of new URLs that the filters may take for
	// known ones. They are made for half of it; what is counted is a small number.
	maxBloomError = 2e-6
	// wantEnqueues is how many URLs a second are to be taken in. It is
	// reported and not judged: it depends on the machine and what else runs there.
	wantEnqueues = 10_000
)

// scaleReport is what bench prints of runs to a size.
type scaleReport struct {
	System     string   `json:"system"`
	CPUs       int      `json:"gomaxprocs"`
	GoVersion  string   `json:"go_version"`
	Domains    int      `json:"domains"`
	MaxRSSAnon float64  `json:"max_rss_anon_mb"` // 0 for no limit
	Runs       []scaled `json:"runs"`
	Failures   []string `json:"failures"`
}

func newScaleReport(o options) *scaleReport {
	return &scaleReport{
		System: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0), GoVersion: runtime.Version(),
		Domains: o.domains, MaxRSSAnon: o.maxRSSAnon, Failures: []string{},
	}
}

// judge holds the runs to what does not depend on time.
func (r *scaleReport) judge() {
	for _, run := range r.Runs {
		wrong := func(format string, args ...any) {
			r.Failures = append(r.Failures, fmt.Sprintf("%d URLs: ", run.URLs)+fmt.Sprintf(format, args...))
		}
		for _, s := range run.Stages {
			if peak := float64(s.PeakRSSAnon) / 1e6; r.MaxRSSAnon > 0 && peak > r.MaxRSSAnon {
				wrong("%.1f MB of private memory with %d known, want %g at most", peak, s.Known, r.MaxRSSAnon)
			}
		}
		// One is allowed everywhere: a small run has too few to tell a rate.
		if limit := max(1, maxBloomError*float64(run.Probes)); float64(run.Wrong) > limit {
			wrong("the filters know %d of %d URLs that were never added, want %.0f at most", run.Wrong, run.Probes, limit)
		}
		if run.Missing > run.Dropped {
			wrong("the filters miss %d URLs that were added", run.Missing)
		}
		if run.Faults != "" {
			wrong("the frontier contradicts itself: %s", run.Faults)
		}
		if run.Late > 0 {
			wrong("%d outcomes found no task", run.Late)
		}
	}
}

// print writes the report as tables, or as JSON.
func (r *scaleReport) print(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	fmt.Fprintf(w, "%s, %d cores, %s; %d domains\n", r.System, r.CPUs, r.GoVersion, r.Domains)
	for i := range r.Runs {
		if err := r.Runs[i].print(w); err != nil {
			return err
		}
	}
	for _, f := range r.Failures {
		if _, err := fmt.Fprintln(w, "WRONG:", f); err != nil {
			return err
		}
	}
	return nil
}

func (s *scaled) print(w io.Writer) error {
	fmt.Fprintf(w, "\n%d URLs of %.1f bytes, %.1f %% of them in the largest domain; %d dropped, %d lost to the filters\n",
		s.Known, s.URLBytes, s.Largest*100, s.Dropped, s.Lost)
	fmt.Fprintf(w, "filters: %d of %d unknown URLs taken for known (%.1e), %d known ones missed; %d blocks, %.2f bytes a URL, %.2f in the store\n",
		s.Wrong, s.Probes, float64(s.Wrong)/float64(max(s.Probes, 1)), s.Missing,
		s.Blocks, float64(s.FilterBytes)/float64(max(s.Known, 1)), float64(s.FilterPages)/float64(max(s.Known, 1)))
	fmt.Fprintf(w, "from the closed store to the first lease: %.2f s\n\n", s.Restart)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "known\tqueued\tRssAnon MB\tpeak MB\theap MB\tstore MB\t")
	for _, g := range s.Stages {
		fmt.Fprintf(table, "%d\t%d\t%.1f\t%.1f\t%.1f\t%.0f\t\n", g.Known, g.Queued,
			float64(g.RSSAnon)/1e6, float64(g.PeakRSSAnon)/1e6, float64(g.HeapInUse)/1e6, float64(g.StoreBytes)/1e6)
	}
	fmt.Fprintln(table, "\nstretch\tsettles\tnew\tcommits\twall s\tsettles/s\tnew/s\toffered/s\tCPU s\tof it web\tCPU s/1,000 settles\tCPU s/10,000 new\tkB written/entry\t")
	for _, g := range s.Stages {
		for _, span := range g.Spans {
			if span.Settles+span.New > 0 {
				printSpan(table, span)
			}
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if slowest := s.slowestEnqueues(); slowest > 0 && slowest < wantEnqueues {
		_, err := fmt.Fprintf(w, "SLOW: %.0f URLs a second taken in, want %d\n", slowest, wantEnqueues)
		return err
	}
	return nil
}

// printSpan writes a line. What the made-up web took is not in the cost of
// an entry; an entry is a settle where there are any, else a URL.
func printSpan(w io.Writer, s scale.Span) {
	cpu := max(s.CPU-s.Making, 0)
	entries := s.Settles
	if entries == 0 {
		entries = s.New
	}
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%.1f\t%s\t%s\t%s\t%.2f\t%.2f\t%s\t%s\t%s\t\n", s.Name, s.Settles, s.New, s.Commits, s.Wall,
		ratio("%.0f", float64(s.Settles), s.Wall), ratio("%.0f", float64(s.New), s.Wall), ratio("%.0f", float64(s.Offered), s.Wall),
		s.CPU, s.Making, ratio("%.3f", 1000*cpu, float64(s.Settles)), ratio("%.3f", 10_000*cpu, float64(s.New)),
		ratio("%.1f", float64(s.Written)/1000, float64(entries)))
}

// ratio formats a/b, or a dash where either is 0.
func ratio(format string, a, b float64) string {
	if a == 0 || b == 0 {
		return "–"
	}
	return fmt.Sprintf(format, a/b)
}

// slowestEnqueues returns the least rate of URLs taken in where nothing else was done.
func (s *scaled) slowestEnqueues() float64 {
	var rates []float64
	for _, g := range s.Stages {
		for _, span := range g.Spans {
			if span.Settles == 0 && span.Wall > 0 {
				rates = append(rates, float64(span.New)/span.Wall)
			}
		}
	}
	if len(rates) == 0 {
		return 0
	}
	return slices.Min(rates)
}
