package requests

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// DefaultDayBytes is how large the file of a day may become. A request takes about
	// 100 bytes before it is packed, and a node at its limits makes 400,000 a day.
	DefaultDayBytes = 64 << 20
	// DefaultTotalBytes bounds all files together. Packed, a request takes some 20 bytes.
	DefaultTotalBytes = 512 << 20

	// flushEvery is what a kill may cost.
	flushEvery = 2 * time.Second
	// dayLook is how often it is looked whether another day has begun while nothing is appended.
	dayLook = 10 * time.Minute
	// maxPending bounds the blocks that wait to be written; what is beyond is lost.
	maxPending = 16
)

// Config says where a log is and how long it is kept.
type Config struct {
	Dir string
	// Days is for how many days records are kept, today among them.
	Days int
	// DayBytes and TotalBytes bound the files; 0 means the defaults.
	DayBytes, TotalBytes int64
	// Now returns the time; nil means time.Now.
	Now func() time.Time
	Log *slog.Logger
}

// Log takes records. A nil *Log takes none.
type Log struct {
	cfg Config
	dir Dir

	mu      sync.Mutex // guards what follows; held for moments only
	enc     encoder
	day     string   // of what is in enc
	pending []sealed // before that
	lost    uint32

	full  chan struct{} // a block is
	begun chan struct{} // a block has its first record

	write sync.Mutex // guards what follows
	file  *os.File
	of    string // the day of file
	size  int64
	next  uint64 // number of the next record
	buf   []byte
	sad   bool // the last write failed
}

// sealed is a block that is yet to be written, without its number.
type sealed struct {
	block
	day string
}

// Open makes a log. It writes nothing before Serve or Flush. Close must be called in the end.
func Open(cfg Config) (*Log, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.DayBytes <= 0 {
		cfg.DayBytes = DefaultDayBytes
	}
	if cfg.TotalBytes <= 0 {
		cfg.TotalBytes = DefaultTotalBytes
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("open record of requests: %w", err)
	}
	if torn, err := filepath.Glob(filepath.Join(cfg.Dir, "*"+temporary)); err == nil {
		for _, path := range torn {
			os.Remove(path) // else it is written again
		}
	}
	return &Log{cfg: cfg, dir: Dir(cfg.Dir), day: dayOf(cfg.Now()), full: make(chan struct{}, 1),
		begun: make(chan struct{}, 1)}, nil
}

// Append takes a record. It does not wait for the disk.
func (l *Log) Append(r *Record) {
	if l == nil {
		return
	}
	day := dayOf(l.cfg.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	if day > l.day { // if the clock was set back, today goes on
		l.seal()
		l.day = day
	}
	if l.enc.count == 0 {
		select {
		case l.begun <- struct{}{}:
		default:
		}
	}
	l.enc.add(r)
	if len(l.enc.buf) >= blockBytes {
		l.seal()
		select {
		case l.full <- struct{}{}:
		default:
		}
	}
}

// seal closes the block at hand. l.mu is held.
func (l *Log) seal() {
	if l.enc.count == 0 {
		return
	}
	if len(l.pending) >= maxPending {
		l.lost += uint32(l.enc.count)
		l.enc.reset()
		return
	}
	l.pending = append(l.pending, sealed{block{raw: len(l.enc.buf), count: l.enc.count,
		data: append([]byte(nil), l.enc.buf...)}, l.day})
	l.enc.reset()
}

// Serve writes what was appended within two seconds and keeps the directory in bounds, until ctx is
// done.
func (l *Log) Serve(ctx context.Context) error {
	if l == nil {
		return nil
	}
	timer := time.NewTimer(dayLook)
	defer timer.Stop()
	tidied := ""
	for {
		l.Flush()
		if day := dayOf(l.cfg.Now()); day != tidied {
			tidied = day
			if err := l.tidy(ctx, day); err != nil && ctx.Err() == nil {
				l.cfg.Log.Warn("Records of requests not tidied up", "error", err)
			}
		}
		timer.Reset(dayLook)
		select {
		case <-timer.C:
		case <-l.begun:
			if !l.gather(ctx) {
				l.Flush()
				return nil
			}
		case <-l.full:
		case <-ctx.Done():
			l.Flush()
			return nil
		}
	}
}

// gather waits for more records that are written with the first one, and reports whether ctx is not done.
func (l *Log) gather(ctx context.Context) bool {
	timer := time.NewTimer(flushEvery)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.full:
	case <-ctx.Done():
		return false
	}
	return true
}

// Flush writes what was appended. What cannot be written is lost, and counted.
func (l *Log) Flush() {
	if l == nil {
		return
	}
	l.write.Lock()
	defer l.write.Unlock()
	l.mu.Lock()
	l.seal()
	pending, lost := l.pending, l.lost
	l.pending, l.lost = nil, 0
	l.mu.Unlock()
	for i := range pending {
		s := &pending[i]
		s.lost = lost
		err := l.put(s)
		if lost = 0; err != nil {
			lost = s.lost + uint32(s.count)
		}
		if err != nil && !l.sad {
			l.cfg.Log.Warn("Requests are not recorded for now", "error", err)
		}
		l.sad = err != nil
	}
	if lost > 0 {
		l.mu.Lock()
		l.lost += lost
		l.mu.Unlock()
	}
}

// errFull means that a day has as many records as it may have.
var errFull = errors.New("the file of the day is full")

// put writes a block behind those of its day. l.write is held.
func (l *Log) put(s *sealed) error {
	if err := l.turnTo(s.day); err != nil {
		return err
	}
	s.first = l.next
	if l.size+int64(s.size()) > l.cfg.DayBytes {
		return errFull
	}
	l.buf = s.append(l.buf[:0])
	if _, err := l.file.WriteAt(l.buf, l.size); err != nil {
		l.shut() // what was half written is cut when it is opened again
		return err
	}
	l.size += int64(len(l.buf))
	l.next += uint64(s.count)
	return nil
}

// turnTo opens the file of a day.
func (l *Log) turnTo(day string) error {
	if l.file != nil && l.of == day {
		return nil
	}
	l.shut()
	f, err := os.OpenFile(l.dir.path(day), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	size, next, err := endOf(f)
	if err == nil {
		err = f.Truncate(size)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.of, l.size, l.next = f, day, size, next
	return nil
}

func (l *Log) shut() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// Close writes what was appended and closes the file. Nothing may be appended after.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.Flush()
	l.write.Lock()
	defer l.write.Unlock()
	return l.shut()
}
