package scale

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/crawl/route"
	"github.com/forage-net/forage/storage"
)

const (
	logID     = "self"
	storeName = "forage.db"
	// firstCapture is how long the record of a digest is: a node keeps one for every page.
	firstCapture = 120
)

// Config says what a run does.
type Config struct {
	// Dir is where the store is made, a directory that exists.
	Dir string
	// URLs and Domains are how many the frontier shall know: at least 1,000
	// and 10.
	URLs, Domains int
	// Digests says that commits also keep a record for every page, as those of a node do.
	Digests bool
	// Paced is how long settles come at the pace of a node rather than as
	// fast as they can; 0 leaves that out.
	Paced time.Duration
}

// load drives a frontier.
type load struct {
	cfg      Config
	db       *storage.DB
	frontier *frontier.Frontier
	fetcher  *fetcher
	clock    *clock
	web      *web
	turns    []*turn
	linkCPU  time.Duration // what the made-up web takes for a link

	count   counts       // of this goroutine
	settled atomic.Int64 // committed
	added   atomic.Int64
	late    atomic.Int64 // outcomes that came too late to count
	commits atomic.Int64
	fail    context.CancelCauseFunc // ends the run
}

// openFrontier opens the frontier as a node does, but for the clock.
func (l *load) openFrontier() (err error) {
	const all = 1 << 40 // budgets are not what is measured
	l.frontier, err = frontier.Open(l.db, frontier.Config{
		LogID: logID, Now: l.clock.Now, InCommit: l.inCommit, Budget: frontier.Budget{Base: all, Most: all},
	})
	return err
}

// inCommit keeps a digest record of every page, in its place at once: a node collects those of some commits first.
func (l *load) inCommit(tx *storage.Tx, c frontier.Committed) error {
	l.commits.Add(1)
	if !l.cfg.Digests {
		return nil
	}
	for _, o := range c.Outcomes {
		if o.Result != crawl.Fetched || o.Duplicate {
			continue
		}
		record := binary.BigEndian.AppendUint64(make([]byte, 0, firstCapture), uint64(o.Date.Unix()))
		if err := tx.Bucket(storage.BucketDigests).Put(o.Digest[:], record[:firstCapture]); err != nil {
			return err
		}
	}
	return nil
}

// Run makes a store in cfg.Dir and brings it to cfg.URLs known URLs. After each
// stage it calls tell, and waits for it, with everything committed.
func Run(ctx context.Context, cfg Config, tell func(Stage) error) (_ *Result, err error) {
	if cfg.URLs < 1000 || cfg.Domains < 10 || cfg.Domains*2 > cfg.URLs {
		return nil, fmt.Errorf("%d URLs in %d domains are out of range", cfg.URLs, cfg.Domains)
	}
	l := &load{cfg: cfg, fetcher: newFetcher(), clock: newClock(), web: newWeb(cfg.Domains, cfg.URLs)}
	if l.linkCPU, err = linkCPU(); err != nil {
		return nil, err
	}
	if l.db, err = storage.Open(filepath.Join(cfg.Dir, storeName), storage.Options{}); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.db.Close()) }()
	if err := l.openFrontier(); err != nil {
		return nil, err
	}
	if err := l.serve(ctx, func(ctx context.Context) error { return l.stages(ctx, tell) }); err != nil {
		return nil, err
	}
	return l.result()
}

// serve runs frontier and router while work lasts. If one of them fails, ctx
// ends.
func (l *load) serve(ctx context.Context, work func(context.Context) error) error {
	ctx, l.fail = context.WithCancelCause(ctx)
	defer l.fail(nil)
	commits, stopCommits := context.WithCancel(context.WithoutCancel(ctx)) // what was proposed is committed
	router := &route.Router{Frontier: l.frontier, Fetcher: l.fetcher, Now: l.clock.Now}
	var routing, serving sync.WaitGroup
	serving.Go(func() {
		if err := l.frontier.Serve(commits); err != nil {
			l.fail(err)
		}
	})
	routing.Go(func() {
		if err := router.Serve(ctx); ctx.Err() == nil {
			l.fail(err)
		}
	})
	err := work(ctx)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	l.fail(nil)
	routing.Wait()
	stopCommits()
	serving.Wait()
	return err
}

// storeBytes returns the size of the store's file.
func (l *load) storeBytes() (int64, error) {
	info, err := os.Stat(filepath.Join(l.cfg.Dir, storeName))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
