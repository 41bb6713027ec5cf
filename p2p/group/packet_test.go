package group

import (
	"slices"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

// What is made while a packet is on its way to a peer goes in one packet behind it. Other lanes do not wait.
func TestNode_WaitsForABusyLane(t *testing.T) {
	for lane, other := range map[stream.Lane]stream.Lane{
		stream.LaneAct: stream.LaneBeat, stream.LaneBeat: stream.LaneAct,
	} {
		c := newCluster(t)
		c.members("ann")
		c.start("ann")
		n, busy := c.nodes["ann"], true
		n.peers.busy = func(to crawl.PeerID, l stream.Lane) bool { return busy && to == "bob" && l == lane }
		taken := func() (lanes []stream.Lane) {
			n.Take(stream.NumLanes-1, func(to crawl.PeerID, lane stream.Lane, _ []byte) {
				if to == "bob" {
					lanes = append(lanes, lane)
				}
			})
			return lanes
		}
		taken()
		for range 3 {
			n.peers.send("bob", lane, newMessage(kindBeat))
		}
		n.peers.send("bob", other, newMessage(kindBeat))
		if got := taken(); !slices.Equal(got, []stream.Lane{other}) {
			t.Errorf("while lane %d is busy, packets leave in %v, want %d", lane, got, other)
		}
		busy = false
		if got := taken(); !slices.Equal(got, []stream.Lane{lane}) {
			t.Errorf("then packets leave in %v, want one with all in %d", got, lane)
		}
	}
}
