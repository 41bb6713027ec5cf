package swarm_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/near"
)

// Six members are in two places, and so are the sites. After each site was tried from both, it is fetched from
// where it is, each page once and at its gap.
func TestSwarm_SitesAreFetchedFromNearby(t *testing.T) {
	t.Parallel()
	const members = 6
	l := newLab(t, newWeb(21, 40, 250), 20*time.Millisecond)
	l.tasks = 10
	side := func(name string) (n int) {
		for _, c := range name {
			n += int(c)
		}
		return n % 2
	}
	far := func(a, b string) time.Duration {
		if side(a) != side(b) {
			return 150 * time.Millisecond
		}
		return 10 * time.Millisecond
	}
	l.placeMembers(members, far)
	l.web.far = func(id crawl.PeerID, d crawl.Domain) time.Duration { return far(string(id), string(d)) }
	for range members {
		l.add()
	}
	l.wait(time.Minute, "a copy of everything", l.whole)
	l.seed(l.members[0])
	l.crawled(2 * time.Minute)
	l.judge(0)
	nearby, all := 0, 0
	for d, visits := range l.web.log {
		for _, v := range visits[len(visits)/2:] {
			if all++; side(string(v.by)) == side(string(d)) {
				nearby++
			}
		}
	}
	right, told := 0, 0
	for _, m := range l.members {
		var domains []crawl.Domain
		for _, u := range l.web.roots {
			domains = append(domains, u.Domain())
		}
		far, err := m.swarm.Distances(t.Context(), domains)
		if err != nil {
			t.Fatal(err)
		}
		for d, x := range far {
			if told++; side(string(x.Nearest)) == side(string(d)) && x.Ms == 10 &&
				(side(string(m.id)) == side(string(d))) == (x.HereMs < 80) {
				right++
			}
		}
	}
	if told < len(l.web.roots)*9/10 || right < told*9/10 {
		t.Errorf("of %d sites it is told how far they are, and of %d rightly", told, right)
	}
	t.Logf("%d of the later %d pages were fetched from nearby", nearby, all)
	if nearby < all*3/4 {
		t.Errorf("%d of the later %d pages were fetched from nearby, want three in four", nearby, all)
	}
}

// placeMembers has members know where they are.
func (l *lab) placeMembers(members int, far func(a, b string) time.Duration) {
	here := make(map[crawl.PeerID]*near.Here)
	for i := range members {
		id := crawl.PeerID(fmt.Sprintf("member-%d", i))
		here[id] = near.New(string(id))
	}
	for range 100 {
		for a, h := range here {
			for b, o := range here {
				if a != b {
					h.Heard(string(b), o.At(), far(string(a), string(b)))
				}
			}
		}
	}
	l.place = func(id crawl.PeerID) near.Coordinate { return here[id].At() }
}

// One of three members is near to all sites, and its user refuses them: it does not even ask. The others fetch them.
func TestSwarm_NearOneRefuses(t *testing.T) {
	t.Parallel()
	l := newLab(t, newWeb(22, 4, 150), 20*time.Millisecond)
	l.tasks = 10
	far := func(a, b string) time.Duration {
		if a == "member-1" || b == "member-1" {
			return 80 * time.Millisecond
		}
		return 160 * time.Millisecond
	}
	l.placeMembers(3, far)
	l.web.far = func(id crawl.PeerID, d crawl.Domain) time.Duration { return far(string(id), "site") }
	for range 3 {
		l.addLiar(false, func(f *fetcher) {
			if f.m.id == "member-1" {
				f.refuses = "by hand"
			}
		})
	}
	l.wait(time.Minute, "a copy of everything", l.whole)
	l.seed(l.members[0])
	l.crawled(2 * time.Minute)
	if n := l.web.visitors()["member-1"]; n > 0 {
		t.Errorf("it fetched %d pages", n)
	}
}
