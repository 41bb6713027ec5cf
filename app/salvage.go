package app

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/warc"
)

// recover has nothing to do before the node has joined.
func (n *Node) recover(context.Context) error { return nil }

// settleFromArchive settles what an earlier run fetched and could not bring home: outcomes and outlinks are read from the
// archive from the checkpoint on, so that nothing is requested a second time.
func (n *Node) settleFromArchive(ctx context.Context) error {
	found, lease := 0, crawl.LeaseID(rand.Uint64()|1)
	err := n.archivist.recover(n.opts.Paths.WARC(), func(c warc.StoredCapture) error {
		u, err := crawl.ParseURL(c.URL)
		if len(c.Metadata) == 0 || hasField(c.Metadata, fieldSettled) || err != nil { // no answer to a task
			return nil
		}
		task := crawl.Task{ID: crawl.TaskID(c.URL), URL: u, Depth: uint8(number(c.Metadata, fieldDepth)), Attempts: uint8(number(c.Metadata, fieldAttempt))}
		o, err := n.outcomeOf(c, crawl.Outcome{Lease: lease + crawl.LeaseID(found), Domain: u.Domain(), Task: task})
		if err != nil {
			n.log.Warn("Record in the archive cannot be used; the page will be fetched again", "url", c.URL, "error", err)
			return nil
		}
		found++
		n.archivist.note(n.archivist.begin(), c.Position, c.Capture, &o)
		return n.member.swarm.Settle(ctx, o)
	})
	if err != nil && ctx.Err() == nil {
		n.log.Warn("Archive is damaged; what could not be read will be fetched again", "error", err)
		err = nil
	}
	if found > 0 {
		n.log.Info("Recovered from an interrupted run", "pages_from_archive", found)
	}
	return err
}

// knownDelay returns the crawl delay that is known of the hosts of a domain that have something to visit.
func (n *Node) knownDelay(d crawl.Domain) (delay time.Duration) {
	var origins []string
	_ = n.db.View(func(tx *storage.Tx) error {
		for origin := range store.Ready(tx, d) {
			if origins = append(origins, origin); len(origins) == maxDelayed {
				break
			}
		}
		return nil
	})
	for _, origin := range origins {
		_, rules, _ := n.rules.Get(n.clock.Latest(), origin)
		delay = max(delay, rules.CrawlDelay())
	}
	return delay
}

// maxDelayed bounds the hosts whose crawl delay is looked up.
const maxDelayed = 64
