package group_test

import (
	"slices"
	"testing"

	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/shard"
)

// Two of a line of three cannot reach each other. They go on by way of a third: it passes on what they send
// each other, and the leader stays and has two followers.
func TestSim_RelayBetweenTwoOfALine(t *testing.T) {
	w := swarm(t, 1200, 5, shard.LabTimes, 4)
	s := w.check.holder(w.load.domains[0])
	leader := w.leaderOf(s)
	var followers []*machine
	for _, m := range w.line(s) {
		if m != leader {
			followers = append(followers, m)
		}
	}
	far := followers[0]
	relayed := func() (bytes int) {
		for _, m := range w.machines {
			bytes += m.node.Counts().Relayed
		}
		return bytes
	}
	w.net.cut(leader, far, link{cut: true})
	w.net.cut(far, leader, link{cut: true})
	w.run(8 * w.times.Beat)
	begun, _ := leader.node.Streams().Number(s)
	passed := relayed()
	w.run(2 * w.times.Lease)
	n, _ := leader.node.Streams().Acked(s, far.id)
	if w.leaderOf(s) != leader || n <= begun || relayed() <= passed {
		t.Errorf("%s led %s, now %v does; %s has acknowledged commit %d of it, want more than %d; %d bytes were passed on, want more than %d\n%s",
			leader.name, w.shard(s), w.leaderOf(s), far.name, n, begun, relayed(), passed, w.report())
	}
	w.ends(t, "a relay between two of a line")
}

// One member of a line reaches neither of the two others, or is not reached by them. Members that are not of the line pass
// on what they send each other: it goes on following, and does not act carefully beside the leader.
func TestSim_RelayOutsideTheLine(t *testing.T) {
	for seed := uint64(1210); seed < 1222; seed++ {
		oneway := seed%2 == 1
		w := swarm(t, seed, 5, shard.LabTimes, 4)
		s := w.check.holder(w.load.domains[0])
		leader, line := w.leaderOf(s), w.line(s)
		far := line[slices.IndexFunc(line, func(m *machine) bool { return m != leader })]
		careful := 0
		w.check.watch = func(m *machine, n group.Note) {
			if m == far && n.Shard == s && n.Kind == shard.Careful {
				careful++
			}
		}
		for _, m := range line {
			if m != far {
				w.net.cut(m, far, link{cut: true})
				w.net.cut(far, m, link{cut: !oneway})
			}
		}
		w.run(8 * w.times.Beat)
		begun, _ := leader.node.Streams().Number(s)
		w.run(w.times.Careful + 2*w.times.Lease)
		n, _ := leader.node.Streams().Acked(s, far.id)
		if w.leaderOf(s) != leader || n <= begun || careful > 0 {
			t.Errorf("seed %d, one way %v: %s led %s, now %v does; %s has acknowledged commit %d of it, want more than %d, and acted carefully %d times\n%s",
				seed, oneway, leader.name, w.shard(s), w.leaderOf(s), far.name, n, begun, careful, w.report())
		}
		w.ends(t, "a relay outside the line, seed %d, one way %v", seed, oneway)
	}
}
