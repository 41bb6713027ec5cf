package lookup

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

const (
	// MaxFound is the most captures that Search and URL return at once.
	MaxFound = 1000
	// DefaultBudget is how long Search and URL go on reading. It is little
	// to a crawl that goes on beside it, and enough for a million captures
	// whose indexes are in memory (measured: 0.3 to 0.4 s for 300,000).
	DefaultBudget = 2 * time.Second
)

// Bounds says how far one call goes.
type Bounds struct {
	// Before goes on where the call ended that returned it as next; "" begins
	// with the newest capture.
	Before string
	// Limit is how many captures are returned, 1 to MaxFound.
	Limit int
	// Budget is how long indexes are read; 0 means DefaultBudget.
	Budget time.Duration
}

// Results is what one call found.
type Results struct {
	// Captures are in the order of writing, newest first.
	Captures []Found
	// Next goes on (Bounds.Before); "" if everything was looked at.
	Next string
	// Searched is how many captures were looked at in this call.
	Searched int
}

// linesPerLook is how many lines are read between two looks at the clock.
const linesPerLook = 512

// walk is one way backwards through the indexes.
type walk struct {
	bounds  Bounds
	match   func(f warcfile.File, line []byte) (Found, bool)
	end     time.Time
	before  int64 // place in the file the walk begins in; 0 means its end
	lines   int   // read
	results Results
}

// backwards hands index lines to match, newest first, and returns what it took.
func backwards(
	ctx context.Context, dir string, b Bounds, match func(warcfile.File, []byte) (Found, bool),
) (Results, error) {
	files, err := warcfile.List(dir)
	if errors.Is(err, os.ErrNotExist) {
		return Results{}, nil
	}
	if err != nil {
		return Results{}, err
	}
	if b.Budget <= 0 {
		b.Budget = DefaultBudget
	}
	w := walk{bounds: b, match: match, end: time.Now().Add(b.Budget)}
	if b.Before != "" {
		n, offset, ok := warcfile.ParseID(b.Before)
		if !ok {
			return Results{}, ErrNoCapture
		}
		files = slices.DeleteFunc(files, func(f warcfile.File) bool { return f.Compare(n) > 0 })
		if k := len(files); k > 0 && files[k-1].Name == n {
			w.before = offset
		}
	}
	for i := len(files) - 1; i >= 0; i-- {
		more, err := w.file(ctx, files[i])
		if err != nil || !more {
			return w.results, err
		}
		w.before = 0
	}
	return w.results, nil
}

// file goes through one index. It reports whether the walk goes on.
func (w *walk) file(ctx context.Context, f warcfile.File) (more bool, err error) {
	lines, err := cdxj.Backwards(f)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err != nil || line == nil {
			return err == nil, err
		}
		w.lines++
		if w.before > 0 && cdxj.Place(line) >= w.before {
			continue
		}
		w.before = 0
		w.results.Searched++
		c, ok := w.match(f, line)
		if ok {
			w.results.Captures = append(w.results.Captures, c)
			if len(w.results.Captures) >= w.bounds.Limit {
				w.results.Next = c.ID
				return false, nil
			}
		}
		if w.lines%linesPerLook != 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if offset := cdxj.Place(line); offset > 0 && !time.Now().Before(w.end) {
			w.results.Next = f.ID(offset)
			return false, nil
		}
	}
}
