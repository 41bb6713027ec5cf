package main

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

// experiment is one row of the table.
type experiment struct {
	id    string // E1 to E17
	paper string // and where in it
	setup string
	said  string // the paper's numbers
	// trips says that it needs measured round trips.
	trips bool
	// lacks says why it cannot be run at all, "" if it can.
	lacks string
	// cost is about how many seconds it takes, for the bar.
	cost int
	run  func(*lab) (result, error)
}

// result is what a run of an experiment showed.
type result struct {
	ours string
	// marks are judged; an experiment without any is only shown.
	marks []mark
	// notes are what a reader must know, each a sentence or two: assumptions first.
	notes   []string
	tables  []table
	figures []draw.Figure
}

// mark is a bound that a figure must keep.
type mark struct {
	name      string
	got       float64
	low, high float64
	// because says why the figure is known to differ, if the reason is known.
	because string
}

func (m mark) holds() bool { return m.got >= m.low && m.got <= m.high }

// within is a mark of a figure that may differ by a part of what is wanted.
func within(name string, got, want, part float64) mark {
	return mark{name: name, got: got, low: want * (1 - part), high: want * (1 + part)}
}

// about is a mark of a figure that may differ by so much.
func about(name string, got, want, by float64) mark {
	return mark{name: name, got: got, low: want - by, high: want + by}
}

// atMost and atLeast are marks of figures that are not negative.
func atMost(name string, got, most float64) mark { return mark{name: name, got: got, high: most} }
func atLeast(name string, got, least float64) mark {
	return mark{name: name, got: got, low: least, high: 1e18}
}

// since says why a mark is known not to hold.
func (m mark) since(because string) mark {
	m.because = because
	return m
}

// is is a mark of a claim that is true or false.
func is(name string, holds bool) mark {
	got := 0.0
	if holds {
		got = 1
	}
	return mark{name: name, got: got, low: 1, high: 1}
}

func (m mark) String() string {
	switch {
	case m.low == 1 && m.high == 1:
		return m.name + " does not hold"
	case m.high >= 1e18:
		return fmt.Sprintf("%s is %.3g, not ≥ %.3g", m.name, m.got, m.low)
	case m.low == 0:
		return fmt.Sprintf("%s is %.3g, not ≤ %.3g", m.name, m.got, m.high)
	}
	return fmt.Sprintf("%s is %.3g, not %.3g to %.3g", m.name, m.got, m.low, m.high)
}

// failed are the marks that do not hold.
func (r result) failed() (failed []mark) {
	for _, m := range r.marks {
		if !m.holds() {
			failed = append(failed, m)
		}
	}
	return failed
}

// verdict says in a few words what came out.
func (r result) verdict() string {
	failed := r.failed()
	switch {
	case len(r.marks) == 0:
		return "shown"
	case failed == nil:
		return fmt.Sprintf("agrees (%d marks)", len(r.marks))
	}
	var why []string
	for _, m := range failed {
		because := m.because
		if because == "" {
			because = m.String()
		}
		if !slices.Contains(why, because) {
			why = append(why, because)
		}
	}
	return fmt.Sprintf("differs (%d of %d marks), because %s", len(failed), len(r.marks), strings.Join(why, "; "))
}

// lab is what experiments run in.
type lab struct {
	// trips are the round trips, nil if there are none.
	trips *rtt.Matrix
	// hosts is the graph of hosts that a crawl runs on, nil for a generated one.
	hosts *web.Graph
	// draws is how often a random choice is repeated.
	draws int
	// small says that sizes are those of tests.
	small bool
	seed  uint64
	// step says how much of an experiment is done, 0 to 1. It may be called by several goroutines.
	step func(done float64)
}

// random returns a source that follows from the seed and what is asked for.
func (l *lab) random(of string, i int) *rand.Rand {
	var salt uint64
	for _, c := range of {
		salt = salt*131 + uint64(c)
	}
	return rand.New(rand.NewPCG(l.seed+salt<<20, uint64(i)))
}

// size returns one of two sizes: that of the paper, or that of tests.
func (l *lab) size(full, small int) int {
	if l.small {
		return small
	}
	return full
}

// each calls fn for 0 to n-1, some at a time.
func (l *lab) each(n int, fn func(i int)) {
	var next, done atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				fn(i)
				l.step(float64(done.Add(1)) / float64(n))
			}
		})
	}
	wait.Wait()
}

// choice is a random choice of nodes that crawl; the others are sites.
type choice struct {
	trips    *rtt.Matrix
	rng      *rand.Rand
	crawlers []int
	sites    []int
}

// spread is a figure over many choices among all nodes, and its least and most over random halves of the nodes.
type spread struct{ median, low, high float64 }

func (s spread) String() string { return fmt.Sprintf("%.3g (%.3g–%.3g)", s.median, s.low, s.high) }

// halves is how many random halves of the nodes are looked at.
const halves = 10

// over runs an experiment on many choices of crawlers and returns the spread of each of its figures. All choices of
// one half are among the same nodes.
func (l *lab) over(name string, crawlers int, run func(c choice) []float64) []spread {
	perHalf := max(1, l.draws/halves)
	runs := make([][]float64, l.draws+halves*perHalf)
	l.each(len(runs), func(i int) {
		var nodes []int
		if i < l.draws {
			nodes = l.random(name, i).Perm(l.trips.Len())
		} else {
			nodes = l.random(name+" half", (i-l.draws)/perHalf).Perm(l.trips.Len())[:l.trips.Len()/2]
			l.random(name+" of a half", i).Shuffle(len(nodes), func(a, b int) { nodes[a], nodes[b] = nodes[b], nodes[a] })
		}
		runs[i] = run(choice{trips: l.trips, rng: l.random(name+" run", i), crawlers: nodes[:crawlers], sites: nodes[crawlers:]})
	})
	out := make([]spread, len(runs[0]))
	for f := range out {
		column := func(runs [][]float64) (c []float64) {
			for _, r := range runs {
				c = append(c, r[f])
			}
			return c
		}
		var medians []float64
		for h := range halves {
			from := l.draws + h*perHalf
			medians = append(medians, rtt.Median(column(runs[from:from+perHalf])))
		}
		out[f] = spread{rtt.Median(column(runs[:l.draws])), slices.Min(medians), slices.Max(medians)}
	}
	return out
}

// sliceOne is the sum of the figures that earlier drafts were measured on. Marks in milliseconds hold only there.
const sliceOne = "dd7fd6bb6917c55590e547d7c00a41f93175d4bda68ef0c81c8f372086165afc"

func (l *lab) isSliceOne() bool { return fmt.Sprintf("%x", l.trips.Sum) == sliceOne }
