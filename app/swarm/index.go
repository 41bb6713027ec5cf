package swarm

import (
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

const (
	// indexStep is how many domains are looked at in a row for whether they have indexes, indexAtOnce how many get some.
	indexStep   = 4096
	indexAtOnce = 16
	// indexPause is how long nothing is looked at after all domains of a shard have indexes.
	indexPause = 10 * time.Second
	// indexEvery is how often it is looked what this node leads.
	indexEvery = time.Second
)

// index sees that the domains that this node acts for have the indexes of the frontier: a follower has none, and gets them
// when it begins to lead.
type index struct {
	s     *Swarm
	at    map[stream.Shard]crawl.Domain // where the look goes on
	after map[stream.Shard]time.Time    // when it begins again
	next  time.Time                     // when to look what this node leads
}

func (x *index) begin(s *Swarm) {
	*x = index{s: s, at: make(map[stream.Shard]crawl.Domain), after: make(map[stream.Shard]time.Time)}
}

// ready reports whether a domain has indexes, or needs none as nothing is known of it.
func (x *index) ready(d crawl.Domain) (ready bool) {
	err := x.s.cfg.DB.View(func(tx *storage.Tx) (err error) {
		ready, err = x.s.cfg.Frontier.Ready(tx, d)
		return err
	})
	return ready && err == nil
}

// build gives indexes to some domains of the shards that this node leads.
func (x *index) build(n *group.Node) error {
	if now := x.s.cfg.Now(); now.Before(x.next) {
		return nil
	} else {
		x.next = now.Add(indexEvery)
	}
	for _, v := range n.Look() {
		if v.Role != shard.Leader && v.Role != shard.CarefulLeader {
			delete(x.at, v.Shard)
			delete(x.after, v.Shard)
			continue
		}
		bare, err := x.bare(v.Shard)
		if err != nil {
			return err
		}
		if len(bare) == 0 {
			continue
		}
		n.Local(func(tx stream.Tx) error {
			for _, d := range bare {
				if _, err := x.s.cfg.Frontier.Led(stream.Storage(tx), d); err != nil {
					return fmt.Errorf("index %s: %w", d, err)
				}
			}
			x.next = time.Time{} // there may be more
			return nil
		}, x.s.look)
		return nil
	}
	return nil
}

// bare returns domains of a shard without indexes.
func (x *index) bare(s stream.Shard) (bare []crawl.Domain, err error) {
	if x.s.cfg.Now().Before(x.after[s]) {
		return nil, nil
	}
	looked := 0
	from := x.at[s]
	err = x.s.cfg.DB.View(func(tx *storage.Tx) error {
		var failed error
		x.at[s] = ""
		err := stream.DomainsFrom(stream.FromStorage(tx), s, from, func(d crawl.Domain) bool {
			if looked++; looked > indexStep || len(bare) == indexAtOnce {
				x.at[s] = d
				return false
			}
			var ready bool
			if ready, failed = x.s.cfg.Frontier.Ready(tx, d); !ready {
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
		x.after[s] = x.s.cfg.Now().Add(indexPause)
	}
	return bare, err
}
