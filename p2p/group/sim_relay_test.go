package group_test

import (
	"testing"

	"github.com/forage-net/forage/p2p/shard"
)

// Two of a line of three cannot reach each other. They go on by way of the third: it passes on what they send
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
	far, relay := followers[0], followers[1]
	w.net.cut(leader, far, link{cut: true})
	w.net.cut(far, leader, link{cut: true})
	w.run(8 * w.times.Beat)
	begun, _ := leader.node.Streams().Number(s)
	passed := relay.node.Counts().Relayed
	w.run(2 * w.times.Lease)
	n, _ := leader.node.Streams().Acked(s, far.id)
	if w.leaderOf(s) != leader || n <= begun || relay.node.Counts().Relayed <= passed {
		t.Errorf("%s led %s, now %v does; %s has acknowledged commit %d of it, want more than %d; %s has passed on %d bytes, want more than %d\n%s",
			leader.name, w.shard(s), w.leaderOf(s), far.name, n, begun, relay.name, relay.node.Counts().Relayed, passed, w.report())
	}
	w.ends(t, "a relay between two of a line")
}
