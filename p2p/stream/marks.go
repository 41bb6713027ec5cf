package stream

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/forage-net/forage/p2p/codec"
)

const (
	// MaxRuns is how many runs the marks of a shard name. Beyond it the runs of the lowest generations are forgotten: a
	// run that nobody knows counts as one that nobody has, which costs a pull.
	MaxRuns = 64
	// maxNumber bounds the numbers of a run that peers may name, so that no sum overflows.
	maxNumber = 1 << 56
	// maxGeneration is the highest generation of a run.
	maxGeneration = 1<<24 - 1
)

// Run names the commits of one store since one moment: a generation (24 bits) before what chance gave (40 bits).
type Run uint64

// NewRun returns the run of a generation, at most 2^24-1, with 40 bits of chance.
func NewRun(generation, chance uint64) Run {
	return Run(min(generation, maxGeneration)<<40 | chance&(1<<40-1))
}

// Generation returns the run's generation: leaders draw one above the highest that they know.
func (r Run) Generation() uint64 { return uint64(r) >> 40 }

func (r Run) String() string { return fmt.Sprintf("%d-%010x", r.Generation(), uint64(r)&(1<<40-1)) }

// Stamp names one content of an item for ever.
type Stamp struct {
	Run Run
	N   uint64
}

// Marks say for each run up to which number a store has everything. The nil Marks have nothing.
type Marks map[Run]uint64

// Has reports whether what s names is covered. An unknown run is not.
func (m Marks) Has(s Stamp) bool {
	n, ok := m[s.Run]
	return ok && n >= s.N
}

// Covers reports whether m has everything that o has.
func (m Marks) Covers(o Marks) bool {
	for r, n := range o {
		if !m.Has(Stamp{r, n}) {
			return false
		}
	}
	return true
}

// join raises m to what o has.
func (m Marks) join(o Marks) {
	for r, n := range o {
		if !m.Has(Stamp{r, n}) {
			m[r] = n
		}
	}
}

// trim forgets the lowest runs beyond MaxRuns that need not be kept.
func (m Marks) trim(keep func(Run) bool) {
	for _, r := range m.runs() {
		if len(m) > MaxRuns && !keep(r) {
			delete(m, r)
		}
	}
}

// runs returns the runs in ascending order.
func (m Marks) runs() []Run { return slices.Sorted(maps.Keys(m)) }

// short returns a hash of the marks of all runs but one. It is 0 for none.
func (m Marks) short(r Run) uint32 {
	others := maps.Clone(m)
	if delete(others, r); len(others) == 0 {
		return 0
	}
	h := fnv.New32a()
	h.Write(others.encode())
	return h.Sum32()
}

// highest returns the highest generation, 0 for none.
func (m Marks) highest() uint64 {
	var g uint64
	for r := range m {
		g = max(g, r.Generation())
	}
	return g
}

// Write writes the marks in the order of runs.
func (m Marks) Write(w *codec.Writer) {
	codec.WriteList(w, m.runs(), func(r Run) {
		w.Fixed(uint64(r))
		w.Uint(m[r])
	})
}

// ReadMarks reads what Write wrote, of twice MaxRuns at most: not nil.
func ReadMarks(r *codec.Reader) Marks {
	m, last := make(Marks), Run(0)
	for n := r.UpTo(2 * MaxRuns); n > 0 && !r.Failed; n-- {
		run := readRun(r)
		if len(m) > 0 && run <= last {
			r.Fail()
		}
		m[run], last = r.UpTo(maxNumber), run
	}
	return m
}

func (m Marks) encode() []byte {
	w := &codec.Writer{}
	m.Write(w)
	return w.B
}

// parseMarks is the reverse.
func parseMarks(b []byte) (Marks, error) {
	r := &codec.Reader{B: b}
	m := ReadMarks(r)
	if !r.Done() {
		return nil, fmt.Errorf("stored marks: %w", errStored)
	}
	return m, nil
}

func readRun(r *codec.Reader) Run { return Run(r.Fixed()) }
