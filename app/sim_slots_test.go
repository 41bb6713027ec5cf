//go:build !items

package app

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Sites share servers, and nodes come and go meanwhile, at the times that hold outside
// labs. At no moment has a server two visitors, and the crawl of none stands still for long: slots
// come home also when who owns an address, or has a slot of it, leaves.
// A node that is alone has one request at a time under way to a server.
func TestSim_ServersOfManySites(t *testing.T) {
	whole(t)
	simulate(t, 24, 4, func(s *simSwarm) {
		shareServers(s)
		first := s.start(nil, 0)
		s.run(8 * time.Second)
		for range 4 {
			s.start([]*simNode{first})
			s.run(6 * time.Second)
		}
		s.leave(s.nodes[2])
		s.run(10 * time.Second)
		s.start([]*simNode{s.nodes[3]})
		s.finish(time.Hour)
		s.checkAll()
		s.web.checkServers(s.t, s.origin, 30*time.Second)
	})
}

// Of those who visit servers some lose their power. What they had of them is free again after
// about a lease.
func TestSim_ServersOfManySitesAndPowerLoss(t *testing.T) {
	whole(t)
	simulate(t, 24, 4, func(s *simSwarm) {
		shareServers(s)
		s.gather(6)
		off := s.onePerGroup(2, rand.New(rand.NewPCG(simSeed(), 5)))
		t.Logf("%v: %v lose their power", s.at(), names(off))
		for _, x := range off {
			s.crash(x)
		}
		s.finish(2 * time.Hour)
		s.web.checkCoverage(t)
		s.web.checkServers(s.t, s.origin, 4*time.Minute)
	})
}

// shareServers has eight sites each share a server, and leases last as long as outside labs.
func shareServers(s *simSwarm) {
	s.web.servers, s.web.delays = 3, [5]int{0, 0, 3, 0, 4}
	s.prepare = realTimes
}

// checkServers makes sure that every server was left alone between the requests of two nodes,
// and for no longer than pause as long as it had pages to be visited. It has too few of them for
// more than one slot.
func (w *simWeb) checkServers(t testing.TB, origin time.Time, pause time.Duration) {
	t.Helper()
	byServer := make(map[int][]simRequest)
	for _, r := range w.requests() {
		var site int
		fmt.Sscanf(r.domain, "s%d.test", &site)
		byServer[w.serverOf(site)] = append(byServer[w.serverOf(site)], r)
	}
	var longest time.Duration
	var around []simRequest
	for server, list := range byServer {
		slices.SortFunc(list, func(a, b simRequest) int { return a.begin.Compare(b.begin) })
		if len(list) >= 64 {
			t.Errorf("server %d had %d requests, and may have earned a slot", server, len(list))
		}
		for i := 1; i < len(list); i++ {
			before, after := list[i-1], list[i]
			gap, least := after.begin.Sub(before.end), max(2*time.Second, 5*before.end.Sub(before.begin))
			if before.by != after.by && gap < least {
				t.Errorf("server %d was left alone for %v, want %v: %s", server, gap, least, describeRequests([]simRequest{before, after}, origin))
			}
			if gap > pause {
				t.Errorf("server %d stood still for %v: %s", server, gap, describeRequests([]simRequest{before, after}, origin))
			}
			if gap > longest {
				longest, around = gap, []simRequest{before, after}
			}
		}
	}
	t.Logf("no server stood still for more than %v: %s", longest, describeRequests(around, origin))
}
