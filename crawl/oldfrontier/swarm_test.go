package frontier

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// swarm is a few members whose frontiers exchange links and domains, as the
// parts of a node that talk to others make them. Everything the members know is in their
// stores: between any two steps one may begin again from there.
type swarm struct {
	t       *testing.T
	rnd     *rand.Rand
	members []*rig
	paths   []string
	cfg     Config
	owner   map[crawl.Domain]int
	known   map[string]bool // URLs that were ever linked to
	fetched map[string]int  // outcomes that were settled
	strict  bool            // others are asked before a domain is leased
	calm    bool            // nothing new happens
}

const swarmDomains = 6

func newSwarm(t *testing.T, seed uint64, n int, strict bool) *swarm {
	s := &swarm{
		t: t, rnd: rand.New(rand.NewPCG(seed, 11)), owner: make(map[crawl.Domain]int), known: make(map[string]bool), fetched: make(map[string]int), strict: strict,
	}
	s.cfg = Config{Revisit: Revisit{First: -1}, Ask: func() bool { return strict }, LeaseFor: 20 * time.Second}
	s.cfg.piece = []int{0, 2, 7}[seed%3] // small ones need many commits
	s.cfg.Politeness.Fixed = new(time.Duration)
	if !strict {
		s.cfg.Revisit = Revisit{First: time.Hour}
	}
	for d := range swarmDomains {
		s.owner[crawl.Domain(fmt.Sprintf("d%d.test", d))] = s.rnd.IntN(n)
	}
	for i := range n {
		r := &rig{t: t, now: time.Unix(1_800_000_000, 0)}
		s.members, s.paths = append(s.members, r), append(s.paths, filepath.Join(t.TempDir(), "forage.db"))
		s.open(i)
		t.Cleanup(func() { r.stop() })
	}
	return s
}

func (s *swarm) open(i int) {
	cfg := s.cfg
	cfg.Owns = func(d crawl.Domain) bool { return s.owner[d] == i }
	s.members[i].open(s.paths[i], cfg)
}

func (s *swarm) peer(i int) string { return string(rune('A' + i)) }

func (s *swarm) any() int { return s.rnd.IntN(len(s.members)) }

