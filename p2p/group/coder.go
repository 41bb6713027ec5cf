package group

import (
	"encoding/binary"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// Bounds of what comes from peers and from disk.
const (
	maxName     = 300 // bytes of a peer ID or a shard
	maxPrefixes = 64  // in one message
	maxLeases   = 4096
	maxMarks    = 2 * stream.MaxRuns
	maxDuration = 48 * time.Hour
)

// writer appends numbers as uvarints, and byte strings after their length.
type writer struct{ b []byte }

func (w *writer) byte(b byte)    { w.b = append(w.b, b) }
func (w *writer) uint(n uint64)  { w.b = binary.AppendUvarint(w.b, n) }
func (w *writer) fixed(n uint64) { w.b = binary.BigEndian.AppendUint64(w.b, n) }
func (w *writer) bytes(b []byte) { w.uint(uint64(len(b))); w.b = append(w.b, b...) }
func (w *writer) text(s string)  { w.uint(uint64(len(s))); w.b = append(w.b, s...) }
func (w *writer) bool(b bool)    { w.byte(map[bool]byte{true: 1}[b]) }
func (w *writer) duration(d time.Duration) {
	w.uint(uint64(max(0, (d+time.Millisecond-1)/time.Millisecond)))
}
func (w *writer) term(t stream.Term) { w.fixed(t.Founding); w.uint(t.Number) }
func (w *writer) prefix(p ring.Prefix) {
	w.byte(p.Len)
	for i := uint8(0); i < p.Len; i += 8 {
		w.byte(byte(p.Bits >> (56 - i)))
	}
}

func (w *writer) prefixes(list []ring.Prefix) {
	w.uint(uint64(len(list)))
	for _, p := range list {
		w.prefix(p)
	}
}

func (w *writer) marks(m stream.Marks) {
	w.uint(uint64(len(m)))
	for _, run := range sortedKeys(m) {
		w.fixed(uint64(run))
		w.uint(m[run])
	}
}

// shard writes a shard of a message between two members: mostly one of them is its home, and takes a byte.
func (w *writer) shard(s stream.Shard, from, to crawl.PeerID) {
	switch s.Home() {
	case from:
		w.byte(shardOfSender)
	case to:
		w.byte(shardOfReceiver)
	default:
		w.byte(shardOfOther)
		w.text(string(s.Home()))
	}
	w.byte(byte(s.Unit()))
}

const (
	shardOfSender byte = iota
	shardOfReceiver
	shardOfOther
)

// reader reads what a writer wrote. After the first thing that is not there or not allowed everything is zero,
// and failed is set.
type reader struct {
	b      []byte
	failed bool
}

func (r *reader) fail() { r.b, r.failed = nil, true }

// done reports whether everything was read and nothing was wrong.
func (r *reader) done() bool { return !r.failed && len(r.b) == 0 }

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.fail()
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) bool() bool { return r.byte() == 1 }

func (r *reader) fixed() uint64 {
	if b := r.take(8); b != nil {
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

func (r *reader) uint() uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[size:]
	return n
}

// count reads a number of at most most.
func (r *reader) count(most int) int {
	n := r.uint()
	if n > uint64(most) {
		r.fail()
		return 0
	}
	return int(n)
}

// bytes reads a string of at most most bytes; it is a part of what is read from.
func (r *reader) bytes(most int) []byte { return r.take(uint64(r.count(most))) }
func (r *reader) text(most int) string  { return string(r.bytes(most)) }

func (r *reader) peer() crawl.PeerID {
	p := r.text(maxName)
	if p == "" {
		r.fail()
	}
	return crawl.PeerID(p)
}

func (r *reader) duration() time.Duration {
	n := r.uint()
	if n > uint64(maxDuration/time.Millisecond) {
		r.fail()
		return 0
	}
	return time.Duration(n) * time.Millisecond
}

func (r *reader) term() stream.Term { return stream.Term{Founding: r.fixed(), Number: r.uint()} }

func (r *reader) prefix() ring.Prefix {
	p := ring.Prefix{Len: r.byte()}
	if p.Len > ring.MaxPrefix {
		r.fail()
		return ring.Prefix{}
	}
	for i := uint8(0); i < p.Len; i += 8 {
		p.Bits |= uint64(r.byte()) << (56 - i)
	}
	if !p.Valid() {
		r.fail()
		return ring.Prefix{}
	}
	return p
}

func (r *reader) prefixes() []ring.Prefix {
	list := make([]ring.Prefix, 0, 8)
	for range r.count(maxPrefixes) {
		list = append(list, r.prefix())
	}
	return list
}

func (r *reader) marks() stream.Marks {
	m := stream.Marks{}
	for range r.count(maxMarks) {
		m[stream.Run(r.fixed())] = r.uint()
	}
	return m
}

func (r *reader) shard(from, to crawl.PeerID) stream.Shard {
	home := from
	switch r.byte() {
	case shardOfSender:
	case shardOfReceiver:
		home = to
	case shardOfOther:
		home = r.peer()
	default:
		r.fail()
	}
	return stream.ShardOf(home, int(r.byte()))
}
