package find

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/words"
	"github.com/forage-net/forage/storage/index"
	"github.com/forage-net/forage/storage/warc/capture"
)

const (
	// queueLength is how many pages may wait to be added. Their words take up to 500 kB each, mostly 50 kB.
	queueLength = 32
	// offerWait is how long a page waits for room in the queue.
	offerWait = time.Second
	// commitPages and commitAfter are when what was added is written: after so many pages, or after so long.
	commitPages = 1000
	commitAfter = 5 * time.Minute
	// tick is how often it is looked whether there is something to write, to read or to merge.
	tick = 2 * time.Second
	// lookEvery is how often it is looked whether files of the archive are gone.
	lookEvery = 10 * time.Minute
	// retryAfter is how long nothing is added after a write that failed.
	retryAfter = time.Minute
)

// Dir returns where the index of an archive is.
func Dir(archive string) string { return filepath.Join(filepath.Dir(archive), "index") }

// Config says how a Finder works. All functions may be called at any time, and must not block.
type Config struct {
	// Archive is the directory of the WARC files, Index that of the index.
	Archive, Index string
	// ReadOnly is for a look at what another process may be writing.
	ReadOnly bool
	// Settings returns what the user wants; nil means DefaultSettings.
	Settings func() Settings
	// Allowed reports whether work in the background may go on now; nil means always.
	Allowed func() bool
	// Hidden reports whether an address is never to be found; nil means none is.
	Hidden func(u crawl.URL) bool
	// Challenged tells whether a response asks for proof of being a person; nil means none does.
	Challenged func(status int, header map[string][]string, body []byte) bool
	// Now is the time of day; nil means time.Now.
	Now func() time.Time
	Log *slog.Logger
}

// Settings are the user's.
type Settings struct {
	// On says that there is an index.
	On bool
	// MaxBytes is what the index may take on the disk.
	MaxBytes int64
	// Share is how much of one processor work in the background may take, in percent from 1 to 100.
	Share int
}

// DefaultSettings are those of a user who has set nothing.
func DefaultSettings() Settings { return Settings{On: true, MaxBytes: 1 << 40, Share: 25} }

// Finder keeps an index in step with an archive, and answers queries. Its methods are safe for concurrent use.
type Finder struct {
	cfg   Config
	index *index.Index
	trail trail
	queue chan offer
	pool  sync.Pool // of *words.Counter
	sync  chan chan struct{}

	commitPages int // after so many pages what was added is written

	writer words.Stemmer // of Serve's goroutine alone
	full   atomic.Bool   // the index takes what it may
	failed time.Time     // when a write failed last; of Serve's goroutine
	oldest time.Time     // when the oldest page in memory was added; of Serve's goroutine
	looked time.Time     // when files were looked for; of Serve's goroutine
}

// offer is a page that was fetched.
type offer struct {
	ticket *Ticket
	page   Page
}

// Page is what a page says to an index.
type Page struct {
	URL      crawl.URL
	At       capture.Position
	Time     time.Time
	Digest   [20]byte
	Language string // as the page names it
	Words    *words.Counter
	Links    []extract.Link
	// NoIndex wants the page left out, and what was found at its address before.
	NoIndex bool
}

// Open opens the index of an archive. One that is damaged, or goes further than the archive, is made again.
func Open(cfg Config) (*Finder, error) {
	if cfg.Settings == nil {
		cfg.Settings = DefaultSettings
	}
	if cfg.Allowed == nil {
		cfg.Allowed = func() bool { return true }
	}
	if cfg.Hidden == nil {
		cfg.Hidden = func(crawl.URL) bool { return false }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	f := &Finder{cfg: cfg, commitPages: commitPages, queue: make(chan offer, queueLength),
		sync: make(chan chan struct{})}
	f.pool.New = func() any { return words.NewCounter() }
	var err error
	if f.index, err = openIndex(cfg); err != nil {
		return nil, err
	}
	f.trail.end = f.index.Checkpoint()
	if bytesBetween(filesOf(cfg.Archive), f.trail.end, index.Place{}) > 0 {
		f.trail.miss(f.trail.begin()) // what was written since
	}
	return f, nil
}

// openIndex opens an index. One that cannot be used any more is begun again, if it may be written.
func openIndex(cfg Config) (*index.Index, error) {
	x, err := index.Open(cfg.Index, cfg.ReadOnly)
	if cfg.ReadOnly {
		return x, err
	}
	if err == nil && isAhead(filesOf(cfg.Archive), x.Checkpoint()) {
		err = errors.Join(ErrAhead, x.Close())
	}
	if !errors.Is(err, index.ErrDamaged) && !errors.Is(err, ErrAhead) {
		return x, err
	}
	cfg.Log.Warn("The search index cannot be used; it is made again from the archive", "error", err)
	if err := index.Remove(cfg.Index); err != nil {
		return nil, err
	}
	return index.Open(cfg.Index, false)
}

// Close closes the index. Serve has returned.
func (f *Finder) Close() error {
	if f == nil {
		return nil
	}
	return f.index.Close()
}

// Counter returns what counts the words of a page that is about to be read, nil if they are not wanted.
func (f *Finder) Counter() *words.Counter {
	if f == nil || !f.cfg.Settings().On || f.full.Load() {
		return nil
	}
	c := f.pool.Get().(*words.Counter)
	c.Reset()
	return c
}

// Begin returns a ticket for a page that is about to be written: the checkpoint stays before it until Offer or
// Drop takes the ticket back.
func (f *Finder) Begin() *Ticket { return f.trail.begin() }

// Offer takes a page that was written. It waits for a moment while the queue is full: to read the page again
// later would cost more.
func (f *Finder) Offer(k *Ticket, p Page) {
	f.trail.wrote(placeOf(p.At.Next()))
	if p.Words == nil && !p.NoIndex {
		f.trail.miss(k)
		return
	}
	timer := time.NewTimer(offerWait)
	defer timer.Stop()
	select {
	case f.queue <- offer{k, p}:
		f.trail.queued(placeOf(p.At))
	case <-timer.C:
		f.trail.miss(k)
	}
}

// Drop takes a ticket back: nothing was written, or nothing that belongs into the index.
func (f *Finder) Drop(k *Ticket) { f.trail.done(k) }

func placeOf(p capture.Position) index.Place { return index.Place{File: p.File, Offset: p.Offset} }

// Serve keeps the index in step with the archive until ctx is done, and writes what is left then.
func (f *Finder) Serve(ctx context.Context) error {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			f.drain()
			if err := f.commit(); err != nil {
				f.cfg.Log.Warn("The search index cannot be written; it is brought up to date at the next start",
					"error", err)
			}
			return ctx.Err()
		case o := <-f.queue:
			f.take(o)
		case done := <-f.sync:
			f.drain()
			close(done)
		case <-ticker.C:
			f.background(ctx)
		}
	}
}

