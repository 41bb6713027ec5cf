package main

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/forage-net/forage/cmd/papers/rival"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/near"
)

// fetchers are the crawlers of a choice as the product sees them: each with the coordinate that it tells.
type fetchers struct {
	choice
	all []near.Candidate
}

// meetings is how many round trips to random others each crawler has seen when its coordinate is read: those of some minutes of
// heartbeats.
const meetings = 100

func peer(crawler int) crawl.PeerID { return crawl.PeerID(fmt.Sprintf("crawler %d", crawler)) }

// newFetchers lets the crawlers meet one another and tell where they are, in the text and on the grid of the product.
func newFetchers(c choice) *fetchers {
	f := &fetchers{choice: c}
	places := make([]*near.Here, len(c.crawlers))
	for i := range places {
		places[i] = near.New(string(peer(i)))
		f.all = append(f.all, near.Candidate{Peer: peer(i)})
	}
	for range meetings {
		for i, here := range places {
			if j := c.rng.IntN(len(places)); j != i {
				took := time.Duration(c.trips.At(c.crawlers[i], c.crawlers[j]) * float64(time.Millisecond))
				here.Heard(string(peer(j)), places[j].At(), took)
			}
		}
	}
	for i, here := range places {
		f.all[i].At, _ = near.Parse(here.At().Text())
	}
	return f
}

// guided lets fetchers connect as the product does: the first by chance, each next one by the guided choice among
// as many as its owner knows, until the rule is content. The nearest of them keeps the site.
func (f *fetchers) guided(site int, rule near.Rule, known int) rival.Found {
	order := f.rng.Perm(len(f.all))[:min(known, len(f.all))]
	candidates := make([]near.Candidate, len(order))
	for i, c := range order {
		candidates[i] = f.all[c]
	}
	probe, found := f.probe(site), rival.Found{Trip: math.Inf(1)}
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

// owner lends sites as the product's leader of all of them does, with the book that it keeps. Time passes with each round.
type owner struct {
	*fetchers
	book near.Book
	now  time.Time
	list []near.Fetcher // in another order each time: who asks first is chance
}

// queued is how many pages of a site wait: enough for other fetchers to be tried.
const queued = 200

func newOwner(f *fetchers) *owner {
	o := &owner{fetchers: f, now: time.Unix(1_800_000_000, 0)}
	for _, c := range f.all {
		o.list = append(o.list, near.Fetcher{Candidate: c, Room: 8, Capacity: 1 / float64(len(f.all))})
	}
	return o
}

// lend lends a site once and returns its fetcher, which takes so long to connect.
func (o *owner) lend(name string, took func(crawler int) float64) int {
	o.rng.Shuffle(len(o.list), func(i, j int) { o.list[i], o.list[j] = o.list[j], o.list[i] })
	d := crawl.Domain(name)
	chosen := o.list[o.book.Choose(o.now, d, queued, o.list)]
	crawler := slices.IndexFunc(o.all, func(c near.Candidate) bool { return c.Peer == chosen.Peer })
	o.book.Connected(o.now, d, chosen.Candidate, time.Duration(took(crawler)*float64(time.Millisecond)))
	return crawler
}
