//go:build !items

package app

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	group "github.com/forage-net/forage/p2p/oldgroup"
)

// crashFor is crash for a node that will be revived.
func (s *simSwarm) crashFor(x *simNode) {
	s.t.Helper()
	x.disk = s.knownAt(x)
	s.crash(x)
}

// logOf is what is known of a log that somebody leads.
type logOf struct {
	leader *simNode
	status group.Status
}

// logsNow returns all logs that are led, by owner. Of several members that believe
// they lead one, the one counts that was elected last: nothing that the others propose
// comes to anything.
func (s *simSwarm) logsNow() map[string]logOf {
	m := make(map[string]logOf)
	for _, x := range s.running() {
		for _, g := range x.node.logs.groups.All() {
			if !g.Leads() {
				continue
			}
			st := g.Status()
			if was, is := m[g.Log()]; is && (was.status.Epoch.Compare(st.Epoch) > 0 || was.status.Epoch == st.Epoch && was.status.Term > st.Term) {
				continue
			}
			m[g.Log()] = logOf{x, st}
		}
	}
	return m
}

// settleGroups lets time pass until every log is kept by as many as should be, who have
// everything. They need not be those that should.
func (s *simSwarm) settleGroups(limit time.Duration) {
	s.t.Helper()
	for end := time.Now().Add(limit); ; {
		logs, whole := s.logsNow(), 0
		for _, l := range logs {
			voters := 0
			for _, m := range l.status.Members {
				if m.Voter {
					voters++
				}
			}
			if voters >= groupSize && l.status.Whole {
				whole++
			}
		}
		if whole == len(logs) && whole >= len(s.members()) {
			return
		}
		if time.Now().After(end) {
			s.t.Errorf("%v: %d of %d logs have all their copies after %v", s.at(), whole, len(logs), limit)
			return
		}
		s.run(time.Second)
	}
}

// membersOf returns who keeps each log, by owner.
func (s *simSwarm) membersOf() map[string][]string {
	m := make(map[string][]string)
	for owner, l := range s.logsNow() {
		for _, x := range l.status.Members {
			m[owner] = append(m[owner], x.Peer)
		}
	}
	return m
}

// onePerGroup returns at most n nodes of which no two keep the same log.
func (s *simSwarm) onePerGroup(n int, rnd *rand.Rand) (list []*simNode) {
	groups := s.membersOf()
	taken := make(map[string]bool)
	nodes := s.members()
	rnd.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
next:
	for _, x := range nodes {
		var with []string
		for _, members := range groups {
			if slices.Contains(members, string(x.host.ID())) {
				with = append(with, members...)
			}
		}
		for _, p := range with {
			if taken[p] {
				continue next
			}
		}
		taken[string(x.host.ID())] = true
		if list = append(list, x); len(list) == n {
			break
		}
	}
	return list
}

// knownAt returns how many URLs of each domain a node's logs and copies hold, and notes how many
// of them robots.txt forbids.
func (s *simSwarm) knownAt(x *simNode) map[crawl.Domain]uint64 {
	m := make(map[crawl.Domain]uint64)
	read := make(map[any]knownIn)
	for _, g := range x.node.logs.groups.All() {
		k, is := g.Machine().(*keptLog)
		st := g.Status()
		if !is || st.Copying || st.Removed {
			continue
		}
		in := x.read[g.Log()]
		if now := (knownIn{log: k, epoch: st.Epoch, applied: st.Applied}); !in.isOf(now) {
			in = now
			var err error
			if in.domains, err = k.Domains("", 1<<20); err != nil {
				s.fault("domains", "%s: %v", x.name, err)
			}
		}
		read[g.Log()] = in
		for _, d := range in.domains {
			m[d.Domain] = max(m[d.Domain], d.Known)
			s.forbidden[d.Domain] = max(s.forbidden[d.Domain], d.Forbidden)
		}
	}
	x.read = read
	return m
}

// appliedWithin is how long an entry may be in logs alone that it is in for good: followers apply it
// when they hear that it is, or when they have elected one of them, and of a domain that
// arrives nothing is shown before all has come.
const appliedWithin = 2 * time.Minute

