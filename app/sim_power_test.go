//go:build !items

package app

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
)

// isLong reports whether tests may take their time.
func isLong() bool { return os.Getenv("FORAGE_LONG") != "" }

// many is how many nodes a test of faults has: n, or 60 in long runs, or FORAGE_NODES.
func many(n int) int {
	if n, err := strconv.Atoi(os.Getenv("FORAGE_NODES")); err == nil {
		return n
	}
	if isLong() {
		return 60
	}
	return n
}

// gather starts n nodes, each with room for work and some seeds, and waits until all
// logs have their copies. From then on it is looked at every second whether URLs are lost.
func (s *simSwarm) gather(n int) {
	s.t.Helper()
	s.prepare = func(prepare func(*Options)) func(*Options) {
		return func(o *Options) {
			o.Config.Limits.Budget.Full.Fetchers = 8
			if prepare != nil {
				prepare(o)
			}
		}
	}(s.prepare)
	s.start(nil, 0)
	s.run(time.Second)
	for i := 1; i < n; i++ {
		s.start(s.doors(), i%s.web.domains)
		s.run(time.Second)
	}
	s.settleGroups(2 * time.Minute)
	s.watchKnown()
	s.run(30 * time.Second)
}

// realTimes makes nodes wait as long as outside a lab.
func realTimes(o *Options) { o.Lab.RealTimes = true }

// waiting returns the domains of which victims keep the books and something is queued,
// and until when a lease of each may be live.
func (s *simSwarm) waiting(victims []*simNode) (list []crawl.Domain) {
	for owner, log := range s.logsNow() {
		if !slices.ContainsFunc(victims, func(x *simNode) bool { return string(x.host.ID()) == owner }) {
			continue
		}
		infos, err := log.leader.node.logs.groups.Get(owner).Machine().(*keptLog).Domains("", 1<<20)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, d := range infos {
			if d.Queued > 1 { // one may be under way, and settled
				list = append(list, d.Domain)
			}
		}
	}
	slices.Sort(list)
	return list
}

// checkTakeover makes sure that each domain is asked for by another than the victims soon
// after they lost their power, and logs how soon.
func (s *simSwarm) checkTakeover(domains []crawl.Domain, victims []*simNode, since time.Time, within time.Duration) {
	s.t.Helper()
	off := make(map[string]bool)
	for _, x := range victims {
		off[x.name] = true
	}
	first := make(map[string]time.Duration)
	for _, r := range s.web.requests() {
		if r.begin.Before(since) || off[r.by] {
			continue
		}
		if d, is := first[r.domain]; !is || r.begin.Sub(since) < d {
			first[r.domain] = r.begin.Sub(since)
		}
	}
	var took []time.Duration
	for _, d := range domains {
		t, is := first[string(d)]
		if !is {
			s.t.Errorf("%s was never asked for again", d)
			continue
		}
		if took = append(took, t); t > within {
			s.t.Errorf("%s was asked for again after %v, want %v at most", d, t, within)
		}
	}
	if slices.Sort(took); len(took) == 0 {
		s.t.Error("nothing was under way at the victims")
		return
	}
	at := func(p float64) time.Duration { return took[int(p*float64(len(took)-1))].Round(10 * time.Millisecond) }
	s.t.Logf("takeover of %d domains of %d victims: first %v, a quarter %v, half %v, nine in ten %v, last %v",
		len(took), len(victims), at(0), at(.25), at(.5), at(.9), at(1))
}

// A fifth of the nodes loses its power for good, at once, no two of them partners.
// Nothing that was acknowledged is lost, and others soon go on with their domains.
func TestSim_PowerLossOfOneInEachGroup(t *testing.T) {
	n := many(sized(10, 7))
	victims := n / 5
	simulate(t, 5*n, sized(24, 12), func(s *simSwarm) {
		s.gather(n)
		off := s.onePerGroup(victims, rand.New(rand.NewPCG(simSeed(), 1)))
		if len(off) < victims {
			t.Logf("only %d nodes are no partners of each other", len(off))
		}
		domains, since := s.waiting(off), time.Now()
		t.Logf("%v: %v lose their power", s.at(), names(off))
		for _, x := range off {
			s.crash(x)
		}
		s.finish(30 * time.Minute)
		s.checkTakeover(domains, off, since, time.Hour) // out so soon, domains move meanwhile: TestSim_PowerLossAtRealTimes is strict
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		s.checkTwice(off)
	})
}

