//go:build !items

package app

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/calls"
	group "github.com/forage-net/forage/p2p/oldgroup"
	"github.com/forage-net/forage/p2p/wire"
)

// setFooting has a node take a footing, and looks that it takes no longer than it may.
func (s *simSwarm) setFooting(x *simNode, to Footing, until time.Time) {
	s.t.Helper()
	start := time.Now()
	if err := x.node.SetFooting(s.t.Context(), to, until); errors.Is(err, errNotTold) {
		s.t.Logf("%v: %v", s.at(), err) // another change is under way; who leads finds out within seconds
	} else if err != nil {
		s.t.Errorf("%v: %s does not take %v as it should: %v", s.at(), x.name, to, err)
	}
	if took := time.Since(start); took > 2*time.Second {
		s.t.Errorf("%v: it took %s %v to take %v", s.at(), x.name, took, to)
	} else if to == FootingSilent {
		s.t.Logf("%v: %s is silent after %v", s.at(), x.name, took)
		time.Sleep(2*time.Second - took)
	}
}

// leaderOf returns who leads the log of a node.
func (s *simSwarm) leaderOf(x *simNode) string {
	if log, is := s.logsNow()[string(x.host.ID())]; is {
		return log.leader.name
	}
	return ""
}

// awaitLeader lets time pass until a log is led by some node, or is not.
func (s *simSwarm) awaitLeader(x *simNode, within time.Duration, ok func(leader string) bool) {
	s.t.Helper()
	for start := time.Now(); !ok(s.leaderOf(x)); {
		if time.Since(start) > within {
			s.t.Errorf("%v: the log of %s is led by %q after %v", s.at(), x.name, s.leaderOf(x), within)
			return
		}
		s.run(200 * time.Millisecond)
	}
}

// fetchedOf returns how many requests were sent since then to the domains of an owner,
// and how many a node sent.
func (s *simSwarm) fetchedOf(owner *simNode, since time.Time) (ofOwner int, by map[string]int) {
	by = make(map[string]int)
	owned := make(map[string]bool)
	log, is := s.logsNow()[string(owner.host.ID())]
	if is {
		names, err := log.leader.node.logs.groups.Get(string(owner.host.ID())).Machine().(*keptLog).Names("", 1<<20)
		if err != nil {
			s.t.Error(err)
		}
		for _, d := range names {
			owned[string(d)] = true
		}
	}
	for _, r := range s.web.requests() {
		if r.begin.Before(since) {
			continue
		}
		by[r.by]++
		if owned[r.domain] {
			ofOwner++
		}
	}
	return ofOwner, by
}

// leasesOf returns how many live leases others have granted to a node.
func (s *simSwarm) leasesOf(x *simNode) (found []string) {
	for owner, log := range s.logsNow() {
		list, err := log.leader.node.logs.groups.Get(owner).Machine().(*keptLog).Leases()
		if err != nil {
			s.t.Error(err)
		}
		for _, l := range list {
			if l.Holder == string(x.host.ID()) || l.Holder == "" && owner == string(x.host.ID()) {
				found = append(found, fmt.Sprintf("%s in the log of %s, which %s leads", l.Domain, s.nameOf(owner), log.leader.name))
			}
		}
	}
	return found
}

// bytesOf returns how much a node's calls have moved each way, but heartbeats.
func bytesOf(x *simNode) (in, out int) {
	for _, t := range x.node.member.meter.Snapshot() {
		kind := wire.Kind(t.Kind)
		if kind == wire.KindPing || t.Class.String() == "bulk" && kind != wire.KindMove {
			continue
		}
		in += int(t.ReceivedBytes)
		out += int(t.SentBytes)
		if kind == wire.KindLog { // what is in an empty packet for a log is a heartbeat
			in -= int(min(t.ReceivedBytes, t.Received*100))
			out -= int(min(t.SentBytes, t.Sent*100))
		}
	}
	return in, out
}

