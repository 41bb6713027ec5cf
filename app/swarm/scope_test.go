package swarm_test

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/storage"
)

// depths returns how far pages are from the seeds.
func (w *web) depths() map[string]uint8 {
	depths := make(map[string]uint8)
	level := make([]string, 0, len(w.roots))
	for _, u := range w.roots {
		depths[u.String()] = 0
		level = append(level, u.String())
	}
	for depth := uint8(1); len(level) > 0; depth++ {
		var next []string
		for _, page := range level {
			for _, l := range w.links[page] {
				if _, known := depths[l.URL.String()]; !known {
					depths[l.URL.String()] = depth
					next = append(next, l.URL.String())
				}
			}
		}
		level = next
	}
	return depths
}

// visits calls visit for each line in the servers' logs.
func (w *web) visits(visit func(d crawl.Domain, v visit)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for d, list := range w.log {
		for _, v := range list {
			visit(d, v)
		}
	}
}

// A fetcher visits what is in its own scope alone, whatever it is lent. Others visit the rest.
func TestSwarm_FetcherKeepsToItsScope(t *testing.T) {
	t.Parallel()
	l := newLab(t, newWeb(4, 12, 12), 5*time.Millisecond)
	const most = 1
	outside := map[crawl.Domain]bool{"site1.example": true, "site4.example": true, "site7.example": true}
	l.admits = func(by crawl.PeerID, o crawl.Outlink) bool {
		return by == "member-0" || !outside[o.URL.Domain()] && o.Depth <= most
	}
	owner, guest := l.add(), l.addAs(true)
	owner.fetcher.setLeases(0)
	l.seed(owner)
	l.wait(2*time.Minute, "a visit of the fetcher", func() (visited bool) {
		l.web.visits(func(_ crawl.Domain, v visit) { visited = visited || v.by == guest.id })
		return visited
	})
	owner.fetcher.setLeases(2)
	l.crawled(2 * time.Minute)
	depths := l.web.depths()
	l.web.visits(func(d crawl.Domain, v visit) {
		if v.by == guest.id && (outside[d] || depths[v.url] > most) {
			t.Errorf("it visited %s, at depth %d", v.url, depths[v.url])
		}
	})
	l.judge(0)
}

// A leader queues no links outside its scope, and none that are too deep, whoever brings them.
func TestSwarm_LeaderKeepsToItsScope(t *testing.T) {
	t.Parallel()
	l := newLab(t, newWeb(5, 8, 40), 5*time.Millisecond)
	const outside, most = "site3.example", 2
	l.admits = func(by crawl.PeerID, o crawl.Outlink) bool {
		return by != "member-0" || o.URL.Domain() != outside && o.Depth <= most
	}
	l.believes = true
	owner, guest := l.add(), l.addAs(true)
	owner.fetcher.setLeases(0) // all outcomes are the guest's
	l.seed(guest)
	l.wait(2*time.Minute, "an end of the crawl", func() bool {
		done := false
		if err := owner.db.View(func(tx *storage.Tx) (err error) {
			done, err = owner.frontier.Idle(tx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		pages, _ := l.web.counts()
		return done && pages > 8
	})
	depths := l.web.depths()
	l.web.visits(func(d crawl.Domain, v visit) {
		if d == outside || depths[v.url] > most {
			t.Errorf("%s visited %s, at depth %d", v.by, v.url, depths[v.url])
		}
	})
}

// A leader without room takes no links of others and lends them nothing.
func TestSwarm_LeaderWithoutRoom(t *testing.T) {
	t.Parallel()
	l := newLab(t, newWeb(6, 6, 6), 5*time.Millisecond)
	l.believes = true
	owner, guest := l.add(), l.addAs(true)
	owner.fetcher.setLeases(0)
	owner.full.Store(true)
	l.seed(owner)
	stored := make(chan bool, 1)
	if err := guest.Do(t.Context(), func(n *group.Node) error {
		guest.swarm.Seed(n, crawl.Outlink{URL: l.web.roots[0], Priority: crawl.PriorityHigh},
			func(ok bool) { stored <- ok })
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if <-stored {
		t.Error("it takes a link")
	}
	asked := make(chan bool, 1)
	if err := guest.Do(t.Context(), func(n *group.Node) error {
		n.Ask(l.web.roots[0].Domain(), owner.id, func(_ group.Lease, granted bool) { asked <- granted })
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if <-asked {
		t.Error("it lends a domain")
	}
	if pages, _ := l.web.counts(); pages > 0 {
		t.Errorf("%d pages were visited", pages)
	}
	owner.full.Store(false)
	l.wait(time.Minute, "a visit", func() bool { pages, _ := l.web.counts(); return pages > 0 })
}