// The same with the times that hold outside labs: a lease may last two minutes.
func TestSim_PowerLossAtRealTimes(t *testing.T) {
	whole(t)
	n := many(9)
	simulate(t, max(30, 5*n), 40, func(s *simSwarm) {
		s.prepare = realTimes
		s.gather(n)
		off := s.onePerGroup(max(2, n/5), rand.New(rand.NewPCG(simSeed(), 2)))
		domains, since := s.waiting(off), time.Now()
		t.Logf("%v: %v lose their power", s.at(), names(off))
		for _, x := range off {
			s.crash(x)
		}
		s.finish(2 * time.Hour)
		s.run(time.Until(since.Add(s.outBy() + agreeWithin))) // their domains move
		s.finish(time.Hour)
		// A lease, a tenth, 15 s, and the longest gap.
		s.checkTakeover(domains, off, since, 15*time.Second+frontier.DefaultLeaseFor*11/10+12*time.Second)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		s.checkTwice(off)
	})
}

// A fifth of the nodes, whoever it is, loses its power for twenty minutes and comes back
// with its disk. Groups that had lost their majority stood still; nothing is lost.
func TestSim_PowerIsBackAfterTwentyMinutes(t *testing.T) {
	whole(t)
	n := many(9)
	victims := max(n/5, 2)
	simulate(t, 2*n, 100, func(s *simSwarm) {
		s.web.delays = [5]int{20, 15, 20, 12, 10}
		s.prepare = realTimes
		s.gather(n)
		off := s.members()
		rand.New(rand.NewPCG(simSeed(), 3)).Shuffle(len(off), func(i, j int) { off[i], off[j] = off[j], off[i] })
		off = off[:victims]
		s.tellGroups(off)
		for _, x := range off {
			s.crashFor(x)
		}
		s.run(20 * time.Minute)
		for _, x := range off {
			s.revive(x, s.doors()...)
			s.run(time.Second)
		}
		s.finish(3 * time.Hour)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		s.checkCounted()
		s.checkTwice(off)
	})
}

// A whole group comes back before its members are out, having lost its power at once.
func TestSim_WholeGroupLosesPowerForAMoment(t *testing.T) {
	whole(t)
	simulate(t, 50, 24, func(s *simSwarm) {
		s.gather(9)
		off := s.keepersOf(s.nodes[4])
		s.tellGroups(off)
		for _, x := range off {
			s.crashFor(x)
		}
		s.run(8 * time.Second)
		for _, x := range off {
			s.revive(x, s.doors()...)
		}
		s.finish(30 * time.Minute)
		s.checkEnd()
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
		s.checkCounted()
		s.checkTwice(off)
	})
}

// A fifth of the nodes, whoever it is, loses its power for good. What is lost was in groups
// of which nobody is left.
func TestSim_PowerLossOfAnybodyForGood(t *testing.T) {
	whole(t)
	n := many(15)
	victims := n / 5
	simulate(t, 5*n, 24, func(s *simSwarm) {
		s.gather(n)
		off := s.members()
		rand.New(rand.NewPCG(simSeed(), 4)).Shuffle(len(off), func(i, j int) { off[i], off[j] = off[j], off[i] })
		s.loseForGood(off[:victims])
	})
}

// Of one log nobody is left. Its domains are lost, and nothing else is.
func TestSim_PowerLossOfAWholeGroup(t *testing.T) {
	whole(t)
	simulate(t, 60, 24, func(s *simSwarm) {
		s.gather(12)
		s.loseForGood(s.keepersOf(s.nodes[5]))
	})
}

