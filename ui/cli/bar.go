package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/progress"
)

const (
	// barEvery is between two redraws of a bar.
	barEvery = 150 * time.Millisecond
	// barWait is how long work must take until a bar is worth a look.
	barWait = 300 * time.Millisecond
	// barLength is of the bar alone, in columns, where there is room; with less than leastBar there is none.
	barLength = 20
	leastBar  = 5
	// rateAfter is how long work must have gone on until what is left can be told from it.
	rateAfter = time.Second
)

// bar shows on standard error how far long work is, where that is a terminal, and takes itself away at
// the end. It has no colour. It is safe for concurrent use.
type bar struct {
	out     io.Writer // nil where nobody would see it
	lang    language
	columns func() int
	now     func() time.Time

	mu      sync.Mutex
	report  progress.Report
	started time.Time // the present work
	due     time.Time // when it may be drawn again
	drawn   bool
}

// openBar returns a bar for work that begins now. It must be closed.
func (e *env) openBar() *bar {
	b := &bar{now: e.now, lang: e.lang, columns: func() int { return 80 }}
	if b.now == nil {
		b.now = time.Now
	}
	if f, ok := terminalBehind(e.err); ok {
		b.out, b.columns = f, func() int { return columnsOf(f) }
	}
	b.due = b.now().Add(barWait)
	return b
}

// watched returns a context for work that a bar shows; the function takes the bar away.
func (e *env) watched(ctx context.Context) (context.Context, func()) {
	b := e.openBar()
	if b.out == nil {
		return ctx, func() {}
	}
	return progress.With(ctx, b.show), b.close
}

// show takes note of how far the work is, and draws it if it is time to.
func (b *bar) show(r progress.Report) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.out == nil {
		return
	}
	now := b.now()
	if r.Work != b.report.Work || r.Done < b.report.Done || b.started.IsZero() {
		b.started = now
	}
	b.report = r
	if now.Before(b.due) {
		return
	}
	b.due = now.Add(barEvery)
	b.drawn = true
	columns := max(b.columns()-1, 0)
	fmt.Fprint(b.out, "\r"+clip(b.text(now, columns), columns)+"\x1b[K")
}

// close takes the bar away.
func (b *bar) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.drawn {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
	b.drawn, b.out = false, nil
}

// text is the bar as it is drawn in so many columns: the work, how much of how much, how fast, how long still.
func (b *bar) text(now time.Time, columns int) string {
	r := b.report
	work := b.lang.said(r.Work)
	behind := []string{b.lang.quantity(r.Done, r.Unit)}
	share := 0.0
	if r.Total > 0 {
		share = float64(min(r.Done, r.Total)) / float64(r.Total)
		behind = []string{fmt.Sprintf("%d %%", int(100*share)), b.lang.part(r.Done, r.Total, r.Unit)}
	}
	if took := now.Sub(b.started); took >= rateAfter && r.Done > 0 {
		rate := float64(r.Done) / took.Seconds()
		behind = append(behind, b.lang.quantity(int64(rate), r.Unit)+"/s")
		if left := float64(r.Total-r.Done) / rate; r.Total > 0 && left >= 0 {
			behind = append(behind, b.lang.left(left))
		}
	}
	text := strings.Join(behind, "  ")
	length := min(barLength, columns-columnsIn(work)-columnsIn(text)-len("  []  "))
	if r.Total <= 0 || length < leastBar {
		return work + "  " + text
	}
	full := int(share * float64(length))
	return work + "  [" + strings.Repeat("=", full) + strings.Repeat(" ", length-full) + "]  " + text
}

// left says how long something will still take.
func (l language) left(seconds float64) string {
	return l.text("bar.left", words.Args{"time": l.length(seconds)})
}

// length writes a length of time in seconds as exactly as one can know it.
func (l language) length(seconds float64) string {
	const most = 100 * 3600
	switch minutes := int(min(seconds, most) / 60); {
	case seconds < 60:
		return fmt.Sprintf("%d s", int(seconds))
	case minutes < 60:
		return fmt.Sprintf("%d min %d s", minutes, int(seconds)%60)
	case seconds < most:
		return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
	}
	return l.text("bar.days", nil)
}

// part writes an amount of a larger one.
func (l language) part(done, total int64, u progress.Unit) string {
	return l.text("bar.of", words.Args{"done": l.quantity(done, u), "total": l.quantity(total, u)})
}

// quantity writes an amount of a unit.
func (l language) quantity(n int64, u progress.Unit) string {
	if u == progress.Bytes {
		return l.bytes(n)
	}
	return l.number(n)
}
