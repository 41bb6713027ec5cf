package group

import (
	"slices"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

// What is made while a packet is on its way to a peer goes in one packet behind it, and heartbeats do not wait.
func TestNode_WaitsForABusyLane(t *testing.T) {
	c := newCluster(t)
	c.members("ann")
	c.start("ann")
	n, busy := c.nodes["ann"], true
	n.peers.busy = func(to crawl.PeerID, lane stream.Lane) bool { return busy && to == "bob" && lane == stream.LaneAct }
	taken := func() (lanes []stream.Lane) {
		n.Take(stream.NumLanes-1, func(to crawl.PeerID, lane stream.Lane, _ []byte) {
			if to == "bob" {
				lanes = append(lanes, lane)
			}
		})
		return lanes
	}
	taken()
	n.Tell("bob", []byte("a"))
	n.peers.send("bob", stream.LaneBeat, newMessage(kindBeat))
	n.Tell("bob", []byte("b"))
	if got := taken(); !slices.Equal(got, []stream.Lane{stream.LaneBeat}) {
		t.Errorf("while the lane is busy, packets leave in %v; want the heartbeat's", got)
	}
	busy = false
	if got := taken(); !slices.Equal(got, []stream.Lane{stream.LaneAct}) {
		t.Errorf("then packets leave in %v; want one with both", got)
	}
}
