package app

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/app/footing"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// standbyBytes is how many bytes a node on standby moves each way, in ten seconds.
	standbyBytes = int(footing.StandbyRate * footing.StandbyOver / time.Second)
	// heartbeatBytes is how large a heartbeat may be that counts for nothing.
	heartbeatBytes = 512
	// groupSize is how many members keep a shard.
	groupSize = 3
)

// setFooting has a node take a footing, and looks that it takes no longer than it may.
func (s *simSwarm) setFooting(x *simNode, to limits.Footing, until time.Time) {
	s.t.Helper()
	start := time.Now()
	if err := x.node.foot.Take(s.t.Context(), to, until); err != nil {
		s.t.Errorf("%v: %s does not take %v as it should: %v", s.at(), x.name, to, err)
	}
	if took := time.Since(start); took > 2*time.Second {
		s.t.Errorf("%v: it took %s %v to take %v", s.at(), x.name, took, to)
	} else if to == limits.Silent {
		s.t.Logf("%v: %s is silent after %v", s.at(), x.name, took)
		time.Sleep(2*time.Second - took)
	}
}

// fetchedOf returns how many requests were sent since then to the domains of an owner,
// and how many a node sent.
func (s *simSwarm) fetchedOf(owner *simNode, since time.Time) (ofOwner int, by map[string]int) {
	by = make(map[string]int)
	owned := make(map[string]bool)
	for i := range s.web.domains {
		d := mustURL(s.t, simURL(i)).Domain()
		owned[string(d)] = s.nodes[0].owner(d) == string(owner.host.ID())
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

// bytesOf returns how much a node's calls have moved each way, but heartbeats.
func bytesOf(x *simNode) (in, out int) {
	for _, t := range x.node.member.Calls() {
		kind := wire.Kind(t.Kind)
		if kind == wire.KindPing {
			continue
		}
		in += int(t.ReceivedBytes)
		out += int(t.SentBytes)
		if kind == wire.KindBeat {
			in -= int(min(t.ReceivedBytes, t.Received*heartbeatBytes))
			out -= int(min(t.SentBytes, t.Sent*heartbeatBytes))
		}
	}
	return in, out
}

// moves notes what nodes move each way, second by second.
type moves struct {
	nodes []*simNode
	lists map[*simNode][2][]int
}

func (m *moves) note() {
	for _, x := range m.nodes {
		in, out := bytesOf(x)
		l := m.lists[x]
		m.lists[x] = [2][]int{append(l[0], in), append(l[1], out)}
	}
}

// check makes sure that no node moved more than it may on standby. What has come cannot be put off any more: at the sockets of other
// nodes than these the byte budget holds it back.
func (m *moves) check(t *testing.T) {
	t.Helper()
	for _, x := range m.nodes {
		most := 0
		for _, list := range m.lists[x] {
			for k := 10; k < len(list); k++ {
				most = max(most, list[k]-list[k-10])
			}
		}
		if t.Logf("%s moved at most %d bytes each way in 10 s", x.name, most); most > standbyBytes*3/2 {
			t.Errorf("%s moved %d bytes in 10 s, want about %d at most", x.name, most, standbyBytes)
		}
	}
}

// checkBusy makes sure that a node on standby puts off what it must, and nothing else.
func (s *simSwarm) checkBusy(x *simNode) {
	s.t.Helper()
	other := s.nodes[0]
	if other == x {
		other = s.nodes[1]
	}
	ask := func(from, to *simNode, kind wire.Kind) time.Duration {
		_, err := from.node.member.Node.Requests.Call(s.t.Context(), string(to.host.ID()), kind, []byte{1, 16: 0})
		if busy, is := errors.AsType[*calls.Busy](err); is {
			return busy.After
		}
		return 0
	}
	x.node.gate.Count(calls.Work, calls.Kind(wire.KindAct), false, standbyBytes)
	x.node.gate.Count(calls.Work, calls.Kind(wire.KindAct), true, standbyBytes)
	for _, kind := range []wire.Kind{wire.KindAct, wire.KindStream, wire.KindPull} {
		if here, there := ask(other, x, kind), ask(x, other, kind); here == 0 || there == 0 {
			s.t.Errorf("%v waits %v here and %v there though too much has moved", kind, here, there)
		}
	}
	for _, kind := range []wire.Kind{wire.KindBeat, wire.KindKeeps} {
		if here, there := ask(other, x, kind), ask(x, other, kind); here > 0 || there > 0 {
			s.t.Errorf("%v waits %v here and %v there", kind, here, there)
		}
	}
	s.run(2 * time.Second)
}

func isStandby(c limiter.Cause) bool { return c.Key == "status.reason.standby" }

// An owner stands by while its user is at the keyboard: it sends no request to any
// site and moves little, and its domains are crawled by others all the same.
func TestSim_StandbyOwner(t *testing.T) {
	simulate(t, 80, 12, func(s *simSwarm) {
		s.prepare = realTimes // leases that are long enough for outcomes to wait
		s.gather(5)
		x := s.nodes[1]
		s.setFooting(x, limits.Standby, time.Time{})
		if state, causes := x.node.governor.Why(); state != "paused" || !slices.ContainsFunc(causes, isStandby) {
			t.Errorf("the user is told %v, %v", state, causes)
		}
		s.run(2 * time.Second)
		since := time.Now()
		moved := &moves{[]*simNode{x}, make(map[*simNode][2][]int)}
		owned := 0
		var by map[string]int
		for i := range 360 { // others have domains of their own to visit first
			moved.note()
			s.run(time.Second)
			if owned, by = s.fetchedOf(x, since); owned > 0 && i >= 60 {
				break
			}
		}
		t.Logf("%d requests to its domains by %v", owned, by)
		if by[x.name] > 0 {
			t.Errorf("it sent %d requests", by[x.name])
		}
		if owned == 0 {
			t.Error("nobody fetches its domains")
		}
		moved.check(t)
		if s.leaderOf(x) != x.name {
			t.Errorf("its shard is led by %s", s.leaderOf(x))
		}
		s.checkBusy(x)
		s.setFooting(x, limits.Duty, time.Time{})
		s.finish(20 * time.Minute)
		s.checkAll()
	})
}

// An owner rests with leases held: another of its line leads its shard at once and its domains are
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
		s.setFooting(x, limits.Silent, time.Time{})
		quiet, since := x.host.Sent(), time.Now()
		s.run(3 * time.Second)
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
		s.setFooting(x, limits.Duty, time.Time{})
		s.awaitLeader(x, 20*time.Second, func(l string) bool { return l == x.name })
		s.settleShards(time.Minute)
		s.finish(20 * time.Minute)
		s.checkAll()
	})
}

