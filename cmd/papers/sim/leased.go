package sim

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/near"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/storage/bloom"
)

const (
	// leasesPer is how many leases a node holds for each thread, lastsS how long tasks of a lease are begun, in
	// seconds: half of its length is for what follows.
	leasesPer = 8
	lastsS    = 60
	// wantS is how often a node with room says so, and told to how many members by chance; freshS how long they
	// believe it (docs/swarm.md).
	wantS, told, freshS = 5, 8, 10
	// tellS is how often owners tell each other what they lend, in seconds.
	tellS = 15
	// reportS is how long outcomes and their links wait for company at most, in seconds.
	reportS = 30
	// pageBytes is what goes between nodes for a page, its links and copies included, as cmd/bench -swarm 16 measured.
	pageBytes = 312
	// robotsRounds is what robots.txt takes beyond the connection, in round trips.
	robotsRounds = 1
	// meetings is how many round trips to others each node has seen.
	meetings = 100
)

// leased is a crawl by the product's rules: the ring says who owns a host, its owner lends it to one node at a time,
// by the book of crawl/near, the gap is that of crawl.Politeness, and the Bloom filters of the store tell what is
// known.
type leased struct {
	*world
	nodes   []*member
	hosts   []place
	names   []crawl.Domain
	polite  crawl.Politeness
	members []crawl.PeerID
	by      map[crawl.PeerID]int
	known   int
}

// member is a node, as owner and as fetcher.
type member struct {
	at       near.Coordinate
	book     near.Book
	filter   *bloom.Batch
	waiting  []int32 // hosts that could be lent
	wants    map[int]float64
	free     int // threads
	room     int // leases
	due      []*lease
	resolved set
	robots   set // hosts whose robots.txt it has
}

// place is what the owner of a host knows of it.
type place struct {
	owner   int32
	lent    bool
	waits   bool // among those of the owner that could be lent
	pending []int32
}

// lease is a turn at a host.
type lease struct {
	host  int32
	tasks []int32
	ends  float64
	found []int32 // pages that were fetched, not yet reported
	next  float64 // when they are
}

// memory keeps the blocks of filters.
type memory map[string][]byte

// Get implements bloom.Store.
func (m memory) Get(key []byte) []byte { return m[string(key)] }

// Put implements bloom.Store.
func (m memory) Put(key, value []byte) error {
	m[string(key)] = slices.Clone(value)
	return nil
}

// Leased crawls by the product's rules.
func Leased(c Config) Result {
	s := &leased{world: newWorld(c), hosts: make([]place, c.Web.Hosts), by: make(map[crawl.PeerID]int)}
	var on []ring.Member
	for i := range c.Nodes {
		p := crawl.PeerID(fmt.Sprintf("node %d", i))
		s.members = append(s.members, p)
		s.by[p] = i
		on = append(on, ring.Member{ID: string(p), Units: 1})
		s.nodes = append(s.nodes, &member{book: near.Book{Self: p}, filter: bloom.NewBatch(memory{}),
			wants: make(map[int]float64),
			free:  c.Threads, room: leasesPer * c.Threads, resolved: newSet(c.Web.Hosts), robots: newSet(c.Web.Hosts)})
	}
	s.meet()
	owners := ring.New(on)
	for h := range s.hosts {
		d := crawl.Domain(fmt.Sprintf("host%d.example", h))
		s.names = append(s.names, d)
		u, _ := owners.Owner(crawl.KeyOf(d))
		s.hosts[h].owner = int32(s.by[crawl.PeerID(u.Member)])
	}
	for i := range s.nodes {
		s.after(wantS*float64(i)/float64(c.Nodes), func() { s.want(i) })
	}
	s.after(tellS, s.tell)
	for _, page := range c.Seeds {
		s.take(page)
	}
	r := s.run()
	r.Known = s.known
	return r
}

// meet gives the nodes their coordinates.
func (s *leased) meet() {
	here := make([]*near.Here, s.Nodes)
	for i := range here {
		here[i] = near.New(string(s.members[i]))
	}
	for range meetings {
		for i := range here {
			if j := s.Rand.IntN(len(here)); j != i {
				here[i].Heard(string(s.members[j]), here[j].At(),
					time.Duration(s.Between(i, j)*float64(time.Millisecond)))
			}
		}
	}
	for i := range here {
		s.nodes[i].at, _ = near.Parse(here[i].At().Text())
	}
}

// want lets a node with room say so, now and then.
func (s *leased) want(node int) {
	if s.nodes[node].room > 0 {
		for range min(told, s.Nodes) {
			owner := s.Rand.IntN(s.Nodes)
			s.nodes[owner].wants[node] = s.now + freshS
			s.offer(owner)
		}
	}
	s.after(wantS, func() { s.want(node) })
}

// tell lets all owners tell each other how many sites they have lent to whom.
func (s *leased) tell() {
	told := make([][]near.Load, s.Nodes)
	for i, n := range s.nodes {
		told[i] = n.book.Loads()
	}
	for i, n := range s.nodes {
		n.book.Heard(slices.Concat(told[:i], told[i+1:]))
	}
	s.after(tellS, s.tell)
}

