package requests

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/klauspost/compress/zstd"
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

// pack writes the file of a day anew, with large compressed blocks. It stays as it is
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
	out, err := os.OpenFile(path+temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = repack(ctx, f, end, out, nil)
	f.Close() // Windows renames over no open file
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(out.Name(), path)
	}
	if err != nil {
		os.Remove(out.Name())
	}
	return err
}

// packer writes large blocks.
type packer struct {
	z    *zstd.Encoder
	out  *os.File
	enc  encoder
	next uint64 // number of the next record
	lost uint32
	buf  []byte
}

// repack writes the records of a file into large blocks, without those that drop, if it is not nil, reports true for.
func repack(ctx context.Context, f *os.File, end int64, out *os.File, drop func(*Record) bool) error {
	unpack, err := newUnpacker()
	if err != nil {
		return err
	}
	defer unpack.Close()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return err
	}
	defer z.Close()
	p := packer{z: z, out: out}
	var ends []int64 // of the blocks, the last first
	for at := end; at > 0; {
		_, from, err := footBefore(f, at)
		if err != nil {
			return err
		}
		ends = append(ends, at)
		at = from
	}
	for i := len(ends) - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, _, err := blockBefore(f, ends[i])
		if err != nil {
			return err
		}
		list, err := b.records(unpack)
		if err != nil {
			return err
		}
		if b.first != p.next+uint64(p.enc.count) { // a gap: numbers must stay
			if err := p.flush(); err != nil {
				return err
			}
			p.next = b.first
		}
		p.lost += b.lost
		for j := range list {
			if drop != nil && drop(&list[j]) {
				if err := p.flush(); err != nil {
					return err
				}
				p.next = b.first + uint64(j) + 1
				continue
			}
			p.enc.add(&list[j])
			if len(p.enc.buf) >= blockBytes {
				if err := p.flush(); err != nil {
					return err
				}
			}
		}
	}
	return p.flush()
}

func (p *packer) flush() error {
	if p.enc.count == 0 {
		return nil
	}
	b := block{packed: true, raw: len(p.enc.buf), count: p.enc.count, first: p.next, lost: p.lost, data: p.z.EncodeAll(p.enc.buf, nil)}
	p.next += uint64(b.count)
	p.lost = 0
	p.enc.reset()
	p.buf = b.append(p.buf[:0])
	_, err := p.out.Write(p.buf)
	return err
}
