package shard

import (
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
)

// An entry of leases alone, all with the longest names, can be sent.
func TestEntry_OfLeasesFitsIntoAMessage(t *testing.T) {
	name := strings.Repeat("x", codec.MaxName)
	l := record.Lease{ID: 1 << 63, Domain: crawl.Domain(name), Fetcher: crawl.PeerID(name), Left: time.Hour, Gap: time.Hour}
	var e record.Entry
	for range maxOps {
		e.Ops = append(e.Ops, record.Op{Kind: record.OpGrant, Lease: l})
	}
	const around = 1 << 10 // what Raft and the packet add
	var q stream.Queue
	if b := e.Encode(); !q.Push(stream.LaneBeat, make([]byte, len(b)+around)) {
		t.Errorf("%d changes are %d bytes, which no lane takes", maxOps, len(b))
	}
}
