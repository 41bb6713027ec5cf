package near

import (
	"bufio"
	"compress/gzip"
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// delays returns round trips in milliseconds between so many hosts: those of the file that FORAGE_RTT names (PlanetLab's, a matrix of
// numbers in a gzip file), or made up. Made-up hosts are in five regions of the world, some near to a hub and some far from it, and
// the way between two is longer than it looks by a lognormal factor, so that triangles do not always close. The median is 130 ms, as
// there.
func delays(t *testing.T, hosts int, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	if path := os.Getenv("FORAGE_RTT"); path != "" {
		return sample(t, path, hosts, rng)
	}
	regions := []struct{ x, y, part float64 }{{0, 0, 0.25}, {70, 0, 0.3}, {155, 10, 0.25}, {-120, 40, 0.15}, {110, -110, 0.05}}
	type host struct{ x, y, up float64 }
	list := make([]host, hosts)
	for i := range list {
		at, r := rng.Float64(), 0
		for ; r < len(regions)-1 && at > regions[r].part; r++ {
			at -= regions[r].part
		}
		list[i] = host{regions[r].x + 12*rng.NormFloat64(), regions[r].y + 12*rng.NormFloat64(), math.Exp(1 + rng.NormFloat64())}
	}
	m := make([][]float64, hosts)
	for i := range m {
		m[i] = make([]float64, hosts)
		for j := range i {
			d := math.Hypot(list[i].x-list[j].x, list[i].y-list[j].y)*math.Exp(0.2*math.Abs(rng.NormFloat64())) + list[i].up + list[j].up
			m[i][j], m[j][i] = d, d
		}
	}
	return m
}

// sample reads a matrix, and takes some of its hosts by chance.
func sample(t *testing.T, path string, hosts int, rng *rand.Rand) [][]float64 {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]float64
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var row []float64
		for _, word := range strings.Fields(lines.Text()) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		all = append(all, row)
	}
	pick := rng.Perm(len(all))[:hosts]
	m := make([][]float64, hosts)
	for i, p := range pick {
		for j, q := range pick {
			switch d := (all[p][q] + all[q][p]) / 2; {
			case i == j:
				m[i] = append(m[i], 0)
			case d <= 0: // not measured
				m[i] = append(m[i], 130)
			default:
				m[i] = append(m[i], d)
			}
		}
	}
	return m
}

const (
	simNodes = 20
	simSites = 120
	simGap   = 2 * time.Second
	simLease = 120 * time.Second
	simTasks = 128
	simSlots = 64
)

// sim is a crawl in virtual time: nodes that lead sites, tell each other now and then where they are and that they have room, and
// visit sites at a gap by leases.
type sim struct {
	rtt    [][]float64 // nodes first, then sites
	rng    *rand.Rand
	random bool // leases go to anybody
	liar   int  // this node says that it needs a millisecond to anywhere; -1: none does

	now    time.Duration
	events events
	here   []*Here
	books  []Book
	wants  []map[int]told // of each leader: what it was told by whom
	held   []int
	left   []int // pages of each site
	queued []uint64
	robots map[[2]int]bool // read, by node and site

	pages    []int // by each node
	connects []float64
	seq      int
}

// told is that a node has room, and whom it has lent sites to.
type told struct {
	at    time.Duration
	loads []Load
}

type event struct {
	at time.Duration
	n  int // keeps the order of equal ones
	do func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].n < e[j].n
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	x := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return x
}

func (s *sim) after(d time.Duration, do func()) {
	s.seq++
	heap.Push(&s.events, event{s.now + d, s.seq, do})
}

func peerName(i int) crawl.PeerID { return crawl.PeerID(fmt.Sprint("node-", i)) }

func newSim(t *testing.T, seed uint64) *sim {
	s := &sim{
		rtt: delays(t, simNodes+simSites, seed), rng: rand.New(rand.NewPCG(seed, 2)), liar: -1, here: make([]*Here, simNodes),
		books: make([]Book, simNodes), wants: make([]map[int]told, simNodes), held: make([]int, simNodes), pages: make([]int, simNodes),
		left: make([]int, simSites), queued: make([]uint64, simSites), robots: make(map[[2]int]bool),
	}
	for i := range s.here {
		s.here[i], s.wants[i], s.books[i].Self = New(string(peerName(i))), make(map[int]told), peerName(i)
	}
	for d := range s.left {
		s.left[d], s.queued[d] = 1000+s.rng.IntN(2000), 1
	}
	return s
}

// run crawls until all is visited, and returns how many requests were more than one for each page and robots.txt, in parts of all.
func (s *sim) run() (extra float64) {
	total := simSites
	for i := range simNodes {
		partners := s.rng.Perm(simNodes)[:6]
		s.beat(i, partners)
		s.want(i)
	}
	for d := range simSites {
		total += s.left[d]
		leader := s.rng.IntN(simNodes)
		s.after(time.Duration(s.rng.Int64N(int64(time.Minute))), func() { s.lend(leader, d) })
	}
	open := func() bool { return slices.ContainsFunc(s.left, func(n int) bool { return n > 0 }) }
	for s.seq = 0; open(); {
		e := heap.Pop(&s.events).(event)
		s.now = e.at
		e.do()
	}
	all := 0
	for _, n := range s.pages {
		all += n
	}
	return float64(all+len(s.robots)-total) / float64(total)
}