// checkBusy makes sure that a node on standby puts off what it must, and nothing else.
func (s *simSwarm) checkBusy(x *simNode) {
	s.t.Helper()
	other := s.nodes[0]
	if other == x {
		other = s.nodes[1]
	}
	ask := func(from, to *simNode, kind wire.Kind, body []byte) time.Duration {
		_, err := from.node.member.node.Call(s.t.Context(), string(to.host.ID()), kind, body)
		if busy, is := errors.AsType[*calls.Busy](err); is {
			return busy.After
		}
		return 0
	}
	for _, way := range [][2]*simNode{{other, x}, {x, other}} {
		if wait := ask(way[0], way[1], wire.KindPiece, []byte{1}); wait != bulkWait {
			s.t.Errorf("a copy from %s waits %v, want %v", way[1].name, wait, bulkWait)
		}
	}
	x.node.foot.admission.Count(calls.Work, calls.Kind(wire.KindReport), false, standbyBytes)
	x.node.foot.admission.Count(calls.Work, calls.Kind(wire.KindReport), true, standbyBytes)
	for _, kind := range []wire.Kind{wire.KindAsk, wire.KindReport, wire.KindLinks, wire.KindHave} {
		if wait := ask(other, x, kind, []byte{1}); wait == 0 {
			s.t.Errorf("%v is answered though too much has moved", kind)
		}
	}
	if wait := ask(x, other, wire.KindLinks, []byte{1}); wait == 0 {
		s.t.Error("links are sent though too much has moved")
	}
	if wait := ask(other, x, wire.KindKeeps, []byte{1}); wait > 0 {
		s.t.Errorf("control waits %v", wait)
	}
	s.run(2 * time.Second)
}

// An owner stands by while its user is at the keyboard: it sends no request to any
// site and moves little, and its domains are crawled by others all the same.
func TestSim_OwnerStandsBy(t *testing.T) {
	simulate(t, 80, 12, func(s *simSwarm) {
		s.gather(5)
		x := s.nodes[1]
		s.setFooting(x, FootingStandby, time.Time{})
		if state, reasons := x.node.governor.state(); state != "paused" || !slices.Contains(reasons, words.Text(words.English, FootingStandby.why(), nil)) {
			t.Errorf("the user is told %v, %v", state, reasons)
		}
		s.run(2 * time.Second)
		since := time.Now()
		var ins, outs []int
		most, owned := 0, 0
		var by map[string]int
		for range 360 { // others have domains of their own to visit first
			in, out := bytesOf(x)
			ins, outs = append(ins, in), append(outs, out)
			if i := len(ins) - 1; i >= 10 {
				most = max(most, ins[i]-ins[i-10], outs[i]-outs[i-10])
			}
			s.run(time.Second)
			if owned, by = s.fetchedOf(x, since); owned > 0 && len(ins) >= 60 {
				break
			}
		}
		t.Logf("%d requests to its domains by %v, at most %d bytes each way in 10 s", owned, by, most)
		if by[x.name] > 0 {
			t.Errorf("it sent %d requests", by[x.name])
		}
		if owned == 0 {
			t.Error("nobody fetches its domains")
		}
		if limit := int(StandbyRate * StandbyOver / time.Second); most > limit {
			t.Errorf("it moved %d bytes in 10 s, want at most %d", most, limit)
		}
		if s.leaderOf(x) != x.name {
			t.Errorf("its log is led by %s", s.leaderOf(x))
		}
		s.checkBusy(x)
		s.setFooting(x, FootingDuty, time.Time{})
		s.finish(20 * time.Minute)
		s.checkAll()
	})
}

// needing returns the owners of the logs that need the vote of a node.
func (s *simSwarm) needing(x *simNode) (owners []string) {
	for owner, log := range s.logsNow() {
		if i := slices.IndexFunc(log.status.Members, func(m group.Member) bool { return m.Peer == string(x.host.ID()) }); i >= 0 && log.status.Members[i].Voter {
			owners = append(owners, s.nameOf(owner))
		}
	}
	return owners
}