// take brings a link to its owner.
func (s *leased) take(page int32) {
	host := s.Web.Host[page]
	p := &s.hosts[host]
	prefix := []byte{byte(host >> 24), byte(host >> 16), byte(host >> 8), byte(host)}
	isNew, err := s.nodes[p.owner].filter.Add(prefix, bloom.HashOf(fmt.Sprintf("https://%s/%d", s.names[host], page)))
	if err != nil {
		panic(err) // the blocks are its own
	}
	if !isNew {
		return
	}
	s.known++
	p.pending = append(p.pending, page)
	s.wait(host)
}

// wait puts a host among those that could be lent, if it is one.
func (s *leased) wait(host int32) {
	p := &s.hosts[host]
	if p.lent || p.waits || len(p.pending) == 0 {
		return
	}
	p.waits = true
	o := s.nodes[p.owner]
	if o.waiting = append(o.waiting, host); len(o.waiting) == 1 {
		s.offer(int(p.owner))
	}
}

// offer lends what could be lent, as long as somebody has room.
func (s *leased) offer(owner int) {
	o := s.nodes[owner]
	for len(o.waiting) > 0 {
		list := s.fetchers(owner)
		if len(list) == 0 {
			return
		}
		host := o.waiting[0]
		p := &s.hosts[host]
		clock := time.Unix(1_800_000_000, int64(s.now*1e9))
		i := o.book.Choose(clock, s.names[host], uint64(len(p.pending)), list)
		if i < 0 {
			return
		}
		o.waiting = o.waiting[1:]
		p.waits, p.lent = false, true
		fetcher := s.by[list[i].Peer]
		s.nodes[fetcher].room--
		l := &lease{host: host, tasks: slices.Clone(p.pending[:min(len(p.pending), frontier.MaxLeaseTasks)])}
		p.pending = p.pending[len(l.tasks):]
		s.after(s.way(owner, fetcher), func() {
			l.ends, l.next = s.now+lastsS, s.now+reportS
			s.ready(fetcher, l)
		})
	}
}

// way is what a message takes, in seconds.
func (s *leased) way(a, b int) float64 {
	if a == b {
		return 0
	}
	return s.Between(a, b) / 2000
}

// fetchers are those with room that an owner knows of, itself first.
func (s *leased) fetchers(owner int) (list []near.Fetcher) {
	add := func(node int) {
		if n := s.nodes[node]; n.room > 0 {
			list = append(list, near.Fetcher{Candidate: near.Candidate{Peer: s.members[node], At: n.at}, Room: n.room})
		}
	}
	add(owner)
	for node := range s.Nodes {
		if until, ok := s.nodes[owner].wants[node]; ok && node != owner && until >= s.now {
			add(node)
		}
	}
	for i := range list {
		list[i].Capacity = 1 / float64(len(list))
	}
	return list
}

// ready puts a lease whose gap is over in line for a thread.
func (s *leased) ready(node int, l *lease) {
	n := s.nodes[node]
	n.due = append(n.due, l)
	s.start(node)
}

func (s *leased) start(node int) {
	n := s.nodes[node]
	for n.free > 0 && len(n.due) > 0 {
		l := n.due[0]
		n.due = n.due[1:]
		n.free--
		page := l.tasks[0]
		l.tasks = l.tasks[1:]
		trip := s.Trip(node, l.host) / 1000
		robots := n.robots.add(int(l.host))
		took := s.request(node, page, n.resolved)
		if robots {
			took += robotsRounds * trip
			s.result.Robots++
		}
		s.connected(node, l.host, trip)
		s.after(took, func() { s.done(node, l, page, took) })
	}
}

// connected tells the owner how long a connection took, as the outcome will.
func (s *leased) connected(node int, host int32, trip float64) {
	o := s.nodes[s.hosts[host].owner]
	o.book.Connected(time.Unix(1_800_000_000, int64(s.now*1e9)), s.names[host],
		near.Candidate{Peer: s.members[node], At: s.nodes[node].at}, time.Duration(trip*float64(time.Second)))
}

func (s *leased) done(node int, l *lease, page int32, took float64) {
	s.fetched(node, page)
	if int(s.hosts[l.host].owner) != node {
		s.result.Sent += pageBytes
	}
	s.nodes[node].free++
	l.found = append(l.found, page)
	gap := s.polite.Gap(0, time.Duration(took*float64(time.Second)), 0).Seconds()
	over := len(l.tasks) == 0 || s.now+gap > l.ends
	if over || s.now >= l.next {
		s.report(node, l)
	}
	if over {
		s.end(node, l, gap)
	} else {
		s.after(gap, func() { s.ready(node, l) })
	}
	s.start(node)
}

// report brings the links of fetched pages to their owners, by way of the owner of the page.
func (s *leased) report(node int, l *lease) {
	found := l.found
	l.found, l.next = nil, s.now+reportS
	s.after(s.way(node, int(s.hosts[l.host].owner)), func() {
		for _, page := range found {
			for _, to := range s.Web.Links(page) {
				if s.Web.Host[to] == l.host {
					s.take(to)
				} else {
					s.after(flushS, func() { s.take(to) })
				}
			}
		}
	})
}

// end returns a lease.
func (s *leased) end(node int, l *lease, gap float64) {
	s.nodes[node].room++
	p := &s.hosts[l.host]
	s.after(math.Max(gap, s.way(node, int(p.owner))), func() {
		p.lent = false
		p.pending = append(l.tasks, p.pending...)
		s.wait(l.host)
	})
	s.offer(node)
}
