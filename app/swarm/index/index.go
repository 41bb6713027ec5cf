package index

import (
	"fmt"
	"maps"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

const (
	// indexStep is how many domains are looked at in a row for whether they have indexes, indexAtOnce how many
	// get some.
	indexStep   = 4096
	indexAtOnce = 16
	// indexPause is how long nothing is looked at after all domains of a shard have indexes, or no domain that others
	// lead: a thousand domains take a millisecond.
	indexPause = time.Minute
	// dropAfter is how long all shards must have had the leaders of now before indexes go of domains that
	// others lead: one that stops leading for a moment would have to make them again.
	dropAfter = 10 * time.Second
	// indexEvery is how often it is looked what this node leads.
	indexEvery = time.Second
)

// Index sees that the domains that this node acts for have the indexes of the frontier: a follower has none,
// and gets them when it begins to lead.
type Index struct {
	cfg   Config
	at    map[stream.Shard]crawl.Domain // where the look goes on
	after map[stream.Shard]time.Time    // when it begins again
	next  time.Time                     // when to look what this node leads
	held  map[stream.Shard]int          // how many prefixes the shard held at the last look

	leaders map[stream.Shard]crawl.PeerID
	looked  time.Time      // when to look again
	settled time.Time      // since when they are the leaders
	from    crawl.Domain   // where the look for indexes that are not needed goes on
	going   []crawl.Domain // whose indexes are being deleted
}

// Config says what an Index works with. Everything is required.
type Config struct {
	DB       *storage.DB
	Frontier *frontier.Frontier
	Now      func() time.Time
	// Look has the swarm look for work: a domain has got its indexes.
	Look func()
}

// New returns an Index that has looked at nothing.
func New(cfg Config) *Index {
	return &Index{
		cfg: cfg, held: make(map[stream.Shard]int), at: make(map[stream.Shard]crawl.Domain),
		after: make(map[stream.Shard]time.Time),
	}
}

// Hurry has the next Build and Drop look at once at what this node leads.
func (x *Index) Hurry() { x.next, x.looked = time.Time{}, time.Time{} }

// Ready reports whether a domain has indexes, or needs none as nothing is known of it.
func (x *Index) Ready(d crawl.Domain) (ready bool) {
	err := x.cfg.DB.View(func(tx *storage.Tx) (err error) {
		ready, err = x.cfg.Frontier.Ready(tx, d)
		return err
	})
	return ready && err == nil
}

// Build gives indexes to some domains of the shards that this node leads.
func (x *Index) Build(n *group.Node) error {
	now := x.cfg.Now()
	if now.Before(x.next) {
		return nil
	}
	x.next = now.Add(indexEvery)
	for _, v := range n.Look() {
		if v.Role != shard.Leader && v.Role != shard.CarefulLeader {
			delete(x.at, v.Shard)
			delete(x.after, v.Shard)
			delete(x.held, v.Shard)
			continue
		}
		if x.held[v.Shard] != len(v.Held) { // domains have come
			x.held[v.Shard] = len(v.Held)
			delete(x.after, v.Shard)
		}
		bare, err := x.bare(n, v.Shard)
		if err != nil {
			return err
		}
		if len(bare) == 0 {
			continue
		}
		n.Local(func(tx stream.Tx) error {
			for _, d := range bare {
				if _, err := x.cfg.Frontier.Led(stream.Storage(tx), d); err != nil {
					return fmt.Errorf("index %s: %w", d, err)
				}
			}
			return nil
		}, func(bool) { x.cfg.Look() })
		x.next = now // there may be more
		return nil
	}
	return nil
}

// bare returns domains of a shard, which this node acts for, without indexes.
func (x *Index) bare(n *group.Node, s stream.Shard) (bare []crawl.Domain, err error) {
	if x.cfg.Now().Before(x.after[s]) {
		return nil, nil
	}
	looked := 0
	from := x.at[s]
	err = x.cfg.DB.View(func(tx *storage.Tx) error {
		var failed error
		x.at[s] = ""
		err := stream.DomainsFrom(stream.FromStorage(tx), s, from, func(d crawl.Domain) bool {
			if looked++; looked > indexStep || len(bare) == indexAtOnce {
				x.at[s] = d
				return false
			}
			if acts, _ := n.Acts(d); !acts {
				return true // it has moved
			}
			var ready bool
			if ready, failed = x.cfg.Frontier.Ready(tx, d); !ready {
				bare = append(bare, d)
			}
			return failed == nil
		})
		if err == nil {
			err = failed
		}
		return err
	})
	if x.at[s] == "" && len(bare) == 0 {
		x.after[s] = x.cfg.Now().Add(indexPause)
	}
	return bare, err
}

// Drop deletes indexes of domains that others lead.
func (x *Index) Drop(n *group.Node) error {
	now := x.cfg.Now()
	if now.Before(x.looked) && len(x.going) == 0 {
		return nil
	}
	x.looked = now.Add(indexEvery)
	if !x.isSettled(n.Look()) {
		x.going, x.from = nil, ""
		return nil
	}
	if err := x.findStray(n); err != nil || len(x.going) == 0 {
		if x.from == "" {
			x.looked = now.Add(indexPause)
		}
		return err
	}
	n.Local(func(tx stream.Tx) error {
		var left []crawl.Domain
		for _, d := range x.going {
			done, err := x.cfg.Frontier.Left(stream.Storage(tx), d)
			if err != nil {
				return fmt.Errorf("drop the index of %s: %w", d, err)
			}
			if !done {
				left = append(left, d)
			}
		}
		x.going = left
		return nil
	}, func(bool) {})
	return nil
}

// isSettled reports whether all shards have had the leaders of now for long.
func (x *Index) isSettled(views []group.View) bool {
	leaders := make(map[stream.Shard]crawl.PeerID, len(views))
	known := true
	for _, v := range views {
		leaders[v.Shard] = v.Leader
		// A former member has none, maybe for long, and neither has a shard that holds nothing.
		known = known && (v.Leader != "" || v.Role == shard.Former || len(v.Held) == 0)
	}
	if !known || !maps.Equal(leaders, x.leaders) {
		x.leaders, x.settled = leaders, x.cfg.Now()
	}
	return x.cfg.Now().Sub(x.settled) >= dropAfter
}

// findStray looks for domains with indexes that this member does not act for.
func (x *Index) findStray(n *group.Node) error {
	if len(x.going) > 0 {
		return nil
	}
	looked := 0
	return x.cfg.DB.View(func(tx *storage.Tx) error {
		from := x.from
		x.from = ""
		for d := range store.Domains(tx, from) {
			if looked++; looked > indexStep/4 || len(x.going) == indexAtOnce {
				x.from = d
				return nil
			}
			if acts, _ := n.Acts(d); !acts {
				x.going = append(x.going, d)
			}
		}
		return nil
	})
}
