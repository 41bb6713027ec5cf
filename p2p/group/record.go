package group

import (
	"cmp"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// record is what the members of a shard agree on, entry by entry: who they are, and who may act for which keys.
// The live leases belong to it, too; every store counts them by its own clock, so they are kept beside it.
type record struct {
	shard   stream.Shard
	members map[uint64]crawl.PeerID // by Raft's number
	auth    authorities
}

func newRecord(s stream.Shard) *record {
	return &record{shard: s, members: map[uint64]crawl.PeerID{}}
}

// holds reports whether the shard's leader may act for a key.
func (r *record) holds(k crawl.Key) bool {
	a, ok := r.auth.of(k)
	return ok && a.Shard == r.shard
}

// opKind says what an op changes. The numbers are those of entries on disk.
type opKind byte

const (
	opGrant  opKind = 1 // a lease begins; not if the shard does not hold the domain
	opEnd    opKind = 2 // a lease was returned: it counts for one gap more
	opKnown  opKind = 3 // a lease that another member granted, or another shard's leader
	opGive   opKind = 4 // Prefix goes to Shard under a number above its own and Number; if it went there before, nothing changes
	opTake   opKind = 5 // Prefix came to this shard, under Number
	opYield  opKind = 6 // Shard holds Prefix under a later Number: this shard does not
	opForget opKind = 7 // the line of Shard has everything of Prefix that Marks cover: no copies are kept here
	opClaim  opKind = 8 // nobody acts for Prefix: its home does, under a Number far beyond any
)

// op is one change of a record. Which fields are set depends on Kind.
type op struct {
	Kind   opKind
	Lease  lease
	Prefix ring.Prefix
	Number uint64
	Shard  stream.Shard
	Marks  stream.Marks
}

// effect is what came of an op.
type effect struct {
	op   op
	done bool        // it changed something, or holds already
	left authorities // opGive: what the other shard may take, with its numbers
}

// apply makes the change of an op. It depends on the record and the op alone.
func (r *record) apply(o op) effect {
	e := effect{op: o}
	switch o.Kind {
	case opGrant:
		e.done = r.holds(crawl.KeyOf(o.Lease.Domain))
	case opEnd, opKnown:
		e.done = true
	case opGive:
		e.left = r.give(o)
		e.done = len(e.left) > 0
	case opTake, opClaim:
		e.done = r.take(authority{o.Prefix, o.Number, r.shard})
	case opYield:
		e.done = r.yield(authority{o.Prefix, o.Number, o.Shard})
	case opForget:
		r.forget(o)
		e.done = true
	}
	return e
}

// give gives what the shard holds of a prefix to another, and returns what is that one's.
func (r *record) give(o op) authorities {
	var left authorities
	for _, a := range r.auth.within(o.Prefix) {
		switch {
		case a.Shard == r.shard && len(r.auth) < maxAuthorities:
			a = authority{a.Prefix, max(a.Number, o.Number) + 1, o.Shard}
			r.auth = r.auth.set(a)
			left = append(left, a)
		case a.Shard == o.Shard:
			left = append(left, a)
		}
	}
	return left
}

// take makes the shard the holder of what it does not know under a later number.
func (r *record) take(a authority) bool {
	known := r.auth.within(a.Prefix)
	if slices.ContainsFunc(known, func(b authority) bool { return b.later(a) }) || len(r.auth) >= maxAuthorities {
		return false
	}
	r.auth = r.auth.set(a)
	return true
}

// yield leaves to another shard what it holds under a later number.
func (r *record) yield(a authority) bool {
	changed := false
	for _, b := range r.auth.within(a.Prefix) {
		if b.Shard == r.shard && a.later(b) {
			r.auth = r.auth.set(authority{b.Prefix, a.Number, a.Shard})
			changed = true
		}
	}
	return changed
}

// forget forgets where a prefix went, not its number: whoever gave it to this shard may not know yet that it was taken,
// and would give it once more.
func (r *record) forget(o op) {
	for _, a := range r.auth.within(o.Prefix) {
		if a.Shard == o.Shard {
			r.auth = r.auth.set(authority{a.Prefix, a.Number, ""})
		}
	}
}

// encode writes a record with leases, as it goes into a snapshot.
func (r *record) encode(l *leases, now time.Duration) []byte {
	w := &writer{}
	codec.WriteList(&w.Writer, sortedKeys(r.members), func(id uint64) {
		w.Fixed(id)
		w.Text(string(r.members[id]))
	})
	codec.WriteList(&w.Writer, r.auth, func(a authority) {
		w.Prefix(a.Prefix)
		w.Uint(a.Number)
		w.Text(string(a.Shard))
	})
	w.leases(l.live(now))
	return w.B
}

// decodeRecord reads what encode wrote.
func decodeRecord(s stream.Shard, b []byte) (*record, []lease, bool) {
	r := newReader(b)
	out := newRecord(s)
	for range r.UpTo(16) {
		id := r.Fixed()
		out.members[id] = r.peer()
	}
	out.auth = codec.ReadList(&r.Reader, 2*maxAuthorities, func() authority {
		return authority{Prefix: r.Prefix(), Number: r.Uint(), Shard: stream.Shard(r.Text(maxName))}
	})
	live := r.leases()
	return out, live, r.Done()
}

// entry is what one proposal holds: ops, and a number by which the proposer knows it.
type entry struct {
	tag uint64
	ops []op
}

func (e entry) encode() []byte {
	w := &writer{}
	w.Fixed(e.tag)
	codec.WriteList(&w.Writer, e.ops, func(o op) {
		w.Byte(byte(o.Kind))
		switch o.Kind {
		case opGrant, opEnd, opKnown:
			w.lease(o.Lease)
		default:
			w.Prefix(o.Prefix)
			w.Uint(o.Number)
			w.Text(string(o.Shard))
			o.Marks.Write(&w.Writer)
		}
	})
	return w.B
}

func decodeEntry(b []byte) (entry, bool) {
	r := newReader(b)
	e := entry{tag: r.Fixed()}
	e.ops = codec.ReadList(&r.Reader, 2*maxLeases, func() op {
		o := op{Kind: opKind(r.Byte())}
		switch o.Kind {
		case opGrant, opEnd, opKnown:
			o.Lease = r.lease()
		case opGive, opTake, opYield, opForget, opClaim:
			o.Prefix, o.Number, o.Shard, o.Marks = r.Prefix(), r.Uint(), stream.Shard(r.Text(maxName)), stream.ReadMarks(&r.Reader)
		default:
			r.Fail()
		}
		return o
	})
	return e, r.Done()
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
