package nodeapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/requests"
)

const (
	// sampledPlaces is at how many places the ring is looked at where it is too fine to be drawn exactly.
	sampledPlaces = 4096
	// knownDomains is how many domains of the store are looked at while there is room in the picture.
	knownDomains = 4096
	// oldRequests is how many requests are looked at for when they were fetched.
	oldRequests = 20_000
	// domainsEvery is how often those on the picture are counted again: it reads each of their records.
	domainsEvery = 5 * time.Second
	// drawnEvery is after what time the members are listed in the order of their distance again.
	drawnEvery = time.Minute
	// filledDomains is of how many domains the filters are looked at.
	filledDomains = 256
)

// Picture draws the ring of the members, and keeps what was drawn until it changes. It implements api.Circler.
type Picture struct {
	Books  Books
	Member *membership.Member
	// Record is the directory of the record of requests, "" if none is kept.
	Record string
	// Languages returns the languages of domains, as the archive tells; nil if nothing does.
	Languages func(domains []crawl.Domain) map[crawl.Domain]string

	latest latest

	mu      sync.Mutex
	of      *ring.Ring
	drawn   time.Time
	circle  api.Ring // members, points, arcs
	ids     []peer.ID
	old     bool // requests before this start were looked through
	counted time.Time
	domains []api.RingDomain
	fill    float64
}

// Visited notes that a page was fetched of a domain of this node, and in which language, "" if that is not known.
func (p *Picture) Visited(d crawl.Domain, at time.Time, language string) {
	p.latest.note(latestDomain{d, at, language})
}

// Ring implements api.Circler.
func (p *Picture) Ring(ctx context.Context) (api.Ring, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.Member.Node.Members.Ring(); now != p.of || time.Since(p.drawn) >= drawnEvery {
		p.of, p.drawn = now, time.Now()
		p.draw(now, p.Member.Node.Self(), p.Member.Host.ID(), p.Member.Place.Around)
	}
	if now := time.Now(); now.Sub(p.counted).Abs() >= domainsEvery {
		if err := p.countLatest(ctx); err != nil {
			return api.Ring{}, err
		}
		p.counted = now
	}
	r := p.circle
	r.Members = slices.Clone(r.Members)
	for i, id := range p.ids {
		r.Members[i].Connected = p.Member.Host.Network().Connectedness(id) == network.Connected
	}
	r.Domains, r.Fill = p.domains, p.fill
	return r, nil
}

// around tells where members are: see membership.Place.
type around func(peers []string) (away, bearings []float64)

// draw draws the circle. p.mu is held.
func (p *Picture) draw(r *ring.Ring, self string, id peer.ID, where around) {
	members := r.Members()
	place := make([]int, len(members)) // in the picture, by place on the ring
	p.ids = []peer.ID{id}
	me := api.RingMember{ID: id.String(), Self: true, Capacity: int64(r.Units(self)), Share: r.Share(self), Bearing: -1}
	list := []api.RingMember{me}
	digest := sha256.New()
	for _, x := range nearestFirst(members, self, where) {
		m := members[x.index]
		fmt.Fprintf(digest, "%d %d %s", m.Units, len(m.ID), m.ID)
		if m.ID == self {
			continue
		}
		place[x.index] = len(list)
		p.ids = append(p.ids, peer.ID(m.ID))
		list = append(list, api.RingMember{
			ID: peer.ID(m.ID).String(), Capacity: int64(m.Units), Share: r.Share(m.ID),
			AwayMs: x.ms, Bearing: x.bearing,
		})
	}
	p.circle = api.Ring{
		Self: id.String(), Members: list, Points: drawPoints(r, place),
		Version: hex.EncodeToString(digest.Sum(nil)[:8]),
	}
	p.circle.Arcs, p.circle.Exact = drawArcs(r, members, place)
}

// ringDistance is how far a member of the ring is.
type ringDistance struct {
	index       int // among the members
	ms, bearing float64
}

// nearestFirst returns the members as they are listed: this node, the nearest, and at the end what nobody knows.
func nearestFirst(members []ring.Member, self string, where around) []ringDistance {
	names, list := make([]string, len(members)), make([]ringDistance, len(members))
	for i, m := range members {
		names[i] = m.ID
	}
	away, bearings := where(names)
	for i, m := range members {
		if list[i] = (ringDistance{i, away[i], bearings[i]}); m.ID == self {
			list[i].ms = 0
		}
	}
	slices.SortStableFunc(list, func(a, b ringDistance) int {
		if (a.ms < 0) != (b.ms < 0) {
			return cmp.Compare(b.ms, a.ms)
		}
		return cmp.Compare(a.ms, b.ms)
	})
	return list
}

// drawPoints returns as many points as there may be, this node's, whose place is 0, among them.
func drawPoints(r *ring.Ring, place []int) []api.RingPoint {
	all := r.Points()
	own := 0
	for _, x := range all {
		if place[x.Member] == 0 {
			own++
		}
	}
	room, others := api.MaxRingPoints-own, len(all)-own
	list := make([]api.RingPoint, 0, min(len(all), api.MaxRingPoints))
	seen := 0
	for _, x := range all {
		if member := place[x.Member]; member != 0 {
			seen++
			if others > room && seen*room/others == (seen-1)*room/others {
				continue
			}
		}
		list = append(list, api.RingPoint{At: crawl.PlaceOf(x.First), Member: place[x.Member]})
	}
	return list
}

