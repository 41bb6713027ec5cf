package group

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// Bounds of what comes from peers and from disk.
const (
	maxName     = 300 // bytes of a peer ID or a shard
	maxPrefixes = 64  // in one message
	maxLeases   = 4096
	maxDuration = 48 * time.Hour
)

// writer writes what this package sends and stores.
type writer struct{ codec.Writer }

func (w *writer) duration(d time.Duration) {
	w.Uint(uint64(max(0, (d+time.Millisecond-1)/time.Millisecond)))
}

// shard writes a shard of a message between two members: mostly one of them is its home, and takes a byte.
func (w *writer) shard(s stream.Shard, from, to crawl.PeerID) {
	switch s.Home() {
	case from:
		w.Byte(shardOfSender)
	case to:
		w.Byte(shardOfReceiver)
	default:
		w.Byte(shardOfOther)
		w.Text(string(s.Home()))
	}
	w.Byte(byte(s.Unit()))
}

const (
	shardOfSender byte = iota
	shardOfReceiver
	shardOfOther
)

// reader reads what a writer wrote.
type reader struct{ codec.Reader }

func newReader(b []byte) *reader { return &reader{codec.Reader{B: b}} }

func (r *reader) peer() crawl.PeerID {
	p := r.Text(maxName)
	if p == "" {
		r.Fail()
	}
	return crawl.PeerID(p)
}

func (r *reader) duration() time.Duration {
	return time.Duration(r.UpTo(uint64(maxDuration/time.Millisecond))) * time.Millisecond
}

func (r *reader) prefixes() []ring.Prefix { return codec.ReadList(&r.Reader, maxPrefixes, r.Prefix) }

func (r *reader) shard(from, to crawl.PeerID) stream.Shard {
	home := from
	switch r.Byte() {
	case shardOfSender:
	case shardOfReceiver:
		home = to
	case shardOfOther:
		home = r.peer()
	default:
		r.Fail()
	}
	return stream.ShardOf(home, int(r.Byte()))
}
