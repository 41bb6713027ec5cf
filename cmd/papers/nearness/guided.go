package nearness

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/rival"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/near"
)

// Fetchers are the crawlers of a choice as the product sees them: each with the coordinate that it tells.
type Fetchers struct {
	lab.Choice
	all []near.Candidate
}

// meetings is how many round trips to random others each crawler has seen when its coordinate is read: those of some
// minutes of heartbeats.
const meetings = 100

func peer(crawler int) crawl.PeerID { return crawl.PeerID(fmt.Sprintf("crawler %d", crawler)) }

// NewFetchers lets the crawlers meet one another and tell where they are, in the text and on the grid of the product.
func NewFetchers(c lab.Choice) *Fetchers {
	f := &Fetchers{Choice: c}
	places := make([]*near.Here, len(c.Crawlers))
	for i := range places {
		places[i] = near.New(string(peer(i)))
		f.all = append(f.all, near.Candidate{Peer: peer(i)})
	}
	for range meetings {
		for i, here := range places {
			if j := c.Rng.IntN(len(places)); j != i {
				took := time.Duration(c.Trips.At(c.Crawlers[i], c.Crawlers[j]) * float64(time.Millisecond))
				here.Heard(string(peer(j)), places[j].At(), took)
			}
		}
	}
	for i, here := range places {
		f.all[i].At, _ = near.Parse(here.At().Text())
	}
	return f
}

// Guided lets fetchers connect as the product does: the first by chance, each next one by the guided choice among
// as many as its owner knows, until the rule is content. The nearest of them keeps the site.
func (f *Fetchers) Guided(site int, rule near.Rule, known int) rival.Found {
	order := f.Rng.Perm(len(f.all))[:min(known, len(f.all))]
	candidates := make([]near.Candidate, len(order))
	for i, c := range order {
		candidates[i] = f.all[c]
	}
	probe, found := f.Probe(site), rival.Found{Trip: math.Inf(1)}
	var tried []near.Trial
	for {
		i, ok := rule.Next(tried, candidates)
		if !ok {
			return found
		}
		ms := probe(order[i])
		tried = append(tried, near.Trial{Peer: candidates[i].Peer, At: candidates[i].At, Ms: whole(ms)})
		if found.Probes++; ms < found.Trip {
			found.Crawler, found.Trip = order[i], ms
		}
	}
}

// whole is a round trip as an outcome carries it.
func whole(ms float64) uint16 { return uint16(min(max(math.Round(ms), 1), math.MaxUint16)) }

// owner lends sites as the product's leader of all of them does, with the book that it keeps. Time passes with each
// round.
type owner struct {
	*Fetchers
	book near.Book
	now  time.Time
	list []near.Fetcher // in another order each time: who asks first is chance
}

// queued is how many pages of a site wait: enough for other fetchers to be tried.
const queued = 200

func newOwner(f *Fetchers) *owner {
	o := &owner{Fetchers: f, now: time.Unix(1_800_000_000, 0)}
	for _, c := range f.all {
		o.list = append(o.list, near.Fetcher{Candidate: c, Room: 8, Capacity: 1 / float64(len(f.all))})
	}
	return o
}

// lend lends a site once and returns its fetcher, which takes so long to connect.
func (o *owner) lend(name string, took func(crawler int) float64) int {
	o.Rng.Shuffle(len(o.list), func(i, j int) { o.list[i], o.list[j] = o.list[j], o.list[i] })
	d := crawl.Domain(name)
	chosen := o.list[o.book.Choose(o.now, d, queued, o.list)]
	crawler := slices.IndexFunc(o.all, func(c near.Candidate) bool { return c.Peer == chosen.Peer })
	o.book.Connected(o.now, d, chosen.Candidate, time.Duration(took(crawler)*float64(time.Millisecond)))
	return crawler
}