// drawArcs returns who owns what, in order, and whether that is exact.
func drawArcs(r *ring.Ring, members []ring.Member, place []int) (list []api.RingArc, exact bool) {
	arcs := exactArcs(r, members, place)
	if exact = len(arcs) <= api.MaxRingArcs; !exact {
		const step = math.MaxUint64/sampledPlaces + 1
		arcs = arcs[:0]
		for i := range uint64(sampledPlaces) {
			arcs = append(arcs, memberArc{ring.Arc{From: i * step, To: i*step + (step - 1)}, place[r.OwnerAt(i*step)]})
		}
	}
	list = make([]api.RingArc, 0, len(arcs))
	for _, a := range arcs {
		to := crawl.PlaceOf(a.To + 1)
		if a.To == math.MaxUint64 {
			to = 1
		}
		if last := len(list) - 1; last >= 0 && list[last].Member == a.member {
			list[last].To = to
			continue
		}
		list = append(list, api.RingArc{From: crawl.PlaceOf(a.From), To: to, Member: a.member})
	}
	return list, exact
}

// memberArc is an arc and whose it is, by place in the picture.
type memberArc struct {
	ring.Arc
	member int
}

// exactArcs returns the arcs of all members in order, or more than there may be in a picture.
func exactArcs(r *ring.Ring, members []ring.Member, place []int) (arcs []memberArc) {
	for i, m := range members {
		for _, a := range r.Arcs(m.ID) {
			arcs = append(arcs, memberArc{a, place[i]})
		}
		if len(arcs) > api.MaxRingArcs {
			return arcs
		}
	}
	slices.SortFunc(arcs, func(a, b memberArc) int { return cmp.Compare(a.From, b.From) })
	return arcs
}

// recallLatest looks up what was fetched before this start: when, as far as that is recorded, and in which language,
// and otherwise what is known at all. p.mu is held.
func (p *Picture) recallLatest(ctx context.Context) error {
	var old []latestDomain
	if p.Record != "" && !p.old {
		left := oldRequests
		seen := make(map[string]bool)
		_, err := requests.Dir(p.Record).Each(ctx, time.Time{}, func(r *requests.Record) bool {
			if r.Owner == "" && r.Code == string(api.CodeFetched) && !seen[r.Domain] {
				seen[r.Domain] = true
				old = append(old, latestDomain{domain: crawl.Domain(r.Domain), at: r.Time})
			}
			left--
			return left > 0 && len(old) < maxLatest
		})
		if err != nil {
			return err
		}
	}
	briefs, err := Read(p.Books, func(tx *storage.Tx) ([]frontier.Brief, error) {
		return p.Books.Frontier.Briefs(tx, knownDomains)
	})
	if err != nil {
		return err
	}
	for _, b := range briefs {
		old = append(old, latestDomain{domain: b.Domain})
	}
	if p.Languages != nil && !p.old {
		setLanguages(old, p.Languages)
	}
	p.old = true
	p.latest.addOld(old)
	return nil
}

func setLanguages(list []latestDomain, of func([]crawl.Domain) map[crawl.Domain]string) {
	names := make([]crawl.Domain, len(list))
	for i, x := range list {
		names[i] = x.domain
	}
	known := of(names)
	for i := range list {
		list[i].language = known[list[i].domain]
	}
}

// countLatest reads what the store says of the domains that were fetched last.
// p.mu is held.
func (p *Picture) countLatest(ctx context.Context) error {
	if len(p.domains) < maxLatest {
		if err := p.recallLatest(ctx); err != nil {
			return err
		}
	}
	all := p.latest.all()
	names := make([]crawl.Domain, len(all))
	for i, x := range all {
		names[i] = x.domain
	}
	briefs, err := Read(p.Books, func(tx *storage.Tx) ([]frontier.Brief, error) {
		p.fill = p.Books.Frontier.FilterFill(tx, names[:min(len(names), filledDomains)])
		return p.Books.Frontier.BriefsOf(tx, names)
	})
	if err != nil {
		return err
	}
	kept := make(map[crawl.Domain]bool, len(briefs))
	p.domains = make([]api.RingDomain, 0, len(briefs))
	at := 0
	for _, b := range briefs {
		for all[at].domain != b.Domain {
			at++
		}
		kept[b.Domain] = true
		x := api.RingDomain{
			At: crawl.KeyOf(b.Domain).Place(), Domain: string(b.Domain), Fetched: int64(b.Fetched),
			Language: all[at].language,
		}
		if last := all[at].at; !last.IsZero() {
			last = last.UTC()
			x.Last = &last
		}
		p.domains = append(p.domains, x)
	}
	p.latest.keepOnly(kept, all) // the others have moved to other nodes
	return nil
}
