// Package lab has what experiments of cmd/papers have in common: how one is described and judged, and how a figure
// over random choices of nodes is made.
package lab

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/rtt"
	"github.com/forage-net/forage/cmd/papers/web"
)

// Experiment is one row of the table.
type Experiment struct {
	ID    string // E1 to E17
	Paper string // and where in it
	Setup string
	Said  string // the paper's numbers
	// Trips says that it needs measured round trips.
	Trips bool
	// Lacks says why it cannot be run at all, "" if it can.
	Lacks string
	// Cost is about how many seconds it takes, for the bar.
	Cost int
	// Run runs it in a lab that has what it needs.
	Run func(*Lab) (Result, error)
}

// Result is what a run of an experiment showed.
type Result struct {
	Ours string
	// Marks are judged; an experiment without any is only shown.
	Marks []Mark
	// Notes are what a reader must know, each a sentence or two: assumptions first.
	Notes   []string
	Tables  []Table
	Figures []draw.Figure
}

// Lab is what experiments run in.
type Lab struct {
	// Trips are the round trips, nil if there are none.
	Trips *rtt.Matrix
	// Hosts is the graph of hosts that a crawl runs on, nil for a generated one.
	Hosts *web.Graph
	// Draws is how often a random choice is repeated.
	Draws int
	// Small says that sizes are those of tests.
	Small bool
	// Seed is what all that is random follows from.
	Seed uint64
	// Step says how much of an experiment is done, 0 to 1. It may be called by several goroutines.
	Step func(done float64)
}

// Random returns a source that follows from the seed and what is asked for.
func (l *Lab) Random(of string, i int) *rand.Rand {
	var salt uint64
	for _, c := range of {
		salt = salt*131 + uint64(c)
	}
	return rand.New(rand.NewPCG(l.Seed+salt<<20, uint64(i)))
}

// Size returns one of two sizes: that of the paper, or that of tests.
func (l *Lab) Size(full, small int) int {
	if l.Small {
		return small
	}
	return full
}

// Each calls fn for 0 to n-1, some at a time.
func (l *Lab) Each(n int, fn func(i int)) {
	var next, done atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				fn(i)
				l.Step(float64(done.Add(1)) / float64(n))
			}
		})
	}
	wait.Wait()
}

// Choice is a random choice of nodes that crawl; the others are sites.
type Choice struct {
	Trips    *rtt.Matrix
	Rng      *rand.Rand
	Crawlers []int
	Sites    []int
}

// Spread is a figure over many choices among all nodes, and its least and most over random halves of the nodes.
type Spread struct{ Median, Low, High float64 }

// String says all three.
func (s Spread) String() string { return fmt.Sprintf("%.3g (%.3g–%.3g)", s.Median, s.Low, s.High) }

// halves is how many random halves of the nodes are looked at.
const halves = 10

// Over runs an experiment on many choices of crawlers and returns the spread of each of its figures. All choices of
// one half are among the same nodes.
func (l *Lab) Over(name string, crawlers int, run func(c Choice) []float64) []Spread {
	perHalf := max(1, l.Draws/halves)
	runs := make([][]float64, l.Draws+halves*perHalf)
	l.Each(len(runs), func(i int) {
		var nodes []int
		if i < l.Draws {
			nodes = l.Random(name, i).Perm(l.Trips.Len())
		} else {
			nodes = l.Random(name+" half", (i-l.Draws)/perHalf).Perm(l.Trips.Len())[:l.Trips.Len()/2]
			l.Random(name+" of a half", i).Shuffle(len(nodes),
				func(a, b int) { nodes[a], nodes[b] = nodes[b], nodes[a] })
		}
		runs[i] = run(Choice{Trips: l.Trips, Rng: l.Random(name+" run", i), Crawlers: nodes[:crawlers],
			Sites: nodes[crawlers:]})
	})
	out := make([]Spread, len(runs[0]))
	for f := range out {
		column := func(runs [][]float64) (c []float64) {
			for _, r := range runs {
				c = append(c, r[f])
			}
			return c
		}
		var medians []float64
		for h := range halves {
			from := l.Draws + h*perHalf
			medians = append(medians, rtt.Median(column(runs[from:from+perHalf])))
		}
		out[f] = Spread{rtt.Median(column(runs[:l.Draws])), slices.Min(medians), slices.Max(medians)}
	}
	return out
}

// sliceOne is the sum of the figures that earlier drafts were measured on. Marks in milliseconds hold only there.
const sliceOne = "dd7fd6bb6917c55590e547d7c00a41f93175d4bda68ef0c81c8f372086165afc"

// IsSliceOne reports whether the round trips are those of slice 1 of PlanetLab.
func (l *Lab) IsSliceOne() bool { return fmt.Sprintf("%x", l.Trips.Sum) == sliceOne }

// Table is lines of columns that part at |; the first is its head.
type Table []string

// Write writes it as Markdown.
func (t Table) Write(b *strings.Builder) {
	for i, line := range t {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "| %s |\n", line)
		if i == 0 {
			fmt.Fprintf(b, "| ---%s |\n", strings.Repeat(" | ---:", strings.Count(line, "|")))
		}
	}
}

// TripsName says what the round trips are.
func (l *Lab) TripsName() string {
	if l.Trips == nil {
		return "no round trips"
	}
	return fmt.Sprintf("round trips of %s (%d nodes, SHA-256 %x…)", l.Trips.Name, l.Trips.Len(), l.Trips.Sum[:6])
}

// HostsName says what the graph of hosts is.
func (l *Lab) HostsName() string {
	if l.Hosts == nil {
		return "a generated graph of hosts"
	}
	return "hosts of " + l.Hosts.Name
}
