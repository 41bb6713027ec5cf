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
	// keepIndex is how long the indexes of a domain are kept that this node does not lead any more: it may again, soon.
	keepIndex = 10 * time.Second
	// maxFormer bounds the domains that wait for that.
	maxFormer = 4096
)

// index sees that the domains that this node acts for have the indexes of the frontier: a follower has none, and gets them
// when it begins to lead.
type index struct {
	s     *Swarm
	at    map[stream.Shard]crawl.Domain // where the look goes on
	after map[stream.Shard]time.Time    // when it begins again
	next  time.Time                     // when to look what this node leads

	former map[crawl.Domain]time.Time // domains with indexes that are not led, and since when
	seen   crawl.Domain               // where the look for them goes on
}

func (x *index) begin(s *Swarm) {
	*x = index{s: s, at: make(map[stream.Shard]crawl.Domain), after: make(map[stream.Shard]time.Time),
		former: make(map[crawl.Domain]time.Time)}
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
	if err := x.retire(n); err != nil {
		return err
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

// retire deletes the indexes of domains that this node does not lead any more.
func (x *index) retire(n *group.Node) error {
	if err := x.lookForFormer(n); err != nil {
		return err
	}
	var over []crawl.Domain
	for d, since := range x.former {
		if acts, _ := n.Acts(d); acts {
			delete(x.former, d)
		} else if x.s.cfg.Now().Sub(since) >= keepIndex && len(over) < indexAtOnce {
			over = append(over, d)
		}
	}
	if len(over) == 0 {
		return nil
	}
	n.Local(func(tx stream.Tx) error {
		for _, d := range over {
			done, err := x.s.cfg.Frontier.Left(stream.Storage(tx), d)
			if err != nil {
				return fmt.Errorf("delete the index of %s: %w", d, err)
			}
			if done {
				delete(x.former, d)
			}
		}
		return nil
	}, x.s.look)
	return nil
}

// lookForFormer notes some domains that have indexes and are not led.
func (x *index) lookForFormer(n *group.Node) error {
	return x.s.cfg.DB.View(func(tx *storage.Tx) error {
		looked := 0
		from := x.seen
		x.seen = ""
		for d := range x.s.cfg.Frontier.Indexed(tx, from) {
			if looked++; looked > indexStep || len(x.former) >= maxFormer {
				x.seen = d
				return nil
			}
			if acts, _ := n.Acts(d); acts {
				continue
			}
			if _, known := x.former[d]; !known {
				x.former[d] = x.s.cfg.Now()
			}
		}
		return nil
	})
}
