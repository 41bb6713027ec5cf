package group

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/stream"
)

const maxPrefixes = 64 // in one message

// writeShard writes a shard of a message between two members: mostly one of them is its home, and takes a byte.
func writeShard(w *codec.Writer, s stream.Shard, from, to crawl.PeerID) {
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

func readShard(r *codec.Reader, from, to crawl.PeerID) stream.Shard {
	home := from
	switch r.Byte() {
	case shardOfSender:
	case shardOfReceiver:
		home = to
	case shardOfOther:
		home = r.Peer()
	default:
		r.Fail()
	}
	return stream.ShardOf(home, int(r.Byte()))
}
