package console

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/ui/cli/language"
)

const (
	// barEvery is between two redraws of a bar.
	barEvery = 150 * time.Millisecond
	// barWait is how long work must take until a bar is worth a look.
	barWait = 300 * time.Millisecond
	// barLength is of the bar alone, in columns, where there is room; with less than leastBar there is none.
	barLength = 20
	leastBar  = 5
	// RateAfter is how long work must have gone on until what is left can be told from it.
	RateAfter = time.Second
)

// Bar shows on standard error how far long work is, where that is a terminal, and takes itself away at
// the end. It has no colour. It is safe for concurrent use.
type Bar struct {
	out     io.Writer // nil where nobody would see it
	lang    language.Language
	columns func() int
	now     func() time.Time

	mu      sync.Mutex
	report  progress.Report
	started time.Time // the present work
	due     time.Time // when it may be drawn again
	drawn   bool
}

// NewBar returns a bar for work that begins now. It must be closed.
func NewBar(out io.Writer, lang language.Language, now func() time.Time) *Bar {
	b := &Bar{lang: lang, now: now, due: now().Add(barWait)}
	if f, ok := terminalBehind(out); ok {
		b.out, b.columns = f, func() int { return ColumnsOf(f) }
	}
	return b
}

// Seen reports whether there is somebody to see it.
func (b *Bar) Seen() bool { return b.out != nil }

// Show takes note of how far the work is, and draws it if it is time to.
func (b *Bar) Show(r progress.Report) {
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
	fmt.Fprint(b.out, "\r"+Clip(b.text(now, columns), columns)+"\x1b[K")
}

// Close takes the bar away.
func (b *Bar) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.drawn {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
	b.drawn, b.out = false, nil
}

// text is the bar as it is drawn in so many columns: the work, how much of how much, how fast, how long still.
func (b *Bar) text(now time.Time, columns int) string {
	r := b.report
	work := r.Work.In(b.lang.Of())
	behind := []string{b.lang.Quantity(r.Done, r.Unit)}
	share := 0.0
	if r.Total > 0 {
		share = float64(min(r.Done, r.Total)) / float64(r.Total)
		behind = []string{fmt.Sprintf("%d %%", int(100*share)), b.lang.Part(r.Done, r.Total, r.Unit)}
	}
	if took := now.Sub(b.started); took >= RateAfter && r.Done > 0 {
		rate := float64(r.Done) / took.Seconds()
		behind = append(behind, b.lang.Quantity(int64(rate), r.Unit)+"/s")
		if left := float64(r.Total-r.Done) / rate; r.Total > 0 && left >= 0 {
			behind = append(behind, b.lang.Left(left))
		}
	}
	text := strings.Join(behind, "  ")
	length := min(barLength, columns-ColumnsIn(work)-ColumnsIn(text)-len("  []  "))
	if r.Total <= 0 || length < leastBar {
		return work + "  " + text
	}
	full := int(share * float64(length))
	return work + "  [" + strings.Repeat("=", full) + strings.Repeat(" ", length-full) + "]  " + text
}
