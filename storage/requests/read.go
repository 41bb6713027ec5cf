package requests

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Cursor is a place in a log: before a record. The zero value is its end.
type Cursor struct {
	day string
	n   uint64
}

// String returns what ParseCursor reads, "" for the zero value.
func (c Cursor) String() string {
	if c.day == "" {
		return ""
	}
	return c.day + "." + strconv.FormatUint(c.n, 10)
}

// ParseCursor reads what String returned.
func ParseCursor(text string) (Cursor, bool) {
	if text == "" {
		return Cursor{}, true
	}
	day, number, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(number, 10, 64)
	_, dayErr := time.Parse(dayLayout, day)
	return Cursor{day, n}, err == nil && dayErr == nil
}

// maxScan is how many records a Page looks at. A caller that looks for something rarer asks again.
const maxScan = 50_000

// Page returns at most limit records before a place that match, the latest first, and the
// place to go on from: the zero Cursor if there are no more. It may return fewer, even none, where there
// is more. Damaged parts are left out.
func (d Dir) Page(
	ctx context.Context, before Cursor, limit int, match func(*Record) bool,
) (list []Record, next Cursor, err error) {
	scanned := 0
	err = d.walk(ctx, before, func(at Cursor, r *Record) bool {
		if scanned++; match == nil || match(r) {
			list = append(list, *r)
		}
		if len(list) == limit || scanned == maxScan {
			next = at
			return false
		}
		return true
	})
	return list, next, err
}

// Each calls fn with the records of a day and those after it, the latest first, until fn returns
// false. lost is how many records of that time were not recorded.
func (d Dir) Each(ctx context.Context, since time.Time, fn func(*Record) bool) (lost int64, err error) {
	first := dayOf(since)
	w := walker{fn: func(at Cursor, r *Record) bool { return fn(r) }, first: first}
	err = w.walk(ctx, d, Cursor{})
	return w.lost, err
}

// walk calls fn with the records before a place, the latest first, until it returns false.
func (d Dir) walk(ctx context.Context, before Cursor, fn func(Cursor, *Record) bool) error {
	w := walker{fn: fn}
	return w.walk(ctx, d, before)
}

// walker walks through a log backwards.
type walker struct {
	fn     func(Cursor, *Record) bool
	first  string // no day before
	lost   int64
	unpack *zstd.Decoder
	done   bool
}

func (w *walker) walk(ctx context.Context, d Dir, before Cursor) (err error) {
	days, err := d.days()
	if err != nil {
		return err
	}
	if w.unpack, err = newUnpacker(); err != nil {
		return err
	}
	defer w.unpack.Close()
	for i := len(days) - 1; i >= 0 && !w.done && days[i] >= w.first; i-- {
		if before.day != "" && days[i] > before.day {
			continue
		}
		if err := w.day(ctx, d, days[i], before); err != nil {
			return fmt.Errorf("read records of requests of %s: %w", days[i], err)
		}
	}
	return nil
}

func (w *walker) day(ctx context.Context, d Dir, day string, before Cursor) error {
	f, err := os.Open(d.path(day))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // too old by now
	}
	if err != nil {
		return err
	}
	defer f.Close()
	end, _, err := endOf(f)
	for err == nil && end > 0 && !w.done {
		if err := ctx.Err(); err != nil {
			return err
		}
		var b block
		var from int64
		if b, from, err = footBefore(f, end); err != nil {
			break
		}
		w.lost += int64(b.lost)
		if day != before.day || b.first < before.n {
			if b, _, err = blockBefore(f, end); err == nil {
				err = w.block(&b, day, before)
			}
			if errors.Is(err, errDamaged) {
				err = nil // the others may be whole
			}
		}
		end = from
	}
	if errors.Is(err, errDamaged) {
		return nil
	}
	return err
}

func (w *walker) block(b *block, day string, before Cursor) error {
	list, err := b.records(w.unpack)
	if err != nil {
		return err
	}
	for i := len(list) - 1; i >= 0 && !w.done; i-- {
		at := Cursor{day, b.first + uint64(i)}
		if day == before.day && at.n >= before.n {
			continue
		}
		w.done = !w.fn(at, &list[i])
	}
	return nil
}
