package group

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

// FuzzReceive gives packets to a member that leads a shard and follows others. None of them makes it fail.
func FuzzReceive(f *testing.F) {
	c := newCluster(f)
	c.members("ann", "bob", "cyd")
	for _, id := range []crawl.PeerID{"ann", "bob", "cyd"} {
		c.start(id)
	}
	for i := range 4 {
		d := crawl.Domain([]string{"a.example", "b.example", "c.example", "d.example"}[i])
		c.nodes["bob"].Put(d, []byte{1}, "", func(bool) {})
		c.nodes["cyd"].Ask(d, "", func(Lease, bool) {})
		c.run(5 * time.Second)
	}
	kinds := make(map[byte]int)
	for range 40 {
		c.nodes["bob"].Tick()
		if err := c.nodes["bob"].Commit(true); err != nil {
			f.Fatal(err)
		}
		c.nodes["bob"].Take(stream.NumLanes-1, func(_ crawl.PeerID, _ stream.Lane, b []byte) {
			if len(b) > 18 && kinds[b[18]] < 3 { // the first message's kind, after the head and a short length
				kinds[b[18]]++
				f.Add(b, uint8(1))
			}
		})
		c.run(time.Second)
	}
	whole := c.disks["ann"].Clone()
	ids := []crawl.PeerID{"ann", "bob", "cyd", "stranger"}
	f.Fuzz(func(t *testing.T, packet []byte, from uint8) {
		c.t, c.disks["ann"], c.log, c.rng = t, whole.Clone(), nil, rand.New(rand.NewPCG(1, 1))
		c.start("ann")
		n := c.nodes["ann"]
		for range 2 {
			n.Receive(ids[int(from)%len(ids)], slices.Clone(packet))
			n.Tick()
			if err := n.Commit(true); err != nil {
				t.Fatalf("a packet makes a member fail: %v", err)
			}
		}
	})
}
