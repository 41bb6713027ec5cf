package ring

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// awayOf is how far a member of the fixture is; of every fifth nobody knows.
func awayOf(m int) float64 {
	if m%5 == 4 {
		return -1
	}
	return float64(m * 23)
}

// bearingOf is in which direction it lies; of one in three of those whose distance is known, too, nobody knows.
func bearingOf(m int) float64 {
	if m%3 == 0 || awayOf(m) < 0 {
		return -1
	}
	return math.Mod(float64(m)*0.382, 1)
}

// ringOf is a ring of so many members with as many points each as they would have, and so many sites of the first.
func ringOf(members, sites int) api.Ring {
	rnd := rand.New(rand.NewPCG(7, uint64(members)))
	r := api.Ring{Self: "member-0", Fill: 0.18, Version: fmt.Sprint(members)}
	points := make([]api.RingPoint, 0, members*16)
	for m := range members {
		r.Members = append(r.Members, api.RingMember{ID: fmt.Sprintf("12D3KooW%06x", m*7919), Self: m == 0, Connected: m%3 != 2, Capacity: 16, AwayMs: awayOf(m), Bearing: bearingOf(m)})
		for range min(16, max(4, 4096/members)) {
			points = append(points, api.RingPoint{At: rnd.Float64(), Member: m})
		}
	}
	slices.SortFunc(points, func(a, b api.RingPoint) int { return int(math.Copysign(1, a.At-b.At)) })
	for i, p := range points {
		from, to := 0.0, 1.0
		if i > 0 {
			from = (points[i-1].At + p.At) / 2
		}
		if i+1 < len(points) {
			to = (p.At + points[i+1].At) / 2
		}
		r.Arcs = append(r.Arcs, api.RingArc{From: from, To: to, Member: p.Member})
		r.Members[p.Member].Share += to - from
	}
	var own []api.RingArc
	for _, a := range r.Arcs {
		if a.Member == 0 {
			own = append(own, a)
		}
	}
	for len(r.Domains) < sites {
		// In proportion to their lengths.
		a, place := own[0], rnd.Float64()*r.Members[0].Share
		for _, a = range own {
			if place -= a.To - a.From; place < 0 {
				break
			}
		}
		at := a.From + rnd.Float64()*(a.To-a.From)
		last := noon.Add(-time.Duration(math.Pow(rnd.Float64(), 3)*240) * time.Hour)
		r.Domains = append(r.Domains, api.RingDomain{
			At: at, Domain: fmt.Sprintf("site%d.example", len(r.Domains)), Fetched: int64(math.Exp(rnd.Float64() * 8)), Last: &last,
			Language: spoken[len(r.Domains)%len(spoken)],
		})
	}
	return r
}

// spoken are the languages of sites, "" where none is known.
var spoken = []string{"en", "de", "en", "fr", "", "en", "ja", "ru", "es", "en", "zh", "fi", ""}

var codes = []api.Code{
	api.CodeFetched, api.CodeUnchanged, api.CodeRedirected, api.CodeGone, api.CodeSkipped, api.CodeForbidden, api.CodeFailed, api.CodeRefused,
	api.CodeDeferred, api.CodeBlocked, api.CodeDeclined, api.CodeRobots, api.CodeLinksSent, api.CodeLinksReceived, api.CodeLeaseLent,
	api.CodePagesReceived, api.CodeLeaseReturned, api.CodeLeaseHeld, api.CodeLeaseBrought, api.CodeDomainCame, api.CodeDomainLeft, "something-else",
	api.CodeSwarm, api.CodeDomainRefused, api.CodeDomainAllowed, api.CodeState, api.CodePace, "something-new",
}

// busy is one event of each code, a moment apart, the first at a time.
func busy(r api.Ring, from time.Time) []api.Event {
	rnd := rand.New(rand.NewPCG(1, 2))
	var list []api.Event
	for i, code := range codes {
		e := api.Event{ID: uint64(i + 1), Time: from.Add(time.Duration(i) * 30 * time.Millisecond), Code: code, At: rnd.Float64()}
		if _, shown := kindOf(code); shown && len(r.Members) > 1 {
			if k, _ := kindOf(code); k.way == wayOver {
				e.Peer = r.Members[1+rnd.IntN(len(r.Members)-1)].ID
			}
		}
		if n := len(r.Domains); n > 0 && e.Peer == "" {
			d := r.Domains[rnd.IntN(n)]
			e.Domain, e.At = d.Domain, d.At
		}
		list = append(list, e)
	}
	return list
}