// lookAtKnown makes sure that every URL that a log has ever acknowledged is in one that
// somebody has.
func (s *simSwarm) lookAtKnown() {
	live := make(map[crawl.Domain]uint64)
	for _, x := range s.nodes {
		at := x.disk
		if !x.gone && !x.crashed {
			at = s.knownAt(x)
		}
		for d, n := range at {
			live[d] = max(live[d], n)
		}
	}
	if d, from, _ := strings.Cut(os.Getenv("FORAGE_TRACE"), "@"); d != "" {
		if after, err := time.ParseDuration(from); err != nil || s.at() >= after {
			s.trace(crawl.Domain(d))
		}
	}
	for d, n := range s.known {
		since, is := s.lacking[d]
		switch {
		case live[d]+s.forbidden[d] >= n: // they leave no page behind, and are forgotten where two queues become one
			delete(s.lacking, d)
			continue
		case !is:
			s.lacking[d] = time.Now()
		case time.Since(since) > appliedWithin:
			s.fault("acknowledged URLs are lost", "%s: %d of %d", d, n-live[d], n)
			delete(s.lacking, d)
			continue
		}
		live[d] = n
	}
	s.known = live
}

// watchKnown has it looked at every second whether URLs are lost that are known from now on.
func (s *simSwarm) watchKnown() {
	s.known = make(map[crawl.Domain]uint64)
	s.watch = func(over bool) {
		if over {
			s.checkKnown()
			return
		}
		s.lookAtKnown()
	}
}

// checkKnown makes sure in the end that nothing is lacking.
func (s *simSwarm) checkKnown() {
	s.lookAtKnown()
	for d, since := range s.lacking {
		s.fault("acknowledged URLs are lost", "%s: some are nowhere since %v", d, since.Sub(s.origin))
	}
}

// trace logs where a domain is, when that has changed.
func (s *simSwarm) trace(d crawl.Domain) {
	var at []string
	for _, x := range s.running() {
		for _, g := range x.node.logs.groups.All() {
			k, is := g.Machine().(*keptLog)
			if !is {
				continue
			}
			place, _ := k.Where(d)
			infos, _ := k.Domains("", 1<<20)
			i := slices.IndexFunc(infos, func(i frontier.DomainInfo) bool { return i.Domain == d })
			if i < 0 && place.State == frontier.StateNone {
				continue
			}
			var known, queued uint64
			if i >= 0 {
				known, queued = infos[i].Known, infos[i].Queued
			}
			st := g.Status()
			at = append(at, fmt.Sprintf("%s: log of %s epoch %d %s term %d leads %v copying %v: %v known %d queued %d",
				x.name, s.nameOf(g.Log()), st.Epoch.Number, s.nameOf(st.Epoch.Founder), st.Term, st.Leads, st.Copying, place.State, known, queued))
		}
	}
	if text := strings.Join(at, "\n\t"); text != s.traced {
		s.traced = text
		s.t.Logf("%v: %s is at\n\t%s", s.at(), d, text)
	}
}

// checkTwice makes sure that few pages were fetched more than once by those that were
// there all the time: most outcomes find their way, but for those that an owner which
// was away had not heard of. Those of nodes that were off may be lost.
func (s *simSwarm) checkTwice(off []*simNode) {
	s.t.Helper()
	byURL := make(map[string][]simRequest)
	for _, r := range s.web.requests() {
		if r.path != "/robots.txt" {
			byURL[r.domain+r.path] = append(byURL[r.domain+r.path], r)
		}
	}
	wasOff := make(map[string]bool)
	for _, x := range off {
		wasOff[x.name] = true
	}
	twice, lost := 0, 0
	for _, url := range slices.Sorted(maps.Keys(byURL)) {
		list := byURL[url]
		if len(list) < 2 {
			continue
		}
		twice++
		before := list[:len(list)-1]
		if !slices.ContainsFunc(before, func(r simRequest) bool { return !wasOff[r.by] }) {
			continue
		}
		if lost++; lost <= 5 {
			s.t.Logf("%s was fetched %d times: %s", url, len(list), describeRequests(list, s.origin))
		}
	}
	s.t.Logf("%d of %d pages were fetched more than once; %d of them although who had fetched them was there", twice, len(byURL), lost)
	if lost > 5+len(byURL)/10 {
		s.t.Errorf("%d outcomes of nodes that were there are lost", lost)
	}
}
