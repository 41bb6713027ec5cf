package driver

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/stream"
)

// owners takes everybody for an owner: any peer may pull.
type owners struct{ group.Directory }

func (owners) Owner(crawl.PeerID) bool { return true }

// pullPacket is a packet with four questions for items, the first of them with the number id.
func pullPacket(id uint64) []byte {
	const version, streams, asks = 1, 4, 3
	w := &codec.Writer{}
	w.Byte(version)
	w.Fixed(7) // boot of the sender
	w.Fixed(0) // and of the receiver, if it is known
	for i := range uint64(4) {
		m := &codec.Writer{B: []byte{streams, asks}}
		m.Text(string(stream.ShardOf("lone", 0)))
		m.Fixed(id + i)
		for _, n := range []uint64{0, 0, 0, 1 << 15} { // chunk, cursor, term, room
			m.Uint(n)
		}
		m.Bytes(nil)
		m.Uint(0) // prefixes
		m.Uint(0) // marks
		w.Bytes(m.B)
	}
	return w.B
}

// However many peers pull all the time, what is put is stored when its time has come.
func TestDriver_ItemsBesidePulls(t *testing.T) {
	const peers = 6
	lone(t, func(c *Config) { c.Node.Directory = owners{c.Node.Directory} }, func(t *testing.T, d *Driver, db *counted) {
		var flood atomic.Int64
		var pulling sync.WaitGroup
		ctx, stop := context.WithCancel(t.Context())
		defer pulling.Wait()
		defer stop()
		for i := range uint64(peers) {
			p := crawl.PeerID(fmt.Sprint("peer", i))
			pulling.Go(func() {
				for id := (i + 1) << 32; ctx.Err() == nil; id += 4 {
					if d.receive(p, stream.LanePull, pullPacket(id)) == nil {
						flood.Add(1)
					}
					time.Sleep(90 * time.Millisecond)
				}
			})
		}
		time.Sleep(time.Second)
		if n := flood.Load(); n < peers {
			t.Fatalf("%d packets were taken in; this tests nothing", n)
		}
		taken := make(chan bool, 1)
		go func() { taken <- put(d, "second.example") }()
		select {
		case ok := <-taken:
			if !ok {
				t.Error("the item is refused")
			}
		case <-time.After(4 * DefaultCommitEvery):
			t.Errorf("the item is not stored within %v", 4*DefaultCommitEvery)
		}
	})
}