// propose proposes entries, and once in a while the same again, as one does whose
// answer was lost; in between the member may begin again from its store.
func (s *swarm) propose(i int, entries ...Entry) []Applied {
	s.t.Helper()
	applied, err := s.members[i].Propose(s.t.Context(), entries...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.members[i].check()
	if s.rnd.IntN(20) == 0 {
		s.crash(i)
	}
	return applied
}

// twice is propose for entries that may be repeated.
func (s *swarm) twice(i int, e Entry) Applied {
	s.t.Helper()
	a := s.propose(i, e)
	if s.rnd.IntN(4) == 0 {
		a = s.propose(i, e)
	}
	return a[0]
}

func (s *swarm) crash(i int) {
	s.members[i].stop()
	s.open(i)
}

func (s *swarm) link() Link {
	u := fmt.Sprintf("http://%sd%d.test/%d", []string{"", "www."}[s.rnd.IntN(2)], s.rnd.IntN(swarmDomains), s.rnd.IntN(25))
	return Link{URL: u, Depth: uint8(s.rnd.IntN(3)), Priority: crawl.PriorityNormal}
}

func (s *swarm) step() {
	switch n := s.rnd.IntN(20); {
	case n < 1 && !s.calm:
		e := &Enqueue{Links: []Link{s.link(), s.link()}}
		s.propose(s.any(), Entry{Enqueue: e})
		s.found(e.Links)
	case n < 7:
		s.fetch(s.any())
	case n < 10:
		s.ship(s.any())
	case n < 12:
		s.ask(s.any())
	case n < 13 && !s.calm:
		s.owner[crawl.Domain(fmt.Sprintf("d%d.test", s.rnd.IntN(swarmDomains)))] = s.any()
	case n < 14:
		s.close(s.any())
	case n < 18:
		s.move(s.any())
	case n < 19:
		for _, r := range s.members {
			r.advance(time.Duration(s.rnd.IntN(60)) * time.Second)
		}
	default:
		s.crash(s.any())
	}
}

// fetch leases what is due at a member, and settles some of it.
func (s *swarm) fetch(i int) {
	r := s.members[i]
	p, err := r.Pick(2, never)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := r.Wake(s.t.Context(), p); err != nil {
		s.t.Fatal(err)
	}
	for _, over := range p.Lapsed {
		s.propose(i, Entry{Release: &over.Release})
	}
	for _, g := range p.Grants {
		g.Holder = []string{"", "F"}[s.rnd.IntN(2)]
		s.propose(i, Entry{Grant: &g})
	}
	leases, err := s.members[i].Leases()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, l := range leases {
		for _, task := range l.Tasks {
			if s.rnd.IntN(3) == 0 {
				continue
			}
			s.settle(i, l, task)
		}
		if s.rnd.IntN(2) == 0 {
			s.propose(i, Entry{Release: &Release{Lease: l.ID, Domain: l.Domain, By: l.Holder}})
		}
	}
}

func (s *swarm) settle(i int, l LiveLease, task crawl.Task) {
	o := crawl.Outcome{Lease: l.ID, Domain: l.Domain, Task: task, Result: crawl.Fetched, Status: 200, Date: s.members[i].clock()}
	switch {
	case s.calm:
	case s.rnd.IntN(15) == 0:
		o.Result, o.Wait = crawl.Deferred, 5*time.Minute
	case s.rnd.IntN(15) == 0 && task.Attempts < maxFailures-1:
		o.Result = crawl.Failed
	}
	var links []Link
	for range s.rnd.IntN(3) {
		if !s.calm {
			links = append(links, s.link())
		}
	}
	e := settleOf(o, links)
	e.By = l.Holder
	if a := s.propose(i, Entry{Settle: e}); !a[0].Settled {
		return // who visits the page next finds its links
	}
	s.found(links)
	if o.Result == crawl.Fetched {
		s.fetched[task.URL.String()]++
	}
}

func (s *swarm) found(links []Link) {
	for _, l := range links {
		s.known[l.URL] = true
	}
}

// ship sends links of an outbox to their owners.
func (s *swarm) ship(i int) {
	links, err := s.members[i].Outbox(nil, 1+s.rnd.IntN(20))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, l := range links {
		u, err := crawl.ParseURL(l.Link.URL)
		if err != nil {
			s.t.Fatal(err)
		}
		to := s.owner[u.Domain()]
		if to != i {
			s.propose(to, Received([]OutLink{l})...)
			if s.rnd.IntN(10) > 0 { // or the answer is lost
				s.twice(i, Entry{Sent: &Sent{Keys: [][]byte{l.Key}}})
			}
			continue
		}
		if _, err := s.members[i].TakeBack(s.t.Context(), []OutLink{l}); err != nil {
			s.t.Fatal(err)
		}
		if p := s.where(i, u.Domain()); p.State == StateGone && !s.heldElsewhere(i, u.Domain()) {
			s.twice(i, Entry{Forget: &Forget{Domains: []crawl.Domain{u.Domain()}}})
		}
	}
}

func (s *swarm) where(i int, d crawl.Domain) Place {
	p, err := s.members[i].Where(d)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *swarm) heldElsewhere(i int, d crawl.Domain) bool {
	for j := range s.members {
		if state := s.where(j, d).State; j != i && state != StateNone && state != StateGone {
			return true
		}
	}
	return false
}

// ask confirms domains that no other member has.
func (s *swarm) ask(i int) {
	list, err := s.members[i].Unasked("", 10)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, d := range list {
		if s.owner[d] == i && !s.heldElsewhere(i, d) {
			s.twice(i, Entry{Confirm: &Confirm{Domains: []crawl.Domain{d}}})
		}
	}
}

// close begins to move what is another's.
func (s *swarm) close(i int) {
	names, err := s.members[i].Names("", 100)
	if err != nil {
		s.t.Fatal(err)
	}
	to := make(map[int][]crawl.Domain)
	for _, d := range names {
		if o := s.owner[d]; o != i {
			to[o] = append(to[o], d)
		}
	}
	for j := range s.members {
		if len(to[j]) > 0 {
			s.propose(i, Entry{Close: &Close{Domains: to[j], To: s.peer(j)}})
		}
	}
}

// move makes one step of each move away from a member.
func (s *swarm) move(i int) {
	list, err := s.members[i].Closing("", 100)
	if err != nil {
		s.t.Fatal(err)
	}
	moves := make(map[uint64][]crawl.Domain)
	to := make(map[uint64]int)
	for _, c := range list {
		moves[c.N] = append(moves[c.N], c.Domain)
		to[c.N] = int(c.To[0] - 'A')
	}
	var numbers []uint64
	for n := range moves {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		s.moveOn(i, to[n], n, moves[n])
	}
}

func (s *swarm) moveOn(i, to int, n uint64, domains []crawl.Domain) {
	from := s.peer(i)
	mv, err := s.members[to].Arrival(from, n)
	if err != nil {
		s.t.Fatal(err)
	}
	wanted := slices.ContainsFunc(domains, func(d crawl.Domain) bool { return s.owner[d] == to })
	switch {
	case mv.State == MoveOpened:
		s.twice(i, Entry{Gone: &Gone{Domains: domains, To: s.peer(to), N: n}})
	case mv.State == MoveDeclined:
		s.twice(i, Entry{Reopen: &Reopen{Domains: domains, N: n}})
	case mv.State == MoveAborting, !wanted, s.rnd.IntN(25) == 0:
		s.twice(to, Entry{Abort: &Abort{From: from, N: n}})
	case mv.State == MoveOpening:
		s.propose(to, Entry{Opened: &Opened{From: from, N: n, Chunks: mv.Seq}})
	default:
		s.sendChunk(i, to, n, mv, domains)
	}
}

// sendChunk sends what follows the mark of the last chunk: <domain> 0 <cursor>.
func (s *swarm) sendChunk(i, to int, n uint64, mv Move, domains []crawl.Domain) {
	at, cursor := 0, []byte(nil)
	if mv.Mark != nil {
		d, rest, _ := bytes.Cut(mv.Mark, []byte{0})
		at = slices.Index(domains, crawl.Domain(d))
		if cursor = rest; len(rest) == 0 {
			at, cursor = at+1, nil
		}
	}
	if at == len(domains) {
		s.twice(to, Entry{Opened: &Opened{From: s.peer(i), N: n, Chunks: mv.Seq}})
		return
	}
	c := &Chunk{From: s.peer(i), N: n, Seq: mv.Seq + 1}
	size, room := 0, []int{1, 300, MaxItem}[s.rnd.IntN(3)]
	for ; at < len(domains) && size < room; at++ {
		items, next, done, err := s.members[i].Export(s.t.Context(), domains[at], cursor, room)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, it := range items {
			size += len(it)
		}
		c.Items, c.Mark, cursor = append(c.Items, items...), append(append([]byte(domains[at]), 0), next...), nil
		if !done {
			break
		}
	}
	s.twice(to, Entry{Chunk: c})
}

// finish lets everything come to rest.
func (s *swarm) finish() {
	s.calm = true
	quiet := 0 // rounds; a move that was called off begins again in the next
	for range 400 {
		busy := false
		for i, r := range s.members {
			r.advance(10 * time.Minute)
			s.ship(i)
			s.ask(i)
			s.close(i)
			s.move(i)
			s.fetch(i)
			if idle, err := s.members[i].Idle(); err != nil {
				s.t.Fatal(err)
			} else {
				busy = busy || !idle
			}
		}
		if quiet++; busy {
			quiet = 0
		}
		if quiet == 3 {
			return
		}
	}
	for i, r := range s.members {
		closing, _ := r.Closing("", 100)
		arrivals, _ := r.Arrivals()
		unasked, _ := r.Unasked("", 100)
		s.t.Logf("%d: %+v closing %+v arriving %+v unasked %v", i, r.totals(), closing, arrivals, unasked)
	}
	s.t.Fatal("the swarm does not come to rest")
}

func (s *swarm) compare() {
	s.t.Helper()
	var lost, doubled []string
	for u := range s.known {
		switch n := s.fetched[u]; {
		case n == 0:
			lost = append(lost, u)
		case n > 1:
			doubled = append(doubled, u)
		}
	}
	slices.Sort(lost)
	slices.Sort(doubled)
	if len(lost) > 0 {
		s.t.Errorf("lost: %s", strings.Join(lost, " "))
	}
	if s.strict && len(doubled) > 0 {
		s.t.Errorf("fetched twice: %s", strings.Join(doubled, " "))
	}
	var queued, domains uint64
	for _, r := range s.members {
		t := r.totals()
		queued += t.Queued - t.Revisiting
		domains += t.Domains
	}
	if queued > 0 {
		s.t.Errorf("%d URLs are queued", queued)
	}
	if domains > swarmDomains {
		s.t.Errorf("there are %d domains, want at most %d", domains, swarmDomains)
	}
}

// Whatever moves, is repeated, declined or interrupted: every URL is fetched, and
// where members ask each other first, once.
func TestSwarm_LosesAndDoublesNothing(t *testing.T) {
	seeds, steps := uint64(12), 400
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		for _, strict := range []bool{true, false} {
			t.Run(fmt.Sprintf("seed=%d,strict=%v", seed, strict), func(t *testing.T) {
				s := newSwarm(t, seed, 2+int(seed%2), strict)
				for range steps {
					s.step()
				}
				s.finish()
				s.compare()
			})
		}
	}
}
