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

// Lease is a lease as members know it.
type Lease struct {
	ID      crawl.LeaseID
	Domain  crawl.Domain
	Fetcher crawl.PeerID
	// Left is how long the lease counts from when a store learns of it.
	Left time.Duration
	// Gap is what the domain is owed between two requests.
	Gap     time.Duration
	Careful bool
	// Founding is that of the group whose record has the lease, 0 if none has it. It is not written: each store
	// knows it for itself.
	Founding uint64
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
		ID: crawl.LeaseID(r.Fixed()), Domain: crawl.Domain(r.Text(codec.MaxName)),
		Fetcher: crawl.PeerID(r.Text(codec.MaxName)),
		Left:    readDuration(r), Gap: readDuration(r), Careful: r.Bool(),
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
	looked   time.Duration // when all were looked at for those that lapsed
}

type counted struct {
	Lease
	since time.Duration
}

// NewLeases returns none.
func NewLeases() *Leases { return &Leases{byDomain: map[crawl.Domain][]counted{}} }

// Add counts a lease from now on. One that is known only gets longer, and stays in the record that has it.
func (s *Leases) Add(l Lease, now time.Duration) {
	i := slices.IndexFunc(s.byDomain[l.Domain], func(c counted) bool { return c.ID == l.ID })
	if i < 0 {
		if !s.Full(0, now) {
			s.byDomain[l.Domain] = append(s.byDomain[l.Domain], counted{l, now})
			s.size++
		}
		return
	}
	c := &s.byDomain[l.Domain][i]
	l.Founding = cmp.Or(l.Founding, c.Founding)
	if c.Founding = l.Founding; c.since+c.Left < now+l.Left {
		*c = counted{l, now}
	}
}

// Grant counts a lease that the record has from now on. Others of its domain that the same record has are over:
// its leader found that none counts before it granted this one, and this store may have begun to count them
// later.
func (s *Leases) Grant(l Lease, now time.Duration) {
	s.keep(l.Domain, s.byDomain[l.Domain], func(c counted) bool { return c.Founding != l.Founding })
	s.Add(l, now)
}

// Restore makes leases those that the record of a founding has, counted from now on. What else the store took
// from that record is over.
func (s *Leases) Restore(list []Lease, founding uint64, now time.Duration) {
	for d, known := range s.byDomain {
		s.keep(d, known, func(c counted) bool { return c.Founding != founding })
	}
	for _, l := range list {
		l.Founding = founding
		s.Add(l, now)
	}
}

// Full reports whether there is no room for one lease more when others are about to come.
func (s *Leases) Full(coming int, now time.Duration) bool {
	if s.size+coming < MaxLeases || now-s.looked < time.Second {
		return s.size+coming >= MaxLeases
	}
	s.looked = now
	for d := range s.byDomain {
		s.lapse(d, now)
	}
	return s.size+coming >= MaxLeases
}

// End makes a lease count for one gap more at most.
func (s *Leases) End(l Lease, now time.Duration) {
	list := s.byDomain[l.Domain]
	for i := range list {
		if c := &list[i]; c.ID == l.ID && c.since+c.Left > now+c.Gap {
			c.since, c.Left = now, c.Gap
		}
	}
}

// Get returns a lease that was added and has not been found to have lapsed.
func (s *Leases) Get(d crawl.Domain, id crawl.LeaseID) (Lease, bool) {
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
	if list, ok := s.byDomain[d]; ok {
		s.keep(d, list, func(c counted) bool { return now-c.since < c.Left })
	}
}

// keep keeps some of the leases of a domain.
func (s *Leases) keep(d crawl.Domain, list []counted, is func(counted) bool) {
	left := slices.DeleteFunc(list, func(c counted) bool { return !is(c) })
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

// Told returns some of the live leases as another store is told of them.
func (s *Leases) Told(now time.Duration, want func(Lease) bool) []Lease {
	var told []Lease
	for _, l := range s.All(now) {
		if want(l) {
			l.Left = Longer(l.Left)
			told = append(told, l)
		}
	}
	return told
}
