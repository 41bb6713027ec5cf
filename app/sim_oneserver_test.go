//go:build !items

package app

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// A hundred sites are at one address, and of five nodes that visit them some die and come back. As long as the
// address has one slot, which it keeps if it refuses now and then, it sees one visitor, and the gap behind it; with
// the slots that it earns it sees several, and never more than those.
func TestSim_HundredSitesOfOneServer(t *testing.T) {
	for _, c := range []struct {
		name         string
		pages, moody int
		most         int // visitors at a time; 0 for as many as it has earned
	}{
		{"one slot", 2, 15, 1},
		{"as many slots as it earns", 4, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.most == 0 {
				whole(t)
			}
			simulate(t, sized(100, 40), c.pages, func(s *simSwarm) {
				s.web.servers, s.web.delays, s.web.moody = 1, [5]int{}, c.moody
				s.prepare = func(o *Options) {
					realTimes(o)
					o.Config.Crawl.Depth = crawl.MaxDepth // slots put sites into an order that has little to do with depth
				}
				s.gather(5)
				rnd := rand.New(rand.NewPCG(simSeed(), 6))
				for range 3 {
					off := s.onePerGroup(1, rnd)[0]
					t.Logf("%v: %s dies", s.at(), off.name)
					s.crashFor(off)
					s.run(2 * time.Minute)
					s.revive(off, s.members()...)
					s.run(time.Minute)
				}
				s.finish(6 * time.Hour)
				s.web.checkCoverage(t)
				s.checkEnd()
				most := s.web.checkVisitors(t, s.origin, c.most)
				if c.most == 0 && most < 2 {
					t.Error("it never had more than one: nothing is shown of several slots")
				}
			})
		})
	}
}

// slotsFor is the most slots that an address can have earned by so many answers.
func slotsFor(good int) int {
	slots := 1
	for slots < 8 && good >= 64*slots {
		good -= 64 * slots
		slots++
	}
	return slots
}

// checkVisitors makes sure that the one server had no more visitors at a time than it may: so many, or 0 for as many as it
// can have earned slots. A site that is visited counts as one until the gap behind its request is over. It returns the most
// there were.
func (w *simWeb) checkVisitors(t testing.TB, origin time.Time, limit int) (most int) {
	t.Helper()
	list := w.requests()
	slices.SortFunc(list, func(a, b simRequest) int { return a.begin.Compare(b.begin) })
	for i, r := range list {
		there := map[string]simRequest{r.domain: r}
		good := 0
		for _, before := range list[:i] {
			if before.end.Before(r.begin) {
				good++
			}
			if r.begin.Before(before.end.Add(2 * time.Second)) {
				if _, is := there[before.domain]; !is {
					there[before.domain] = before
				}
			}
		}
		may := limit
		if may == 0 {
			may = slotsFor(good)
		}
		if most = max(most, len(there)); len(there) > may {
			var who []simRequest
			for _, x := range there {
				who = append(who, x)
			}
			t.Errorf("%d sites were visited at once, want at most %d: %s", len(there), may, describeRequests(who, origin))
		}
	}
	t.Logf("%d requests, at most %d sites at a time", len(list), most)
	return most
}