// keepersOf returns the nodes that keep the log of one.
func (s *simSwarm) keepersOf(owner *simNode) (list []*simNode) {
	keepers := s.membersOf()[string(owner.host.ID())]
	for _, x := range s.members() {
		if slices.Contains(keepers, string(x.host.ID())) {
			list = append(list, x)
		}
	}
	return list
}

// left returns of how many members of each log some nodes are not, by owner.
func (s *simSwarm) left(off []*simNode) map[string]int {
	m := make(map[string]int)
	for owner, keepers := range s.membersOf() {
		m[owner] = len(keepers)
		for _, x := range off {
			if slices.Contains(keepers, string(x.host.ID())) {
				m[owner]--
			}
		}
	}
	return m
}

// tellGroups logs what some nodes mean to the groups.
func (s *simSwarm) tellGroups(off []*simNode) {
	by := make(map[int]int)
	for _, n := range s.left(off) {
		by[n]++
	}
	s.t.Logf("%v: %v lose their power; logs by members left: %v", s.at(), names(off), by)
}

// loseForGood takes the power from nodes and makes sure that nothing is lost but what they
// alone had.
func (s *simSwarm) loseForGood(off []*simNode) {
	s.t.Helper()
	s.tellGroups(off)
	lost, behind := make(map[crawl.Domain]bool), make(map[crawl.Domain]bool)
	left := s.left(off)
	var urls uint64
	for owner, log := range s.logsNow() {
		if left[owner] >= 2 {
			continue
		}
		infos, err := log.leader.node.logs.groups.Get(owner).Machine().(*keptLog).Domains("", 1<<20)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, d := range infos {
			if left[owner] == 0 {
				lost[d.Domain] = true
				urls += d.Known
			} else {
				behind[d.Domain] = true
			}
		}
	}
	for _, x := range off {
		s.crash(x)
	}
	for d := range lost {
		delete(s.known, d)
	}
	live := make(map[crawl.Domain]uint64)
	for _, x := range s.running() {
		for d, n := range s.knownAt(x) {
			live[d] = max(live[d], n)
		}
	}
	var late uint64
	for d := range behind {
		late += s.known[d] - min(live[d], s.known[d])
		s.known[d] = min(live[d], s.known[d])
	}
	s.t.Logf("%d domains with %d URLs are lost with all their copies; of %d domains a single copy is left, which lacks %d URLs", len(lost), urls, len(behind), late)
	s.finish(time.Hour)
	s.checkPlaces()
	s.checkClosed(lost)
	s.web.checkGaps(s.t, time.Time{}, s.origin)
	s.checkTwice(off)
}

// checkClosed makes sure that all pages were fetched that pages link to, but for some
// domains.
func (s *simSwarm) checkClosed(but map[crawl.Domain]bool) {
	s.t.Helper()
	fetched := s.web.fetches(time.Time{})
	missing, all := 0, 0
	for site := range s.web.domains {
		if but[crawl.Domain(simDomain(site))] {
			continue
		}
		for page := range s.web.pages {
			path := "/"
			if page > 0 {
				path = simPath(page)
			}
			if fetched[simDomain(site)+path] == 0 {
				continue
			}
			all++
			for _, link := range s.web.links(site, page) {
				if strings.HasPrefix(link, "/") {
					link = simURL(site) + link[1:]
				}
				u := mustURL(s.t, link)
				if u.Path() == "/secret.html" || but[u.Domain()] || fetched[u.Hostname()+u.Path()] > 0 {
					continue
				}
				if missing++; missing <= 10 {
					s.t.Errorf("%s%s was fetched, %s was not", simDomain(site), path, link)
				}
			}
		}
	}
	s.t.Logf("%d of %d pages of the other domains were fetched", all, (s.web.domains-len(but))*s.web.pages)
	if missing > 0 {
		s.t.Errorf("%d pages are lost", missing)
	}
}
