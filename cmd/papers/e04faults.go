package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rival"
	"github.com/forage-net/forage/cmd/papers/sim"
	"github.com/forage-net/forage/cmd/papers/web"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
)

// e04Fault is what crawls with failing agents showed, by t, and ours.
type e04Fault struct {
	overlap []float64
	asked   []int
	fetched []int
	ours    float64
	waited  float64
}

var e04Ts = []int{0, 1, 2, 4}

const (
	faultAgents, faultSteps  = 16, 40
	faultFails, faultReturns = 0.05, 0.5
	linksAStep               = 8.0 / faultSteps // to each page, on average
)

func e04Faults(l *lab.Lab) (f e04Fault) {
	hosts, perHost := l.Size(500, 50), 10
	for _, t := range e04Ts {
		a := rival.NewAgents(faultAgents, 100, t, l.Seed)
		faults(l, hosts*perHost, a.Set, func(page int32) { a.Find(page, rival.Hash(2, uint64(page)/uint64(perHost))) })
		f.overlap, f.asked, f.fetched = append(f.overlap, a.Overlap()), append(f.asked, a.Asked),
			append(f.fetched, a.Fetched)
	}
	f.ours, f.waited = e04Line(l, hosts, perHost)
	return f
}

// faults lets agents fail and come back, and pages be linked to; the same ones at the same steps whenever it is
// called. At least one agent is alive.
func faults(l *lab.Lab, pages int, set func(agent int, alive bool), found func(page int32)) {
	rng := l.Random("E4 faults", 0)
	alive := make([]bool, faultAgents)
	for i := range alive {
		alive[i] = true
	}
	for range faultSteps {
		for i := range alive {
			switch x := rng.Float64(); {
			case alive[i] && x < faultFails:
				alive[i] = false
			case !alive[i] && x < faultReturns:
				alive[i] = true
			}
		}
		if !slices.Contains(alive, true) {
			alive[0] = true
		}
		for i, is := range alive {
			set(i, is)
		}
		for page := range int32(pages) {
			if rng.Float64() < linksAStep {
				found(page)
			}
		}
	}
}

// e04Line does the same with lines of three. It returns the overlap and the part of the links that waited because a
// line had no majority.
func e04Line(l *lab.Lab, hosts, perHost int) (overlap, waited float64) {
	number := make(map[string]int)
	var members []ring.Member
	for i := range faultAgents {
		id := fmt.Sprintf("agent %d", i)
		number[id] = i
		members = append(members, ring.Member{ID: id, Units: 1})
	}
	r := ring.New(members)
	lines := make([][]int, hosts)
	for h := range lines {
		u, _ := r.Owner(crawl.KeyOf(crawl.Domain(fmt.Sprintf("site%d.example", h))))
		for _, id := range r.Group(u, line) {
			lines[h] = append(lines[h], number[id])
		}
	}
	alive, has := make([]bool, faultAgents), make([]map[int32]bool, faultAgents)
	for i := range has {
		has[i] = make(map[int32]bool)
	}
	fetched := make(map[int32]bool)
	twice, waits, links := 0, 0, 0
	faults(l, hosts*perHost, func(agent int, is bool) { alive[agent] = is }, func(page int32) {
		var there []int
		for _, m := range lines[int(page)/perHost] {
			if alive[m] {
				there = append(there, m)
			}
		}
		if links++; 2*len(there) <= line {
			waits++
			return
		}
		if !slices.ContainsFunc(there, func(m int) bool { return has[m][page] }) {
			if fetched[page] {
				twice++
			}
			fetched[page] = true
		}
		for _, m := range there {
			has[m][page] = true
		}
	})
	return float64(twice) / float64(max(1, len(fetched))), float64(waits) / float64(links)
}

// line is how many members keep a shard.
const line = 3

func (f e04Fault) table() lab.Table {
	t := lab.Table{"page recovery | pages fetched | fetched again, % | questions a page"}
	for i, n := range e04Ts {
		t = append(t, fmt.Sprintf("t = %d | %d | %.2f | %.2f", n, f.fetched[i], 100*f.overlap[i],
			float64(f.asked[i])/float64(max(1, f.fetched[i]))))
	}
	return t
}

func (f e04Fault) figure() draw.Figure {
	c := draw.Curve{Name: "UbiCrawler"}
	for i, t := range e04Ts {
		c.X, c.Y = append(c.X, float64(t)), append(c.Y, 100*f.overlap[i])
	}
	return draw.Figure{File: "ubicrawler-recovery", Title: "Overlap after faults (UbiCrawler)", X: "t",
		Y: "fetched again, %", Curves: []draw.Curve{c}}
}