// Sync waits until all pages that were offered are in the index. Serve must be running.
func (f *Finder) Sync(ctx context.Context) error {
	done := make(chan struct{})
	select {
	case f.sync <- done:
		<-done
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drain takes what is in the queue.
func (f *Finder) drain() {
	for {
		select {
		case o := <-f.queue:
			f.take(o)
		default:
			return
		}
	}
}

// take adds a page that was fetched.
func (f *Finder) take(o offer) {
	err := f.add(o.page)
	if o.page.Words != nil {
		f.pool.Put(o.page.Words)
	}
	if err != nil {
		f.trail.miss(o.ticket)
		return
	}
	f.trail.done(o.ticket)
	if f.index.Due(f.commitPages) {
		f.tryCommit()
	}
}

// add adds a page, or removes it if that is what it wants.
func (f *Finder) add(p Page) error {
	if p.NoIndex {
		f.index.RemovePage(hashOf(p.URL.String()), p.Time)
		return nil
	}
	d := f.document(p)
	if _, err := f.index.Add(&d); err != nil {
		return err
	}
	if f.oldest.IsZero() {
		f.oldest = f.cfg.Now()
	}
	return nil
}

// background does what is due and can wait.
func (f *Finder) background(ctx context.Context) {
	if now := f.cfg.Now(); now.Sub(f.looked) >= lookEvery {
		f.looked = now
		f.index.KeepFiles(f.there)
	}
	s := f.cfg.Settings()
	f.full.Store(f.index.Stats().Bytes >= s.MaxBytes)
	if f.index.Waiting() > 0 && !f.oldest.IsZero() && f.cfg.Now().Sub(f.oldest) >= commitAfter {
		f.tryCommit()
	}
	if !s.On || !f.cfg.Allowed() || f.cfg.Now().Sub(f.failed) < retryAfter {
		return
	}
	if _, _, ok := f.trail.toRead(); ok && !f.full.Load() {
		if err := f.catchUp(ctx, f.pace(ctx)); err != nil && ctx.Err() == nil && !errors.Is(err, errLater) {
			f.failed = f.cfg.Now()
			f.cfg.Log.Warn("Pages of the archive cannot be added to the search index now", "error", err)
		}
	}
	if _, err := f.index.Merge(ctx, f.pace(ctx)); err != nil && ctx.Err() == nil {
		f.failed = f.cfg.Now()
		f.cfg.Log.Warn("The search index cannot be tidied now", "error", err)
	}
}

func (f *Finder) tryCommit() {
	if f.cfg.Now().Sub(f.failed) < retryAfter {
		return
	}
	if err := f.commit(); err != nil {
		f.failed = f.cfg.Now()
		f.cfg.Log.Warn("The search index cannot be written; it is brought up to date later", "error", err)
	}
}

func (f *Finder) commit() error {
	f.oldest = time.Time{}
	if err := f.index.Commit(f.trail.place()); err != nil {
		return fmt.Errorf("write what was added: %w", err)
	}
	return nil
}

// pace returns a function that is called between pieces of work. It takes pages that were fetched meanwhile,
// and rests for as long as the user's share wants.
func (f *Finder) pace(ctx context.Context) func() error {
	begun := time.Now()
	return func() error {
		f.drain()
		took := time.Since(begun)
		if took >= 20*time.Millisecond {
			rest := took * time.Duration(100-f.cfg.Settings().Share) / time.Duration(f.cfg.Settings().Share)
			timer := time.NewTimer(rest)
			defer timer.Stop()
			for waiting := true; waiting; {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case o := <-f.queue:
					f.take(o)
				case <-timer.C:
					waiting = false
				}
			}
			begun = time.Now()
		}
		if !f.cfg.Allowed() || !f.cfg.Settings().On {
			return errLater
		}
		return ctx.Err()
	}
}

// errLater ends work in the background that is not allowed any more.
var errLater = errors.New("not now")
