package stream

import (
	"cmp"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
)

// maxShard is the longest name of a shard in bytes.
const maxShard = 128

// Shard names the domains of one unit of a member: the home's peer ID, followed by the unit's number as one byte.
type Shard string

// ShardOf returns the shard of a unit, 0 to 255, of a member.
func ShardOf(home crawl.PeerID, unit int) Shard { return Shard(home) + Shard([]byte{byte(unit)}) }

// Home returns the member whose unit it is.
func (s Shard) Home() crawl.PeerID {
	if s == "" {
		return ""
	}
	return crawl.PeerID(s[:len(s)-1])
}

// Unit returns the number of the unit.
func (s Shard) Unit() int {
	if s == "" {
		return 0
	}
	return int(s[len(s)-1])
}

// String returns a name that a person can read.
func (s Shard) String() string { return fmt.Sprintf("%s/%d", s.Home(), s.Unit()) }

// WriteShard writes a shard of a message between two members: mostly one of them is its home, and takes a byte.
func WriteShard(w *codec.Writer, s Shard, from, to crawl.PeerID) {
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

// ReadShard reads what WriteShard wrote.
func ReadShard(r *codec.Reader, from, to crawl.PeerID) Shard {
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
	return ShardOf(home, int(r.Byte()))
}

func (s Shard) valid() bool { return len(s) >= 2 && len(s) <= maxShard }

// Term orders the leaders of a shard: the number of its founding, then the term of that record.
type Term struct{ Founding, Number uint64 }

// Compare returns -1, 0 or 1 if t is before, the same as or after o.
func (t Term) Compare(o Term) int {
	return cmp.Or(cmp.Compare(t.Founding, o.Founding), cmp.Compare(t.Number, o.Number))
}

func (t Term) write(w *codec.Writer) {
	w.Uint(t.Founding)
	w.Uint(t.Number)
}

func readTerm(r *codec.Reader) Term { return Term{r.Uint(), r.Uint()} }
