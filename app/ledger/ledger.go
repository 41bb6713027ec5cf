// Package ledger keeps what this node did: the archive with all that it was answered (Archivist), copies of
// robots.txt (RobotsStore), and, through app/stats, the counts. A fetcher archives first and reports then. When the
// outcome is where it belongs, Ledger writes into one transaction what is counted of it, where its payload is, and
// the checkpoint: the place in the archive before which everything is settled. After a crash Recovery reads the
// archive from there on and settles what the frontier does not know, so no page is requested a second time.
//
// The archive is files (storage/warc); all else is in the node's store, in the buckets archive, digests, robots and
// stats. All types are safe for concurrent use.
package ledger

import (
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// Ledger collects outcomes that are where they belong, and writes them into the next transaction with all that the node
// keeps of them.
type Ledger struct {
	cfg  Config
	mu   sync.Mutex
	list []crawl.Outcome
}

// Config says what a transaction is made of.
type Config struct {
	Archivist *Archivist
	Robots    *RobotsStore
	Stats     *stats.Statistics
	// Also writes what else belongs into the transaction.
	Also func(*storage.Tx) error
	// Found returns what was found since it was called last.
	Found func() (urls, domains int)
	// Soon has a transaction made soon, even if nothing else asks for one.
	Soon func()
	// Tell is told what is committed.
	Tell func([]crawl.Outcome)
}

// New returns an empty ledger.
func New(cfg Config) *Ledger { return &Ledger{cfg: cfg} }

// Add takes outcomes that are home.
func (l *Ledger) Add(outcomes []crawl.Outcome) {
	l.mu.Lock()
	l.list = append(l.list, outcomes...)
	l.mu.Unlock()
	l.cfg.Soon()
}

// Commit writes what belongs into the transaction that makes them durable here.
func (l *Ledger) Commit(tx *storage.Tx) error {
	l.mu.Lock()
	list := slices.Clone(l.list)
	l.mu.Unlock()
	if err := l.cfg.Archivist.commit(tx, list); err != nil {
		return err
	}
	if err := l.cfg.Robots.commit(tx); err != nil {
		return err
	}
	if err := l.cfg.Also(tx); err != nil {
		return err
	}
	tx.OnCommit(func() {
		l.mu.Lock()
		l.list = slices.Delete(l.list, 0, len(list))
		l.mu.Unlock()
		for _, o := range list {
			l.cfg.Archivist.settled(o.Task.ID)
		}
		l.cfg.Tell(list)
	})
	urls, domains := l.cfg.Found()
	return l.cfg.Stats.Count(tx, time.Now(), stats.Committed{Outcomes: list, Found: urls, Domains: domains})
}
