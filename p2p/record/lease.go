package record

import (
	"cmp"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
)

// MaxLeases bounds the leases of a shard, and of a message.
const MaxLeases = 4096

const maxDuration = 48 * time.Hour // that a peer may tell of

// LeaseID names a lease. It is drawn by chance.
type LeaseID uint64

// Lease is a lease as members know it.
type Lease struct {
	ID      LeaseID
	Domain  crawl.Domain
	Fetcher crawl.PeerID
	// Left is how long the lease counts from when a store learns of it.
	Left time.Duration
	// Gap is what the domain is owed between two requests.
	Gap     time.Duration
	Careful bool
}

// Longer makes up for clocks that run apart: a tenth more for a duration that another computer counts.
func Longer(d time.Duration) time.Duration { return d + d/10 }

// Write writes a lease.
func (l Lease) Write(w *codec.Writer) {
	w.Fixed(uint64(l.ID))
	w.Text(string(l.Domain))
	w.Text(string(l.Fetcher))
	writeDuration(w, l.Left)
	writeDuration(w, l.Gap)
	w.Bool(l.Careful)
}

// ReadLease reads a lease.
func ReadLease(r *codec.Reader) Lease {
	return Lease{
		ID: LeaseID(r.Fixed()), Domain: crawl.Domain(r.Text(codec.MaxName)), Fetcher: crawl.PeerID(r.Text(codec.MaxName)),
		Left: readDuration(r), Gap: readDuration(r), Careful: r.Bool(),
	}
}

// WriteLeases writes leases.
func WriteLeases(w *codec.Writer, list []Lease) {
	codec.WriteList(w, list, func(l Lease) { l.Write(w) })
}

// ReadLeases reads MaxLeases leases at most.
func ReadLeases(r *codec.Reader) []Lease {
	return codec.ReadList(r, MaxLeases, func() Lease { return ReadLease(r) })
}

func writeDuration(w *codec.Writer, d time.Duration) {
	w.Uint(uint64(max(0, (d+time.Millisecond-1)/time.Millisecond)))
}

func readDuration(r *codec.Reader) time.Duration {
	return time.Duration(r.UpTo(uint64(maxDuration/time.Millisecond))) * time.Millisecond
}

// Leases are the leases of a shard that count at this store, by a clock that stops with the machine
// and begins at zero after a start. So a lease may count for longer than it lives, never shorter.
type Leases struct {
	byDomain map[crawl.Domain][]counted
	size     int
}

type counted struct {
	Lease
	since time.Duration
}

// NewLeases returns none.
func NewLeases() *Leases { return &Leases{byDomain: map[crawl.Domain][]counted{}} }

// Add counts a lease from now on. One that is known only gets longer.
func (s *Leases) Add(l Lease, now time.Duration) {
	list := s.byDomain[l.Domain]
	i := slices.IndexFunc(list, func(c counted) bool { return c.ID == l.ID })
	switch {
	case i < 0 && s.size < MaxLeases:
		s.byDomain[l.Domain] = append(list, counted{l, now})
		s.size++
	case i >= 0 && list[i].since+list[i].Left < now+l.Left:
		list[i] = counted{l, now}
	}
}

// End makes a lease count for one gap more.
func (s *Leases) End(l Lease, now time.Duration) {
	list := s.byDomain[l.Domain]
	for i := range list {
		if list[i].ID == l.ID {
			list[i].since, list[i].Left = now, list[i].Gap
		}
	}
}

// Get returns a lease that was added and has not been found to have lapsed.
func (s *Leases) Get(d crawl.Domain, id LeaseID) (Lease, bool) {
	for _, c := range s.byDomain[d] {
		if c.ID == id {
			return c.Lease, true
		}
	}
	return Lease{}, false
}

// Len returns how many there are.
func (s *Leases) Len() int { return s.size }

// Of returns how many leases of a domain count.
func (s *Leases) Of(d crawl.Domain, now time.Duration) int {
	s.lapse(d, now)
	return len(s.byDomain[d])
}

func (s *Leases) lapse(d crawl.Domain, now time.Duration) {
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

// All returns the leases that count, with what is left of them here, in the order of their numbers.
func (s *Leases) All(now time.Duration) []Lease {
	var live []Lease
	for d := range s.byDomain {
		live = append(live, s.Live(now, d)...)
	}
	slices.SortFunc(live, func(a, b Lease) int { return cmp.Compare(a.ID, b.ID) })
	return live
}

// Live returns those of a domain.
func (s *Leases) Live(now time.Duration, d crawl.Domain) []Lease {
	s.lapse(d, now)
	var live []Lease
	for _, c := range s.byDomain[d] {
		c.Left -= now - c.since
		live = append(live, c.Lease)
	}
	return live
}

// Told returns live leases as another store is told of them.
func (s *Leases) Told(now time.Duration, want func(crawl.Key) bool) []Lease {
	var told []Lease
	for _, l := range s.All(now) {
		if want == nil || want(crawl.KeyOf(l.Domain)) {
			l.Left = Longer(l.Left)
			told = append(told, l)
		}
	}
	return told
}