// e04Order is how soon pages with many links come.
type e04Order struct {
	area   []float64 // under the curves of chance, ours, breadth first, best
	figure draw.Figure
}

func e04Quality(l *lab.Lab) (q e04Order, err error) {
	w := web.Generate(l.Size(500, 30), l.Size(10_000, 500), nil, l.Random("E4 quality", 0))
	ours, _, err := frontierOrder(w)
	if err != nil {
		return q, err
	}
	degrees := w.Degrees()
	best := make([]int32, w.Pages())
	for p := range best {
		best[p] = int32(p)
	}
	chance := slices.Clone(best)
	l.Random("E4 chance", 0).Shuffle(len(chance), func(i, j int) { chance[i], chance[j] = chance[j], chance[i] })
	slices.SortStableFunc(best, func(a, b int32) int { return degrees[b] - degrees[a] })
	q.figure = draw.Figure{File: "ubicrawler-quality", Title: "Quality of the order (UbiCrawler)",
		X: "part of the pages", Y: "part of the links to them"}
	for i, order := range [][]int32{chance, ours, breadthFirst(w), best} {
		c := draw.Curve{Name: []string{"by chance", "Forage", "breadth first by host", "best"}[i]}
		sum, all := 0, 0
		for _, d := range degrees {
			all += d
		}
		area := 0.0
		for n, p := range order {
			sum += degrees[p]
			area += float64(sum) / float64(all) / float64(len(order))
			if n%(max(1, len(order)/20)) == 0 || n == len(order)-1 {
				c.X, c.Y = append(c.X, float64(n+1)/float64(len(order))), append(c.Y, float64(sum)/float64(all))
			}
		}
		q.area, q.figure.Curves = append(q.area, area), append(q.figure.Curves, c)
	}
	return q, nil
}

// breadthFirst visits all hosts in turn, the pages of each in the order in which they were found.
func breadthFirst(w *web.Web) (order []int32) {
	seen := make([]bool, w.Pages())
	queues := make([][]int32, w.Hosts)
	put := func(p int32) {
		if !seen[p] {
			seen[p] = true
			queues[w.Host[p]] = append(queues[w.Host[p]], p)
		}
	}
	for _, p := range w.First[:w.Hosts] {
		put(p)
	}
	for more := true; more; {
		more = false
		for h := range queues {
			if len(queues[h]) == 0 {
				continue
			}
			more = true
			p := queues[h][0]
			queues[h] = queues[h][1:]
			order = append(order, p)
			for _, to := range w.Links(p) {
				put(to)
			}
		}
	}
	return order
}

// frontierOrder is the order in which the product's frontier visits a web, from all home pages, and what it stored.
func frontierOrder(w *web.Web) (order []int32, stored sim.Stored, err error) {
	dir, err := os.MkdirTemp("", "forage-papers-")
	if err != nil {
		return nil, stored, err
	}
	defer os.RemoveAll(dir)
	link := func(p int32, priority crawl.Priority, depth uint8) crawl.Outlink {
		u, parsed := crawl.ParseURL(fmt.Sprintf("https://host%d.example/%d", w.Host[p], p))
		if parsed != nil {
			err = parsed
		}
		return crawl.Outlink{URL: u, Priority: priority, Depth: depth}
	}
	var seeds []crawl.Outlink
	for _, p := range w.First[:w.Hosts] {
		seeds = append(seeds, link(p, crawl.PriorityHigh, 0))
	}
	stored, ran := sim.Alone(dir, seeds, 365*24*time.Hour, func(t crawl.Task, _ time.Time) crawl.Outcome {
		var host, page int32
		if _, scanned := fmt.Sscanf(t.URL.String(), "https://host%d.example/%d", &host, &page); scanned != nil {
			err = scanned
		}
		o := crawl.Outcome{Result: crawl.Fetched, Status: 200, Took: 10 * time.Millisecond,
			Received: int64(w.Bytes[page])}
		o.Digest = [20]byte{byte(page >> 24), byte(page >> 16), byte(page >> 8), byte(page), 1}
		if t.Prior == nil {
			order = append(order, page)
			for _, to := range w.Links(page) {
				o.Outlinks = append(o.Outlinks, link(to, crawl.PriorityNormal, t.Depth+1))
			}
		}
		return o
	})
	return order, stored, errors.Join(ran, err)
}
