package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/forage-net/forage/cmd/papers/rival"
	"github.com/forage-net/forage/cmd/papers/web"
	"github.com/forage-net/forage/crawl"
)

func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func config(nodes int, w *web.Web) Config {
	return Config{
		Nodes: nodes, Threads: 3, Seconds: 1e6, Web: w, Seeds: w.First[:w.Hosts], Rand: newRand(),
		Trip:    func(node int, host int32) float64 { return float64(10 + (node*31+int(host)*17)%200) },
		Between: func(a, b int) float64 { return float64(20 + (a*13+b*7)%100) },
	}
}

// However pages are parted, all are fetched, and none twice.
func TestPartitioned_FetchesEveryPageOnce(t *testing.T) {
	w := web.Generate(40, 800, nil, newRand())
	for _, p := range []rival.Partition{rival.ByURL(7, 1), rival.ByHostname(7, 1), rival.ByHostnameN(7, 8, 1), rival.ByRedirect(7, 5, 0, 1, 1), rival.ByCircle(7, 100, 1)} {
		r := Partitioned(config(7, w), p, nil)
		if r.Total() != w.Pages() || r.Twice != 0 || r.Known != w.Pages() {
			t.Errorf("%s: %d pages fetched, %d twice, %d known; want %d", p.Name, r.Total(), r.Twice, r.Known, w.Pages())
		}
		if p.Name == "Hostname" && r.Parallel != 1 {
			t.Errorf("%d requests at once at a site of one node with one connection", r.Parallel)
		}
	}
}

func TestPartitioned_WorkOnLinksTakesTime(t *testing.T) {
	w := web.Generate(200, 20_000, nil, newRand())
	c := config(7, w)
	c.Seconds = 60
	quick := Partitioned(c, rival.ByURL(7, 1), nil).Total()
	c.Rand, c.LinkS = newRand(), 0.05
	if slow := Partitioned(c, rival.ByURL(7, 1), nil).Total(); slow > quick/2 {
		t.Errorf("%d pages if each link takes 50 ms, %d if none does", slow, quick)
	}
}

// A throttle keeps the rate once all that ask are known.
func TestPartitioned_ThrottleBoundsRate(t *testing.T) {
	w := web.Generate(1, 5000, nil, newRand())
	c := config(7, w)
	c.Seconds = 600
	free, bound := Partitioned(c, rival.ByURL(7, 1), nil), Partitioned(c, rival.ByURL(7, 1), rival.NewThrottle(7, 0.5, 10))
	if most := 0.5*600 + 2*10*7; free.Total() < 3000 || float64(bound.Total()) > most {
		t.Errorf("%d pages without a throttle, %d with one of one page in two seconds", free.Total(), bound.Total())
	}
	if bound.PerSecond > 7*0.6 || bound.Sent == 0 {
		t.Errorf("%v requests a second, %v bytes", bound.PerSecond, bound.Sent)
	}
}

// By the product's rules all pages are fetched once, and no site has two requests at once, or less than two seconds apart.
func TestLeased_OneSiteOneCrawler(t *testing.T) {
	w := web.Generate(40, 800, nil, newRand())
	r := Leased(config(7, w))
	if r.Total() != w.Pages() || r.Twice != 0 || r.Known != w.Pages() {
		t.Errorf("%d pages fetched, %d twice, %d known; want %d", r.Total(), r.Twice, r.Known, w.Pages())
	}
	if r.Parallel != 1 || r.PerSecond > 0.5 {
		t.Errorf("a site has %d requests at once, and %v a second", r.Parallel, r.PerSecond)
	}
	if most := w.Hosts * 7; r.Robots < w.Hosts || r.Robots > most {
		t.Errorf("%d robots.txt for %d sites", r.Robots, w.Hosts)
	}
}

func TestPeer_LineBounds(t *testing.T) {
	rate := func(threads int, line Line, ms float64) float64 {
		return Peer(threads, line, 100, func() float64 { return ms }, newRand())
	}
	if one, two := rate(1, 1e9, 100), rate(2, 1e9, 100); two < 1.8*one || two > 2.2*one {
		t.Errorf("two threads bring %v, one %v", two, one)
	}
	if full := rate(50, 1e5, 10); full > 1e5 || full < 0.9e5 {
		t.Errorf("a line of 100,000 bytes a second carries %v", full)
	}
	if near, far := rate(1, 1e9, 10), rate(1, 1e9, 100); near < 8*far {
		t.Errorf("near %v, far %v", near, far)
	}
}

func TestPieces_OneCopyFromServers(t *testing.T) {
	p := Pieces{Clients: 12, Servers: 3, Package: 1 << 20, Piece: 32 << 10, SlotMbit: 2, ClientSlots: 8, AskS: 0.05}
	x := p.Run(newRand())
	if x.Copies != 1 {
		t.Errorf("servers sent %v copies", x.Copies)
	}
	if least := 1 << 20 * 8 / 2e6; x.Seconds < least { // a server has one connection of 2 Mbit/s
		t.Errorf("it took %v s, less than a server needs", x.Seconds)
	}
	if most := 12*16.0 + 3*2; x.Mbit > most {
		t.Errorf("%v Mbit/s on lines of %v", x.Mbit, most)
	}
}

// A node that is alone visits everything once, and again when the frontier says so.
func TestAlone_VisitsAndRevisits(t *testing.T) {
	visits := make(map[string]int)
	link := func(d, p int) crawl.Outlink {
		u, err := crawl.ParseURL(fmt.Sprintf("https://d%d.example/%d", d, p))
		if err != nil {
			t.Fatal(err)
		}
		return crawl.Outlink{URL: u, Priority: crawl.PriorityNormal, Depth: 1}
	}
	stored, err := Alone(t.TempDir(), []crawl.Outlink{link(0, 0)}, 10*24*time.Hour, func(task crawl.Task, now time.Time) crawl.Outcome {
		visits[task.URL.String()]++
		o := crawl.Outcome{Result: crawl.Fetched, Status: 200, Took: time.Millisecond, Digest: [20]byte{byte(len(visits))}}
		if task.Prior == nil && len(visits) < 20 {
			o.Outlinks = []crawl.Outlink{link(0, len(visits)), link(1, len(visits))}
		}
		return o
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(visits) < 20 || stored.Items < len(visits) || stored.Bytes == 0 {
		t.Errorf("%d pages, %+v", len(visits), stored)
	}
	for u, n := range visits {
		if n != 2 { // the first, and after a week; the next comes later
			t.Errorf("%s was visited %d times in ten days", u, n)
		}
	}
}