// beat has a node hear from others.
func (s *sim) beat(i int, partners []int) {
	for _, j := range partners {
		if told, ok := Parse(s.here[j].At().Text()); ok && j != i {
			s.here[i].Heard(string(peerName(j)), told, s.jitter(s.rtt[i][j]))
		}
	}
	if s.now < 10*time.Minute { // by then they know
		s.after(4*time.Second, func() { s.beat(i, partners) })
	}
}

func (s *sim) jitter(ms float64) time.Duration {
	return time.Duration(ms * (1 + 0.1*s.rng.ExpFloat64()) * float64(time.Millisecond))
}

// want tells eight others that there is room.
func (s *sim) want(i int) {
	for _, j := range s.rng.Perm(simNodes)[:8] {
		s.wants[j][i] = told{s.now, s.books[i].Loads()}
	}
	s.after(5*time.Second, func() { s.want(i) })
}

func (s *sim) lend(leader, d int) {
	if s.left[d] == 0 {
		return
	}
	var list []Fetcher
	var who []int
	for i := range simNodes {
		told, is := s.wants[leader][i]
		if room := simSlots - s.held[i]; room > 0 && (i == leader || is && s.now-told.at < time.Minute) {
			at, _ := Parse(s.here[i].At().Text())
			list, who = append(list, Fetcher{Candidate{peerName(i), at}, room, 0}), append(who, i)
		}
	}
	for i := range list {
		list[i].Capacity = 1 / float64(len(list))
	}
	var loads [][]Load
	for i, w := range s.wants[leader] {
		if i != leader {
			loads = append(loads, w.loads)
		}
	}
	s.books[leader].Heard(loads)
	i := s.rng.IntN(len(list))
	if !s.random {
		i = s.books[leader].Choose(time.Unix(0, 0).Add(s.now), name(d), s.queued[d], list)
	}
	s.visit(leader, who[i], d)
}

func name(d int) crawl.Domain { return crawl.Domain(fmt.Sprintf("site%d.example", d)) }

// visit works a lease.
func (s *sim) visit(leader, by, d int) {
	s.held[by]++
	took := s.jitter(s.rtt[by][simNodes+d])
	wait := simGap
	if key := [2]int{by, d}; !s.robots[key] {
		s.robots[key] = true
		wait += simGap
	}
	pages := min(int(s.queued[d]), simTasks, int((simLease-wait)/simGap))
	s.after(wait+time.Duration(pages)*simGap, func() {
		s.held[by]--
		s.pages[by] += pages
		for range pages {
			s.connects = append(s.connects, float64(took.Milliseconds()))
		}
		s.left[d] -= pages
		s.queued[d] = uint64(s.left[d]) // the first page leads to all others
		if by == s.liar {
			took = time.Millisecond
		}
		at, _ := Parse(s.here[by].At().Text())
		s.books[leader].Connected(time.Unix(0, 0).Add(s.now), name(d), Candidate{peerName(by), at}, took)
		s.lend(leader, d)
	})
}

func (s *sim) median() float64 {
	slices.Sort(s.connects)
	return s.connects[len(s.connects)/2]
}

// share returns the part of all pages that a node fetched.
func (s *sim) share(i int) float64 {
	all := 0
	for _, n := range s.pages {
		all += n
	}
	return float64(s.pages[i]) / float64(all)
}

// 20 nodes crawl 120 sites of 1,000 pages and more. Sites are fetched by nodes near to them, nobody gets much more than its part, and a liar
// next to nothing more.
func TestBook_Sim(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		random := newSim(t, seed)
		random.random = true
		random.run()
		s := newSim(t, seed)
		extra := s.run()
		most := 0
		for i := range s.pages {
			if s.pages[i] > s.pages[most] {
				most = i
			}
		}
		gain, has := 0.0, 0.0
		for liar := 0; liar < simNodes; liar += 4 {
			l := newSim(t, seed)
			l.liar = liar
			l.run()
			gain, has = max(gain, l.share(liar)-s.share(liar)), max(has, l.share(liar)*simNodes)
		}
		t.Logf("seed %d: median %v ms, at random %v ms; %.2f %% more requests; the busiest has %.2f times its share; a liar gains %.1f points, to %.2f times its share",
			seed, s.median(), random.median(), 100*extra, s.share(most)*simNodes, 100*gain, has)
		if s.median() > random.median()/2 {
			t.Errorf("the median is %v ms, at random %v ms: want half of that at most", s.median(), random.median())
		}
		if extra > 0.02 {
			t.Errorf("%.2f %% more requests than pages and one robots.txt a site, want 2 %% at most", 100*extra)
		}
		if got := s.share(most) * simNodes; got > 1.25 {
			t.Errorf("one has %.2f times its share, want 1.25 at most", got)
		}
		if gain > 0.02 || has > 1.25 {
			t.Errorf("a liar gains %.1f points, to %.2f times its share, want 2 and 1.25 at most", 100*gain, has)
		}
	}
}
