//go:build !items

package app

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// What two fetchers one after the other could not tell of is not fetched a third time, if the first
// of them is back before the pages go to another, or while the second has them.
func TestSim_OutcomesThatTwoFetchersLost(t *testing.T) {
	for _, c := range []struct {
		name string
		late bool // it is back when both leases are over
	}{
		{"the first is back while the second has the tasks", false},
		{"the first is back when both leases are over", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.late {
				whole(t)
			}
			simulate(t, 6, 60, func(s *simSwarm) {
				s.web.delays = [5]int{15, 15, 15, 15, 15}
				s.prepare = realTimes
				s.gather(6)
				l := s.twoLose(c.late)
				s.finish(4 * time.Hour)
				s.checkEnd()
				s.web.checkCoverage(t)
				s.web.checkGaps(t, time.Time{}, s.origin)
				l.check()
			})
		})
	}
}

// lostTwice is a domain of which two fetchers had the same tasks, and told nothing.
type lostTwice struct {
	s      *simSwarm
	domain crawl.Domain
	owner  *simNode
	by     [2]*simNode
}

// twoLose has two fetchers lose what they fetched, and a third one go on. The first of the two
// is back before.
func (s *simSwarm) twoLose(late bool) *lostTwice {
	s.t.Helper()
	l := &lostTwice{s: s}
	fetchers := l.choose()
	for _, x := range s.members() {
		if x != fetchers[0] {
			s.setFooting(x, FootingStandby, time.Time{})
		}
	}
	l.by = [2]*simNode{fetchers[0], fetchers[1]}
	l.await("the first works a lease", 15*time.Minute, func(holder string, _ bool) bool { return holder == l.id(0) && l.isAtWork(0) })
	s.split = true
	s.net.Cut(l.by[0].host, true)
	s.setFooting(l.by[1], FootingDuty, time.Time{})
	l.await("the second works its tasks", 15*time.Minute, func(holder string, _ bool) bool { return holder == l.id(1) && l.isAtWork(1) })
	s.net.Cut(l.by[1].host, true)
	if !late {
		s.run(time.Minute)
		s.net.Cut(l.by[0].host, false)
	}
	l.await("the lease of the second is over", 15*time.Minute, func(_ string, over bool) bool { return over })
	if late {
		s.net.Cut(l.by[0].host, false)
		s.run(time.Minute) // connections that are not there any more must be found out
	}
	s.setFooting(fetchers[2], FootingDuty, time.Time{})
	l.await("a third goes on", 15*time.Minute, func(holder string, over bool) bool { return holder != l.id(1) && holder != "-" && !over })
	s.run(time.Minute)
	s.net.Cut(l.by[1].host, false)
	s.run(2 * time.Minute)
	s.split, s.met, s.changed = false, time.Now(), time.Now()
	for _, x := range s.members() {
		s.setFooting(x, FootingDuty, time.Time{})
	}
	return l
}

func (l *lostTwice) id(i int) string { return string(l.by[i].host.ID()) }

// choose picks a domain with work left, and returns those who do not keep the log of its owner.
func (l *lostTwice) choose() (fetchers []*simNode) {
	l.s.t.Helper()
	for site := range l.s.web.domains {
		l.domain = crawl.Domain(simDomain(site))
		for _, x := range l.s.members() {
			if x.owner(l.domain) == string(x.host.ID()) {
				l.owner = x
			}
		}
		keepers := l.s.keepersOf(l.owner)
		fetchers = slices.DeleteFunc(l.s.members(), func(x *simNode) bool { return slices.Contains(keepers, x) || x == l.owner })
		if place, err := l.owner.node.frontier.Where(l.domain); err == nil && len(fetchers) >= 3 && l.queued() >= 4 {
			l.s.t.Logf("%s of %s (%v): %d pages left", l.domain, l.owner.name, place.State, l.queued())
			return fetchers
		}
	}
	l.s.t.Fatal("no domain will do")
	return nil
}

func (l *lostTwice) queued() uint64 {
	infos, err := l.owner.node.frontier.Domains("", 1000)
	if err != nil {
		l.s.t.Fatal(err)
	}
	for _, i := range infos {
		if i.Domain == l.domain {
			return i.Queued
		}
	}
	return 0
}

// isAtWork reports whether a fetcher has visited the domain lately, with a slot of its address, and nothing came of its
// lease yet.
func (l *lostTwice) isAtWork(i int) bool {
	lease, ok, err := l.owner.node.frontier.LeaseOf(l.domain)
	if err != nil || !ok {
		return false
	}
	granted, ok, err := l.owner.node.frontier.Lease(lease.ID)
	if err != nil || !ok || len(granted.Tasks) < 3 || slices.Contains(granted.Done, true) {
		return false
	}
	return slices.ContainsFunc(l.s.web.requests(), func(r simRequest) bool {
		return r.by == l.by[i].name && r.path == granted.Tasks[0].URL.Path() && r.domain == string(l.domain) && time.Since(r.begin) < 5*time.Second
	})
}

// await lets time pass until the lease of the domain is as it should be. Its holder is "-" if there is none.
func (l *lostTwice) await(what string, within time.Duration, ok func(holder string, over bool) bool) {
	l.s.t.Helper()
	for start := time.Now(); ; l.s.run(100 * time.Millisecond) {
		holder, over := "-", true
		lease, is, err := l.owner.node.frontier.LeaseOf(l.domain)
		if err != nil {
			l.s.t.Fatal(err)
		}
		if is {
			p, err := l.owner.node.frontier.Pick(1000, func(d crawl.Domain) bool { return d != l.domain })
			if err != nil {
				l.s.t.Fatal(err)
			}
			holder, over = lease.Holder, len(p.Lapsed) > 0
		}
		if ok(holder, over) {
			l.s.t.Logf("%v: %s", l.s.at(), what)
			return
		}
		if time.Since(start) > within {
			l.s.t.Fatalf("%v: after %v not yet: %s", l.s.at(), within, what)
		}
	}
}

// check makes sure that both had fetched some page, and that none of those was fetched a third time.
func (l *lostTwice) check() {
	l.s.t.Helper()
	byURL := make(map[string][]simRequest)
	for _, r := range l.s.web.requests() {
		if r.domain == string(l.domain) && r.path != "/robots.txt" {
			byURL[r.path] = append(byURL[r.path], r)
		}
	}
	both := 0
	for path, list := range byURL {
		had := func(i int) bool {
			return slices.ContainsFunc(list, func(r simRequest) bool { return r.by == l.by[i].name })
		}
		if !had(0) || !had(1) {
			continue
		}
		if both++; len(list) > 2 {
			l.s.t.Errorf("%s was fetched %s", path, fmt.Sprint(describeRequests(list, l.s.origin)))
		}
	}
	l.s.t.Logf("%d pages of %s were fetched by %s and %s", both, l.domain, l.by[0].name, l.by[1].name)
	if both == 0 {
		l.s.t.Error("no page was fetched by both: nothing was lost")
	}
}
