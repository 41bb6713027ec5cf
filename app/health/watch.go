package health

import (
	"context"
	"log/slog"
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
)

// Watch is a Tracker of the node that a store belongs to: it goes on from earlier runs, and tells when the pace
// changes.
type Watch struct {
	Tracker
	db        *storage.DB
	tell      func(api.Event)
	log       *slog.Logger
	fruitless row
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
		return words.New("said.trouble.save-address-health", words.Args{"error": err})
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
					Said: report.In,
				})
				w.log.Info("Pace changed", "factor", factor, "why", report.In("en"))
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

// Fruitless returns the row of requests up to the latest that brought nothing.
func (w *Watch) Fruitless() Fruitless { return w.fruitless.now() }

// Answered counts how a site has answered.
func (w *Watch) Answered(o *crawl.Outcome) {
	k := KindOf(o, o.Challenged)
	w.Observe(string(o.Domain), k, time.Now())
	w.fruitless.see(o, k)
}
