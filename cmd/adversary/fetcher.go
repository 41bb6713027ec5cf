package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/wire"
)

// fetcher is a member that asks for work and does none.
type fetcher struct {
	*member
	group  *group.Node             // used by the hooks and by jobs of the driver
	answer func(*fetcher, offered) // does something with a domain that is offered
	tasks  map[crawl.Domain][]crawl.Task
}

// maxRemembered bounds the domains of which tasks are remembered.
const maxRemembered = 4096

// offered is a domain that a leader offers.
type offered struct {
	by crawl.PeerID
	d  crawl.Domain
}

// wantEvery is how often a fetcher says that it has room.
const wantEvery = 250 * time.Millisecond

// askForWork has -identities fetchers ask for work until ctx ends.
func askForWork(ctx context.Context, o *options, answer func(*fetcher, offered)) error {
	var all sync.WaitGroup
	var failed error
	for range o.identities {
		f := &fetcher{answer: answer, tasks: make(map[crawl.Domain][]crawl.Task)}
		m, err := join(ctx, o, 0, f.lie)
		if err != nil {
			failed = err
			break
		}
		defer m.close()
		o.did.add("members", 1)
		all.Go(func() { f.wantWork(ctx) })
	}
	all.Wait()
	return failed
}

// lie has a member take offers.
func (f *fetcher) lie(m *member, cfg *driver.Config) {
	f.member = m
	cfg.Opened = func(n *group.Node) { f.group = n }
	cfg.Node.Told = func(from crawl.PeerID, b []byte) {
		for _, d := range readOffer(b) {
			m.did.add("offers", 1)
			f.answer(f, offered{from, d})
		}
	}
}

// wantWork tells all owners again and again that there is room.
func (f *fetcher) wantWork(ctx context.Context) {
	want := body(bodyWant, &wire.Ask{Slots: maxOffers})
	for ctx.Err() == nil {
		_ = f.Do(ctx, func(n *group.Node) error {
			for _, p := range f.owners() {
				n.Tell(p, want)
			}
			return nil
		})
		wait(ctx, wantEvery)
	}
}

// take asks for a lease, and has work done with it.
func (f *fetcher) take(x offered, work func(group.Lease, []crawl.Task)) {
	f.group.Ask(x.d, x.by, func(l group.Lease, granted bool) {
		if !granted {
			f.did.add("refused", 1)
			return
		}
		f.did.add("leases", 1)
		if lease, err := wire.DecodeLease(l.Body); err == nil {
			work(l, lease.Tasks)
		}
	})
}

// poison tells of pages without having visited them.
func poison(ctx context.Context, o *options) error {
	if o.say == "late" {
		return askForWork(ctx, o, tellLate)
	}
	return askForWork(ctx, o, func(f *fetcher, x offered) {
		f.take(x, func(l group.Lease, tasks []crawl.Task) {
			f.group.Put(l.Domain, reportBody(crawl.LeaseID(l.ID), l.Domain, o.say, tasks), l.Leader, func(stored bool) {
				if !stored {
					o.did.add("reports refused", 1)
					return
				}
				o.did.add("pages told", len(tasks))
				f.group.Return(l)
			})
		})
	})
}

// tellLate gives a lease back at once, and tells of its pages when the domain is offered again: as of a lease
// that is over.
func tellLate(f *fetcher, x offered) {
	tasks, known := f.tasks[x.d]
	if !known {
		f.take(x, func(l group.Lease, tasks []crawl.Task) {
			if len(f.tasks) < maxRemembered {
				f.tasks[x.d] = tasks
			}
			f.group.Put(x.d, reportBody(crawl.LeaseID(l.ID), x.d, "", nil), x.by, func(bool) { f.group.Return(l) })
		})
		return
	}
	delete(f.tasks, x.d)
	f.group.Put(x.d, reportBody(1, x.d, "links", tasks), x.by, func(stored bool) {
		if stored {
			f.did.add("pages told", len(tasks))
		} else {
			f.did.add("reports refused", 1)
		}
	})
}

// hoard takes leases and lets them lapse.
func hoard(ctx context.Context, o *options) error {
	return askForWork(ctx, o, func(f *fetcher, x offered) { f.take(x, func(group.Lease, []crawl.Task) {}) })
}

// spamLinks is how many links go to a domain at a time.
const spamLinks = 64

// spam brings links to pages that do not exist to the leaders of domains, those that are offered and new ones.
func spam(ctx context.Context, o *options) error {
	return askForWork(ctx, o, func(f *fetcher, x offered) {
		for _, d := range append(slices.Clone(o.domains), x.d) {
			f.spam(d)
		}
		if links := forgedLinks(x.d, 1); len(links) > 0 {
			f.spam(links[len(links)-1].URL.Domain())
		}
	})
}

func (f *fetcher) spam(d crawl.Domain) {
	var links []crawl.Outlink
	for range spamLinks {
		if u, err := crawl.ParseURL(forgedURL(string(d))); err == nil {
			links = append(links, crawl.Outlink{URL: u, Depth: 1, Priority: crawl.PriorityHigh})
		}
	}
	if len(links) == 0 {
		return
	}
	b := body(bodyLinks, wire.LinksOf("", time.Now().Unix(), links))
	f.group.Put(d, b, "", func(stored bool) {
		if stored {
			f.did.add("links", len(links))
		} else {
			f.did.add("links refused", len(links))
		}
	})
}
