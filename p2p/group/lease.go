package group

import (
	"cmp"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
)

// LeaseID names a lease. It is drawn by chance.
type LeaseID uint64

// lease is a lease as members know it.
type lease struct {
	ID      LeaseID
	Domain  crawl.Domain
	Fetcher crawl.PeerID
	// Left is how long the lease counts from when a store learns of it.
	Left time.Duration
	// Gap is what the domain is owed between two requests.
	Gap     time.Duration
	Careful bool
}

// longer makes up for clocks that run apart: a tenth more for a duration that another computer counts.
func longer(d time.Duration) time.Duration { return d + d/10 }

func (w *writer) lease(l lease) {
	w.Fixed(uint64(l.ID))
	w.Text(string(l.Domain))
	w.Text(string(l.Fetcher))
	w.duration(l.Left)
	w.duration(l.Gap)
	w.Bool(l.Careful)
}

func (r *reader) lease() lease {
	return lease{
		ID: LeaseID(r.Fixed()), Domain: crawl.Domain(r.Text(maxName)), Fetcher: crawl.PeerID(r.Text(maxName)),
		Left: r.duration(), Gap: r.duration(), Careful: r.Bool(),
	}
}

func (w *writer) leases(list []lease) { codec.WriteList(&w.Writer, list, w.lease) }

func (r *reader) leases() []lease { return codec.ReadList(&r.Reader, maxLeases, r.lease) }

// leases are the leases of a shard that count at this store, by a clock that stops with the machine
// and begins at zero after a start. So a lease may count for longer than it lives, never shorter.
type leases struct {
	byDomain map[crawl.Domain][]counted
	size     int
}

type counted struct {
	lease
	since time.Duration
}

func newLeases() *leases { return &leases{byDomain: map[crawl.Domain][]counted{}} }

// add counts a lease from now on. One that is known only gets longer.
func (s *leases) add(l lease, now time.Duration) {
	list := s.byDomain[l.Domain]
	i := slices.IndexFunc(list, func(c counted) bool { return c.ID == l.ID })
	switch {
	case i < 0 && s.size < maxLeases:
		s.byDomain[l.Domain] = append(list, counted{l, now})
		s.size++
	case i >= 0 && list[i].since+list[i].Left < now+l.Left:
		list[i] = counted{l, now}
	}
}

// end makes a lease count for one gap more.
func (s *leases) end(l lease, now time.Duration) {
	list := s.byDomain[l.Domain]
	for i := range list {
		if list[i].ID == l.ID {
			list[i].since, list[i].Left = now, list[i].Gap
		}
	}
}

// has reports whether a lease of that number counts.
func (s *leases) has(d crawl.Domain, id LeaseID) bool {
	return slices.ContainsFunc(s.byDomain[d], func(c counted) bool { return c.ID == id })
}

// of returns how many leases of a domain count.
func (s *leases) of(d crawl.Domain, now time.Duration) int {
	s.lapse(d, now)
	return len(s.byDomain[d])
}

func (s *leases) lapse(d crawl.Domain, now time.Duration) {
	list, ok := s.byDomain[d]
	if !ok {
		return
	}
	left := slices.DeleteFunc(list, func(c counted) bool { return now-c.since >= c.Left })
	s.size -= len(list) - len(left)
	if s.byDomain[d] = left; len(left) == 0 {
		delete(s.byDomain, d)
	}
}

// live returns the leases that count, with what is left of them here, in the order of their numbers.
func (s *leases) live(now time.Duration) []lease {
	var live []lease
	for d := range s.byDomain {
		s.lapse(d, now)
		for _, c := range s.byDomain[d] {
			c.Left -= now - c.since
			live = append(live, c.lease)
		}
	}
	slices.SortFunc(live, func(a, b lease) int { return cmp.Compare(a.ID, b.ID) })
	return live
}

// told returns live leases as another store is told of them.
func (s *leases) told(now time.Duration, want func(crawl.Key) bool) []lease {
	var told []lease
	for _, l := range s.live(now) {
		if want == nil || want(crawl.KeyOf(l.Domain)) {
			l.Left = longer(l.Left)
			told = append(told, l)
		}
	}
	return told
}
