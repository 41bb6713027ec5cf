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
	// minLate and maxLate bound how long links wait that could not be delivered, maxParcels of how many domains
	// it is remembered which those are.
	minLate, maxLate = time.Second, time.Minute
	maxParcels       = 256
)

// links bring links to those that act for their domains. The domain that they were found on remembers them
// until then: a new leader brings them again.
type links struct {
	s      *Swarm
	flying map[crawl.Domain]bool // by the domain that they were found on
	late   map[crawl.Domain]*parcel
	after  crawl.Domain // where the next look goes on
	told   told
}

func (l *links) begin(s *Swarm) {
	*l = links{s: s, flying: make(map[crawl.Domain]bool), late: make(map[crawl.Domain]*parcel), told: newTold()}
}

// waiting returns links that are not known to be delivered.
func (l *links) waiting() (list []frontier.Delivery, err error) {
	err = l.s.cfg.DB.View(func(tx *storage.Tx) error {
		for range maxDeliveries {
			x, ok := l.s.cfg.Frontier.Outgoing(tx, l.after, linksAtOnce)
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

// send puts links, and again those of earlier deliveries that have not arrived, as soon as they may be.
func (l *links) send(n *group.Node, list []frontier.Delivery) {
	now := l.s.cfg.Now()
	for _, x := range list {
		if acts, _ := n.Acts(x.From); !acts || len(x.Of) == 0 || l.flying[x.From] || len(l.flying) >= maxDeliveries {
			continue
		}
		p := l.late[x.From]
		switch {
		case p == nil:
			p = newParcel(x)
		case now.Before(p.again):
			continue
		}
		delete(l.late, x.From)
		l.flying[x.From] = true
		l.deliver(n, p)
	}
}

// parcel are links that were found on one domain, by the domain that they lead to.
type parcel struct {
	from  crawl.Domain
	of    []frontier.Sent
	to    map[crawl.Domain][]crawl.Outlink
	tries int
	again time.Time // when what has not arrived may be sent again
}

func newParcel(x frontier.Delivery) *parcel {
	p := &parcel{from: x.From, of: x.Of, to: make(map[crawl.Domain][]crawl.Outlink)}
	for _, link := range x.Links {
		p.to[link.URL.Domain()] = append(p.to[link.URL.Domain()], link)
	}
	return p
}

// deliver puts the links of a parcel. When all have arrived, the domain that they were found on learns that.
// The others wait: their leader may be away, or have no room.
func (l *links) deliver(n *group.Node, p *parcel) {
	left := len(p.to)
	done := func() {
		if delete(l.flying, p.from); len(p.to) == 0 {
			n.Put(p.from, deliveredBody(p.of), l.s.cfg.Self, func(stored bool) {
				if stored { // else they are brought again, which must not be at once
					l.s.Look()
				}
			})
			return
		}
		p.again = l.s.cfg.Now().Add(min(minLate<<min(p.tries, 8), maxLate))
		if p.tries++; len(l.late) < maxParcels {
			l.late[p.from] = p
		}
	}
	if left == 0 {
		done()
		return
	}
	for _, d := range slices.Sorted(maps.Keys(p.to)) {
		count, to := len(p.to[d]), n.Leader(d)
		n.Put(d, linksBody(p.from, p.of[0].Date, p.to[d]), "", func(stored bool) {
			if stored {
				delete(p.to, d)
			}
			if stored && to != l.s.cfg.Self {
				l.s.tell(Event{Kind: LinksSent, Peer: string(to), Domain: d, Count: count})
			}
			if left--; left == 0 {
				done()
			}
		})
	}
}

// linksBody tells of links to one domain that pages of another have since a date.
func linksBody(from crawl.Domain, date int64, list []crawl.Outlink) []byte {
	slices.SortFunc(list, func(a, b crawl.Outlink) int { return cmp.Compare(a.URL.String(), b.URL.String()) })
	return body(bodyLinks, wire.LinksOf(from, date, list))
}

// Seed brings seeds to those that act for their domains. stored is called for each, on the goroutine of the Node.
func (s *Swarm) Seed(n *group.Node, seed crawl.Outlink, stored func(bool)) {
	n.Put(seed.URL.Domain(), linksBody("", time.Now().Unix(), []crawl.Outlink{seed}), "", stored)
}
