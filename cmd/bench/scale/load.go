package scale

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/storage"
)

const storeName = "forage.db"

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
	swarm    *swarm.Swarm
	driver   *driver.Driver
	fetcher  *fetcher
	web      *web
	turns    []*turn
	linkCPU  time.Duration // what the made-up web takes for a link

	places    chan struct{} // of outcomes under way
	reporting sync.WaitGroup

	count   counts          // of this goroutine
	closed  int             // outcomes that end their task
	fetched []crawl.Outcome // for the next commit
	added   atomic.Int64
	commits atomic.Int64
	fail    context.CancelCauseFunc // ends the run
}

// Run makes a store in cfg.Dir and brings it to cfg.URLs known URLs. After each
// stage it calls tell, and waits for it, with everything committed.
func Run(ctx context.Context, cfg Config, tell func(Stage) error) (_ *Result, err error) {
	if cfg.URLs < 1000 || cfg.Domains < 10 || cfg.Domains*2 > cfg.URLs {
		return nil, fmt.Errorf("%d URLs in %d domains are out of range", cfg.URLs, cfg.Domains)
	}
	l := &load{cfg: cfg, fetcher: newFetcher(), web: newWeb(cfg.Domains, cfg.URLs),
		places: make(chan struct{}, reports)}
	if l.linkCPU, err = linkCPU(); err != nil {
		return nil, err
	}
	if err := l.open(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.db.Close()) }()
	if err := l.serve(ctx, func(ctx context.Context) error { return l.stages(ctx, tell) }); err != nil {
		return nil, err
	}
	restart, err := l.restart(ctx)
	if err != nil {
		return nil, err
	}
	r, err := l.result()
	if err != nil {
		return nil, err
	}
	r.Restart = restart.Seconds()
	return r, nil
}

// open opens the store and the node.
func (l *load) open() error {
	db, err := storage.Open(filepath.Join(l.cfg.Dir, storeName), storage.Options{})
	if err != nil {
		return err
	}
	l.db = db
	if err := l.openNode(); err != nil {
		return errors.Join(err, db.Close())
	}
	return nil
}

// restart opens the store again after an orderly end, and returns how long it takes until there is a lease.
func (l *load) restart(ctx context.Context) (took time.Duration, err error) {
	if err := l.db.Close(); err != nil {
		return 0, err
	}
	from := time.Now()
	l.fetcher, l.turns = newFetcher(), nil
	if err := l.open(); err != nil {
		return 0, fmt.Errorf("start again: %w", err)
	}
	err = l.serve(ctx, func(ctx context.Context) error {
		l.fetcher.pause(false)
		defer l.fetcher.pause(true)
		select {
		case <-l.fetcher.arrived:
			took = time.Since(from)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	return took, err
}

// serve runs driver and swarm while work lasts. If the store fails, ctx ends.
func (l *load) serve(ctx context.Context, work func(context.Context) error) error {
	ctx, l.fail = context.WithCancelCause(ctx)
	defer l.fail(nil)
	commits, stopCommits := context.WithCancel(context.WithoutCancel(ctx)) // what waits is committed
	var looking, serving sync.WaitGroup
	serving.Go(func() { _ = l.driver.Serve(commits) }) // it ends with its context alone
	looking.Go(func() {
		if err := l.swarm.Serve(ctx); ctx.Err() == nil {
			l.fail(err)
		}
	})
	err := l.lead(ctx)
	if err == nil {
		err = work(ctx)
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	l.fail(nil)
	l.reporting.Wait()
	looking.Wait()
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
