package swarm

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

const (
	// maxDeliveries is of how many domains links are under way at a time, linksAtOnce how many of one.
	maxDeliveries = 32
	linksAtOnce   = 512
)

// links bring links to those that act for their domains. The domain that they were found on remembers them until then: a new
// leader brings them again.
type links struct {
	s      *Swarm
	flying map[crawl.Domain]bool // by the domain that they were found on
	after  crawl.Domain          // where the next look goes on
}

func (l *links) begin(s *Swarm) { *l = links{s: s, flying: make(map[crawl.Domain]bool)} }

// waiting returns links that are not known to be delivered.
func (l *links) waiting() (list []frontier.Delivery, err error) {
	err = l.s.cfg.DB.View(func(tx *storage.Tx) error {
		for range maxDeliveries {
			x, ok, err := l.s.cfg.Frontier.Outgoing(tx, l.after, linksAtOnce)
			if err != nil {
				return err
			}
			if !ok {
				l.after = ""
				return nil
			}
			l.after = x.From
			list = append(list, x)
		}
		return nil
	})
	return list, err
}

// send puts links. When all of a delivery have arrived, the domain that they were found on learns that.
func (l *links) send(n *group.Node, list []frontier.Delivery) {
	for _, x := range list {
		if acts, _ := n.Acts(x.From); !acts || len(x.Of) == 0 || l.flying[x.From] || len(l.flying) >= maxDeliveries {
			continue
		}
		l.flying[x.From] = true
		to := make(map[crawl.Domain][]wire.Link)
		for _, link := range x.Links {
			to[link.URL.Domain()] = append(to[link.URL.Domain()], wire.LinkOf(link))
		}
		left, lost := len(to), false
		arrived := func(stored bool) {
			lost = lost || !stored
			if left--; left > 0 {
				return
			}
			if delete(l.flying, x.From); !lost {
				n.Put(x.From, deliveredBody(x.Of), l.s.cfg.Self, func(stored bool) {
					if stored { // else they are brought again, which must not be at once
						l.s.look()
					}
				})
			}
		}
		if left == 0 {
			left++
			arrived(true)
		}
		for _, d := range slices.Sorted(maps.Keys(to)) {
			n.Put(d, linksBody(groupOf(x.From, time.Unix(x.Of[0].Date, 0), to[d])), "", arrived)
		}
	}
}

// groupOf brings links into the form of the wire.
func groupOf(from crawl.Domain, date time.Time, list []wire.Link) []wire.LinkGroup {
	slices.SortFunc(list, func(a, b wire.Link) int { return cmp.Compare(a.URL, b.URL) })
	return []wire.LinkGroup{{From: from, Date: date.Unix(), Depth: list[0].Depth, Links: wire.AppendLinks(nil, list[0].Depth, list)}}
}

// Seed brings seeds to those that act for their domains. stored is called for each, on the goroutine of the Node.
func (s *Swarm) Seed(n *group.Node, seed crawl.Outlink, stored func(bool)) {
	n.Put(seed.URL.Domain(), linksBody(groupOf("", time.Now(), []wire.Link{wire.LinkOf(seed)})), "", stored)
}
