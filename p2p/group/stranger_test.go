package group

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/stream"
)

// A peer that keeps nothing is not told how far a log is, nor which items there are. It is still heard as a fetcher.
func TestNode_StrangersLearnNoNumbers(t *testing.T) {
	c, d := trio(t)
	s := stream.ShardOf("ann", 0)
	stored := false
	c.nodes["bob"].Put(d, []byte("a page"), "ann", func(ok bool) { stored = ok })
	if c.run(2 * time.Second); !stored {
		t.Fatal("nothing was stored")
	}
	ann := c.nodes["ann"]
	c.start("mal")
	mal := c.nodes["mal"]
	c.lease("mal", d)
	delete(c.nodes, "mal") // the test carries its packets from now on
	answers := func() (n int) {
		mal.Tick()
		mal.Take(stream.NumLanes-1, func(_ crawl.PeerID, _ stream.Lane, b []byte) { ann.Receive("mal", b) })
		for range 3 {
			if err := ann.Commit(true); err != nil {
				t.Fatal(err)
			}
			ann.Tick()
			ann.Take(stream.NumLanes-1, func(to crawl.PeerID, _ stream.Lane, _ []byte) {
				if to == "mal" {
					n++
				}
			})
		}
		return n
	}
	status := &codec.Writer{B: []byte{2}}
	stream.WriteShard(status, s, "mal", "ann")
	status.Byte(8) // it asks for the same
	status.Fixed(0)
	for range 3 {
		status.Uint(0)
	}
	for what, ask := range map[string]func(){
		"how far a log is": func() { mal.peers.send("ann", stream.LaneAct, status) },
		"its items":        func() { mal.Streams().Pull(stream.Pull{Shard: s, From: "ann"}) },
		"a beat":           func() { mal.peers.send("ann", stream.LaneAct, mal.peers.heartbeat()) },
	} {
		if ask(); answers() > 0 {
			t.Errorf("a stranger is told of %s", what)
		}
	}
}
