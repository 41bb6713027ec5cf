package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/forage-net/forage/cmd/papers/lab"
)

// bar shows on a terminal how much is done. Elsewhere a line for each experiment says how long it took.
type bar struct {
	mu       sync.Mutex
	out      io.Writer
	terminal bool
	current  lab.Experiment
	done     int // seconds that were foreseen, of what is over
	all      int
	shown    int // percent
}

func newBar(list []chosen, out io.Writer) *bar {
	b := &bar{out: out, terminal: isTerminal(out), shown: -1}
	for _, c := range list {
		if c.asked {
			b.all += c.Cost
		}
	}
	return b
}

func (b *bar) begin(e lab.Experiment) {
	b.mu.Lock()
	b.current = e
	b.mu.Unlock()
	b.step(0)
}

const barWidth = 30

// step draws the bar, if it changed.
func (b *bar) step(part float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	percent := int(100 * (float64(b.done) + part*float64(b.current.Cost)) / float64(max(b.all, 1)))
	if !b.terminal || percent <= b.shown {
		return
	}
	b.shown = percent
	full := barWidth * percent / 100
	fmt.Fprintf(b.out, "\r[%s%s] %3d %%  %-4s %-30.30s", strings.Repeat("#", full),
		strings.Repeat(".", barWidth-full), percent, b.current.ID, b.current.Paper)
}

func (b *bar) end(took time.Duration) {
	b.step(1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.done += b.current.Cost; b.terminal && b.done >= b.all {
		fmt.Fprintf(b.out, "\r%s\r", strings.Repeat(" ", barWidth+45))
	}
	if !b.terminal {
		fmt.Fprintf(b.out, "%-4s %5.1f s\n", b.current.ID, took.Seconds())
	}
}

// isTerminal reports whether a bar can be drawn on w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