// Who leads a log need not have been told itself that a member rests: it hears of that from others, and does without its vote.
func TestSim_RestIsHeardOfFromOthers(t *testing.T) {
	whole(t)
	simulate(t, 40, 6, func(s *simSwarm) {
		s.gather(5)
		x := s.nodes[1]
		before := s.needing(x)
		if len(before) < 2 {
			t.Fatalf("only the logs of %v need its vote", before)
		}
		node := x.node.member.node
		if err := node.Rest(s.t.Context(), false); err != nil {
			t.Fatal(err)
		}
		node.Tell(s.t.Context())
		s.run(15 * time.Second)
		if now := s.needing(x); len(now) > 0 {
			t.Errorf("the logs of %v need its vote", now)
		}
		if err := node.Back(s.t.Context()); err != nil {
			t.Fatal(err)
		}
		s.run(15 * time.Second)
		if now := s.needing(x); len(now) != len(before) {
			t.Errorf("it is back, and the logs of %v need its vote, those of %v before", now, before)
		}
		s.finish(20 * time.Minute)
		s.web.checkCoverage(t)
		s.web.checkGaps(t, time.Time{}, s.origin)
	})
}

// An owner rests with leases held: a partner leads its log at once and its domains are
// fetched on; not one packet comes from it until it is back. Then it leads again, and
// nothing was lost or done twice.
func TestSim_OwnerRests(t *testing.T) {
	simulate(t, 80, 12, func(s *simSwarm) {
		s.gather(5)
		x := s.nodes[1]
		for range 20 { // until it holds a lease
			if _, leases := x.node.pool.InFlight(); leases > 0 {
				break
			}
			s.run(time.Second)
		}
		s.setFooting(x, FootingSilent, time.Time{})
		quiet, since := x.host.Sent(), time.Now()
		s.run(3 * time.Second) // what it gave back last waits for a commit of its granter, which has it by then
		if list := s.leasesOf(x); len(list) > 0 {
			t.Errorf("it rests with leases: %v", list)
		}
		s.awaitLeader(x, 2*time.Second, func(l string) bool { return l != "" && l != x.name })
		s.run(5 * time.Second)
		owned, by := s.fetchedOf(x, since)
		t.Logf("%d requests to its domains, by %v", owned, by)
		if owned == 0 || by[x.name] > 0 {
			t.Errorf("%d requests to its domains, %d of its own", owned, by[x.name])
		}
		if n := x.host.Sent() - quiet; n > 0 {
			t.Errorf("%d packets were sent in silence", n)
		}
		for _, owner := range s.needing(x) {
			t.Errorf("the log of %s needs its vote", owner)
		}
		s.setFooting(x, FootingDuty, time.Time{})
		s.awaitLeader(x, 20*time.Second, func(l string) bool { return l == x.name })
		s.settleGroups(time.Minute)
		s.finish(20 * time.Minute)
		s.checkAll()
	})
}

// The members of a group rest one after the other until nobody is left, and come back in
// the same order.
func TestSim_WholeGroupRests(t *testing.T) {
	whole(t)
	simulate(t, 80, 12, func(s *simSwarm) {
		s.prepare = realTimes
		s.gather(5)
		owner := s.nodes[1]
		var keepers []*simNode
		for _, p := range s.membersOf()[string(owner.host.ID())] {
			for _, x := range s.nodes {
				if string(x.host.ID()) == p {
					keepers = append(keepers, x)
				}
			}
		}
		if len(keepers) != groupSize {
			t.Fatalf("the log of %s is kept by %v", owner.name, names(keepers))
		}
		for i, x := range keepers {
			s.setFooting(x, FootingSilent, time.Time{})
			s.run(10 * time.Second)
			leader := s.leaderOf(owner)
			if last := i == len(keepers)-1; !last && (leader == "" || slices.Contains(names(keepers[:i+1]), leader)) {
				t.Errorf("the log is led by %q while %v rest", leader, names(keepers[:i+1]))
			}
		}
		s.run(20 * time.Second)
		for _, x := range keepers {
			s.setFooting(x, FootingDuty, time.Time{})
			s.run(10 * time.Second)
		}
		s.awaitLeader(owner, time.Minute, func(l string) bool { return l == owner.name })
		s.settleGroups(2 * time.Minute)
		s.finish(40 * time.Minute)
		s.checkAll()
	})
}