// The members of a line rest one after the other until nobody is left, and come back in
// the same order.
func TestSim_WholeLineRests(t *testing.T) {
	whole(t)
	simulate(t, 80, 12, func(s *simSwarm) {
		s.prepare = realTimes
		s.gather(5)
		owner := s.nodes[1]
		line := s.lineOf(owner)
		if len(line) != groupSize {
			t.Fatalf("the shard of %s is kept by %v", owner.name, names(line))
		}
		for i, x := range line {
			s.setFooting(x, limits.Silent, time.Time{})
			s.run(10 * time.Second)
			if leader := s.leaderOf(owner); slices.Contains(names(line[:i+1]), leader) {
				t.Errorf("the shard is led by %q while %v rest", leader, names(line[:i+1]))
			}
		}
		s.run(20 * time.Second)
		for _, x := range line {
			s.setFooting(x, limits.Duty, time.Time{})
			s.run(10 * time.Second)
		}
		s.awaitLeader(owner, time.Minute, func(l string) bool { return l == owner.name })
		s.settleShards(2 * time.Minute)
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
		s.setFooting(x, limits.Silent, time.Now().Add(2*time.Hour))
		quiet := x.host.Sent()
		s.run(15 * time.Second)
		for _, y := range s.nodes {
			if units := y.node.member.Node.Members.Ring().Units(string(x.host.ID())); y != x && units != 0 {
				t.Errorf("%s has it on the ring with %d units", y.name, units)
			}
		}
		s.run(45 * time.Second)
		if n := x.host.Sent() - quiet; n > 0 {
			t.Errorf("%d packets were sent in silence", n)
		}
		s.setFooting(x, limits.Duty, time.Time{})
		s.run(30 * time.Second)
		s.apart, s.met, s.changed = false, time.Now(), time.Now()
		s.finish(20 * time.Minute)
		s.checkAll()
	})
}

// One that rests for longer than an absence is waited for is out, and takes part again when
// it is back.
func TestSim_LongRestIsOut(t *testing.T) {
	whole(t)
	simulate(t, 80, 12, func(s *simSwarm) {
		s.gather(5)
		x := s.nodes[1]
		s.apart = true
		s.setFooting(x, limits.Silent, time.Time{})
		s.run(10 * time.Second)
		for _, y := range s.nodes {
			if y.node.member.Node.Members.Ring().Units(string(x.host.ID())) == 0 {
				t.Errorf("%s has given it up after 10 s", y.name)
			}
		}
		s.run(40 * time.Second)
		for _, y := range s.nodes {
			if y != x && y.node.member.Node.Members.Ring().Units(string(x.host.ID())) != 0 {
				t.Errorf("%s still waits for it after 50 s", y.name)
			}
		}
		s.setFooting(x, limits.Duty, time.Time{})
		s.run(30 * time.Second)
		s.apart, s.met, s.changed = false, time.Now(), time.Now()
		together := time.Now().Add(agreeWithin)
		s.finish(20 * time.Minute)
		s.checkEnd()
		s.web.checkCoverage(s.t)
		s.web.checkOnce(s.t, together, s.origin, s.checksMade())
		s.web.checkGaps(s.t, together, s.origin)
	})
}

// A node that starts silent sends nothing until it may.
func TestSim_StartsSilent(t *testing.T) {
	simulate(t, 20, 4, func(s *simSwarm) {
		first := s.start(nil, 0)
		s.run(2 * time.Second)
		s.prepare = func(o *Options) { o.Footing = limits.Silent }
		x := s.start([]*simNode{first}, 1)
		s.prepare = nil
		s.apart = true
		s.run(20 * time.Second)
		if n := x.host.Sent(); n > 0 {
			t.Errorf("%d packets were sent in silence", n)
		}
		s.setFooting(x, limits.Duty, time.Time{})
		s.run(20 * time.Second)
		s.apart, s.met, s.changed = false, time.Now(), time.Now()
		s.finish(20 * time.Minute)
		s.checkEnd()
		s.web.checkCoverage(s.t)
	})
}
