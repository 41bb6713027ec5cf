package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/health"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// Address health: when sites begin to refuse this computer's address, the node slows itself and says so.

// keyHealth is where the state of the tracker is kept.
var keyHealth = []byte("health")

const (
	// healthEvery is how often it is asked whether to slow down or speed up.
	healthEvery = time.Minute
	// saveHealthEvery is how often the state is saved: what a crash forgets of a week does not matter.
	saveHealthEvery = 10 * time.Minute
)

// restoreHealth goes on from the state of an earlier run.
func restoreHealth(db *storage.DB, is *health.Tracker, log *slog.Logger) error {
	return db.View(func(tx *storage.Tx) error {
		raw := tx.Bucket(storage.BucketMeta).Get(keyHealth)
		if raw == nil {
			return nil
		}
		if err := is.Restore(raw, time.Now()); err != nil {
			log.Warn("What is known of how sites answer this address is lost", "error", err)
		}
		return nil
	})
}

func (n *Node) saveHealth() error {
	raw, err := n.health.State()
	if err != nil {
		return fmt.Errorf("save address health: %w", err)
	}
	return n.db.Update(func(tx *storage.Tx) error { return tx.Bucket(storage.BucketMeta).Put(keyHealth, raw) })
}

// watchHealth tells when the node slows down or speeds up, and saves the state now and then and at the end.
func (n *Node) watchHealth(ctx context.Context) error {
	ticker := time.NewTicker(healthEvery)
	defer ticker.Stop()
	factor, saved := n.slow(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return n.saveHealth()
		case now := <-ticker.C:
			if f := n.slow(); f != factor {
				factor = f
				report := n.health.Report(now)
				n.journal.add(api.Event{
					Kind: api.KindNode, Code: api.CodePace, Text: report.In(words.English), German: report.In(words.German),
				})
				n.log.Info("Pace changed", "factor", factor, "why", report.Sentence)
			}
			if now.Sub(saved) < saveHealthEvery {
				continue
			}
			saved = now
			if err := n.saveHealth(); err != nil {
				n.log.Warn("Address health not saved", "error", err)
			}
		}
	}
}

// slow returns by how much the node slows itself.
func (n *Node) slow() int { return n.health.Factor(time.Now()) }

// observe counts how a site has answered.
func (n *Node) observe(o *crawl.Outcome) {
	n.health.Observe(string(o.Domain), health.KindOf(o, o.Challenged), time.Now())
	switch {
	case o.Result == crawl.Fetched, o.Result == crawl.Unchanged, o.Result == crawl.Redirected, o.Result == crawl.Skipped,
		o.Result == crawl.Gone:
		n.fruitless.Store(0)
	case o.Result == crawl.Failed, o.Result == crawl.Refused, o.Result == crawl.Deferred && o.Reason != "": // no robots.txt
		n.fruitless.Add(1)
	}
}

// manyFruitless is how many requests in a row bring no answer of use before a node no longer says that it works: among
// sites that are there, that is rare, and a network that lets nothing through reaches it within minutes.
const manyFruitless = 20