// A planned rest for long is a leave: the node's domains go to others, without
// waiting for an hour, and come back with it.
func TestSim_PlannedRestIsALeave(t *testing.T) {
	whole(t)
	simulate(t, 80, 12, func(s *simSwarm) {
		s.gather(5)
		x := s.nodes[1]
		s.apart = true
		s.setFooting(x, FootingSilent, time.Now().Add(2*time.Hour))
		quiet := x.host.Sent()
		s.run(15 * time.Second)
		for _, y := range s.nodes {
			if units := y.node.member.node.Ring().Units(string(x.host.ID())); y != x && units != 0 {
				t.Errorf("%s has it on the ring with %d units", y.name, units)
			}
		}
		s.run(45 * time.Second)
		if n := x.host.Sent() - quiet; n > 0 {
			t.Errorf("%d packets were sent in silence", n)
		}
		s.setFooting(x, FootingDuty, time.Time{})
		s.run(30 * time.Second)
		s.apart, s.met, s.changed = false, time.Now(), time.Now()
		s.finish(20 * time.Minute)
		s.checkAll()
	})
}

// Who rests for longer than an absence is waited for is out, and takes part again when
// it is back.
func TestSim_LongRestIsOut(t *testing.T) {
	whole(t)
	simulate(t, 80, 12, func(s *simSwarm) {
		s.gather(5)
		x := s.nodes[1]
		s.apart = true
		s.setFooting(x, FootingSilent, time.Time{})
		s.run(10 * time.Second)
		for _, y := range s.nodes {
			if y.node.member.node.Ring().Units(string(x.host.ID())) == 0 {
				t.Errorf("%s has given it up after 10 s", y.name)
			}
		}
		s.run(40 * time.Second)
		for _, y := range s.nodes {
			if y != x && y.node.member.node.Ring().Units(string(x.host.ID())) != 0 {
				t.Errorf("%s still waits for it after 50 s", y.name)
			}
		}
		s.setFooting(x, FootingDuty, time.Time{})
		s.run(30 * time.Second)
		s.apart, s.met, s.changed = false, time.Now(), time.Now()
		together := time.Now().Add(agreeWithin)
		s.finish(20 * time.Minute)
		s.checkEnd()
		s.web.checkCoverage(s.t)
		s.web.checkOnce(s.t, together, s.origin)
		s.web.checkGaps(s.t, together, s.origin)
	})
}

// All members of a group rest, and the last, whose vote alone was left, does not come back
// for long: the log begins anew with one that has a copy.
func TestSim_LastVoterStaysAway(t *testing.T) {
	whole(t)
	simulate(t, 40, 8, func(s *simSwarm) {
		s.gather(5)
		owner := s.nodes[1]
		keepers := []*simNode{owner}
		for _, p := range s.membersOf()[string(owner.host.ID())] {
			for _, x := range s.nodes {
				if x != owner && string(x.host.ID()) == p {
					keepers = append(keepers, x)
				}
			}
		}
		s.apart, s.doubles = true, true
		for _, x := range keepers {
			// Not all can do without the vote of the next.
			if err := x.node.SetFooting(s.t.Context(), FootingSilent, time.Time{}); err != nil && !errors.Is(err, errNotTold) {
				t.Error(err)
			}
			s.run(3 * time.Second)
		}
		for _, x := range keepers[:2] {
			s.setFooting(x, FootingDuty, time.Time{})
		}
		s.run(10 * time.Second)
		if l := s.leaderOf(owner); l != "" && l != keepers[2].name {
			t.Errorf("%s leads the log though the only vote rests", l)
		}
		s.run(labBeginAnew + 40*time.Second)
		if l := s.leaderOf(owner); !slices.Contains(names(keepers[:2]), l) {
			t.Errorf("the log is led by %q, want one of %v", l, names(keepers[:2]))
		}
	})
}

// A node that starts silent sends nothing until it may.
func TestSim_StartsSilent(t *testing.T) {
	simulate(t, 20, 4, func(s *simSwarm) {
		first := s.start(nil, 0)
		s.run(2 * time.Second)
		s.prepare = func(o *Options) { o.Footing = FootingSilent }
		x := s.start([]*simNode{first}, 1)
		s.prepare = nil
		s.apart = true
		s.run(20 * time.Second)
		if n := x.host.Sent(); n > 0 {
			t.Errorf("%d packets were sent in silence", n)
		}
		s.setFooting(x, FootingDuty, time.Time{})
		s.run(20 * time.Second)
		s.apart, s.met, s.changed = false, time.Now(), time.Now()
		s.finish(20 * time.Minute)
		s.checkEnd()
		s.web.checkCoverage(s.t)
	})
}
