package requests

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// temporary ends the names of files that are being written.
const temporary = ".packing"

// tidy packs the files of days before today, and deletes what is too old or too much.
func (l *Log) tidy(ctx context.Context, today string) error {
	days, err := l.dir.days()
	if err != nil {
		return err
	}
	oldest := ""
	if at, err := time.Parse(dayLayout, today); err == nil {
		oldest = dayOf(at.AddDate(0, 0, 1-l.cfg.Days))
	}
	var errs []error
	total := int64(0)
	for i := len(days) - 1; i >= 0 && ctx.Err() == nil; i-- {
		path := l.dir.path(days[i])
		if days[i] < today {
			if err := l.pack(ctx, days[i]); err != nil {
				errs = append(errs, fmt.Errorf("pack %s: %w", path, err))
			}
		}
		if info, err := os.Stat(path); err == nil {
			total += info.Size()
		}
		if days[i] < oldest || days[i] < today && total > l.cfg.TotalBytes {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// pack writes the file of a day again, with large compressed blocks. It stays as it is
// if that fails.
func (l *Log) pack(ctx context.Context, day string) error {
	l.write.Lock()
	if l.of == day {
		l.shut()
	}
	l.write.Unlock()
	path := l.dir.path(day)
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	end, _, err := endOf(f)
	if err != nil {
		return err
	}
	if end > 0 {
		if last, _, err := footBefore(f, end); err != nil || last.packed {
			return err
		}
	}
	return rewrite(ctx, f, end, nil)
}
