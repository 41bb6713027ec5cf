package health

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// keyHealth is where the state of the tracker is kept.
var keyHealth = []byte("health")

const (
	// watchEvery is how often it is asked whether to slow down or speed up.
	watchEvery = time.Minute
	// saveEvery is how often the state is saved: what a crash forgets
	// of a week does not matter.
	saveEvery = 10 * time.Minute
	// ManyFruitless is how many requests in a row bring no answer of use before a node no longer says that it works:
	// among sites that are there, that is rare, and a network that lets nothing through reaches it within minutes.
	ManyFruitless = 20
)

// Watch is a Tracker of the node that a store belongs to: it goes on from earlier runs, and tells when the pace
// changes.
type Watch struct {
	Tracker
	db        *storage.DB
	tell      func(api.Event)
	log       *slog.Logger
	fruitless atomic.Int64
}

// Open goes on from the state of an earlier run. tell takes what happens.
func Open(db *storage.DB, tell func(api.Event), log *slog.Logger) (*Watch, error) {
	w := &Watch{db: db, tell: tell, log: log}
	return w, db.View(func(tx *storage.Tx) error {
		raw := tx.Bucket(storage.BucketMeta).Get(keyHealth)
		if raw == nil {
			return nil
		}
		if err := w.Restore(raw, time.Now()); err != nil {
			log.Warn("What is known of how sites answer this address is lost", "error", err)
		}
		return nil
	})
}

func (w *Watch) save() error {
	raw, err := w.State()
	if err != nil {
		return fmt.Errorf("save address health: %w", err)
	}
	return w.db.Update(func(tx *storage.Tx) error { return tx.Bucket(storage.BucketMeta).Put(keyHealth, raw) })
}

// Serve tells when the node slows down or speeds up, and saves the state now and then and when ctx is done.
func (w *Watch) Serve(ctx context.Context) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	factor, saved := w.Slow(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return w.save()
		case now := <-ticker.C:
			if f := w.Slow(); f != factor {
				factor = f
				report := w.Report(now)
				w.tell(api.Event{
					Kind: api.KindNode, Code: api.CodePace,
					Text: report.In(words.English), German: report.In(words.German),
				})
				w.log.Info("Pace changed", "factor", factor, "why", report.Sentence)
			}
			if now.Sub(saved) < saveEvery {
				continue
			}
			saved = now
			if err := w.save(); err != nil {
				w.log.Warn("Address health not saved", "error", err)
			}
		}
	}
}

// Slow returns by how much the node slows itself now.
func (w *Watch) Slow() int { return w.Factor(time.Now()) }

// Fruitless returns how many requests in a row brought no answer of use.
func (w *Watch) Fruitless() int64 { return w.fruitless.Load() }

// Answered counts how a site has answered.
func (w *Watch) Answered(o *crawl.Outcome) {
	w.Observe(string(o.Domain), KindOf(o, o.Challenged), time.Now())
	switch o.Result {
	case crawl.Fetched, crawl.Unchanged, crawl.Redirected, crawl.Skipped, crawl.Gone:
		w.fruitless.Store(0)
	case crawl.Failed, crawl.Refused:
		w.fruitless.Add(1)
	case crawl.Deferred:
		if o.Reason != "" { // no robots.txt
			w.fruitless.Add(1)
		}
	}
}
