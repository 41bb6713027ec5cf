package record

import (
	"maps"
	"slices"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// Record is what the members of a shard agree on, entry by entry: who they are, and who may act for which keys.
// The live leases belong to it, too; every store counts them by its own clock, so they are kept beside it.
type Record struct {
	Members     map[uint64]crawl.PeerID // by Raft's number
	Authorities Authorities
	// Asked has the prefixes that others were asked to release and that were not taken since; only the prefixes
	// count. A release of them may be on its way, so that what is known of them keeps its number.
	Asked Authorities
	shard stream.Shard
}

// New returns the record of a shard that nobody has told anything of.
func New(s stream.Shard) *Record {
	return &Record{shard: s, Members: map[uint64]crawl.PeerID{}}
}

// Holds reports whether the shard's leader may act for a key.
func (r *Record) Holds(k crawl.Key) bool {
	a, ok := r.Authorities.Of(k)
	return ok && a.Shard == r.shard
}

// Peers returns the members that Raft knows by numbers, in order.
func (r *Record) Peers(ids []uint64) []crawl.PeerID {
	var peers []crawl.PeerID
	for _, id := range ids {
		if p, ok := r.Members[id]; ok {
			peers = append(peers, p)
		}
	}
	slices.Sort(peers)
	return peers
}

// OpKind says what an Op changes. The numbers are those of entries on disk.
type OpKind byte

const (
	OpGrant OpKind = 1 // a lease begins; not if the shard does not hold the domain
	OpEnd   OpKind = 2 // a lease was returned: it counts for one gap more
	OpKnown OpKind = 3 // a lease that another member granted, or another shard's leader
	// Prefix goes to Shard under a number above its own and Number; if it went there before, nothing changes
	OpGive  OpKind = 4
	OpTake  OpKind = 5 // Prefix came to this shard, under Number
	OpYield OpKind = 6 // Shard holds Prefix under a later Number: this shard does not
	// the line of Shard has everything of Prefix that Marks cover: no copies are kept here, unless it came back
	OpForget OpKind = 7
	OpClaim  OpKind = 8 // nobody acts for Prefix: its home does, under a Number far beyond any
	OpAsk    OpKind = 9 // another shard is going to be asked for a release of Prefix
)

// Op is one change of a record. Which fields are set depends on Kind.
type Op struct {
	Kind   OpKind
	Lease  Lease
	Prefix ring.Prefix
	Number uint64
	Shard  stream.Shard
	Marks  stream.Marks
}

// Effect is what came of an Op.
type Effect struct {
	Done bool        // it changed something, or holds already
	Left Authorities // OpGive: what the other shard may take, with its numbers
}

// Apply makes the change of an Op. It depends on the record and the Op alone.
func (r *Record) Apply(o Op) Effect {
	var e Effect
	switch o.Kind {
	case OpGrant:
		e.Done = r.Holds(crawl.KeyOf(o.Lease.Domain))
	case OpEnd, OpKnown:
		e.Done = true
	case OpGive:
		e.Left = r.give(o)
		e.Done = len(e.Left) > 0
	case OpTake, OpClaim:
		e.Done = r.take(Authority{o.Prefix, o.Number, r.shard})
	case OpYield:
		e.Done = r.yield(Authority{o.Prefix, o.Number, o.Shard})
	case OpForget:
		e.Done = r.forget(o)
	case OpAsk:
		if e.Done = len(r.Asked) < maxAuthorities; e.Done {
			r.Asked = r.Asked.Set(Authority{Prefix: o.Prefix}, false, nil)
		}
	}
	return e
}

// give gives what the shard holds of a prefix to another, and returns what is that one's.
func (r *Record) give(o Op) Authorities {
	var left Authorities
	for _, a := range r.Authorities.Within(o.Prefix) {
		switch {
		case a.Shard == r.shard && len(r.Authorities) < maxAuthorities:
			a = Authority{a.Prefix, max(a.Number, o.Number) + 1, o.Shard}
			r.Authorities = r.Authorities.Set(a, false, nil)
			left = append(left, a)
		case a.Shard == o.Shard:
			left = append(left, a)
		}
	}
	return left
}

// take makes the shard the holder of what it does not know under a later number.
func (r *Record) take(a Authority) bool {
	known := r.Authorities.Within(a.Prefix)
	if slices.ContainsFunc(known, func(b Authority) bool { return b.Later(a) }) ||
		len(r.Authorities) >= maxAuthorities {
		return false
	}
	r.Authorities, r.Asked = r.Authorities.Set(a, true, nil), r.Asked.without(a.Prefix)
	return true
}

// yield leaves to another shard what it holds under a later number.
func (r *Record) yield(a Authority) bool {
	changed := false
	for _, b := range r.Authorities.Within(a.Prefix) {
		if b.Shard == r.shard && a.Later(b) {
			r.Authorities = r.Authorities.Set(Authority{b.Prefix, a.Number, a.Shard}, false, nil)
			changed = true
		}
	}
	return changed
}

// forget forgets where a prefix went, not its number: the shard that gave it may not know yet that it was taken,
// and would give it once more. What was taken back meanwhile stays.
func (r *Record) forget(o Op) bool {
	known := r.Authorities.Within(o.Prefix)
	if slices.ContainsFunc(known, func(a Authority) bool { return a.Shard == r.shard }) {
		return false
	}
	for _, a := range known {
		if a.Shard == o.Shard {
			r.Authorities = r.Authorities.Set(Authority{a.Prefix, a.Number, ""}, true, r.Asked)
		}
	}
	return true
}

// Encode writes a record with its live leases, as it goes into a snapshot.
func (r *Record) Encode(live []Lease) []byte {
	w := &codec.Writer{}
	codec.WriteList(w, slices.Sorted(maps.Keys(r.Members)), func(id uint64) {
		w.Fixed(id)
		w.Text(string(r.Members[id]))
	})
	for _, l := range []Authorities{r.Authorities, r.Asked} {
		codec.WriteList(w, l, func(a Authority) {
			w.Prefix(a.Prefix)
			w.Uint(a.Number)
			w.Text(string(a.Shard))
		})
	}
	WriteLeases(w, live)
	return w.B
}

// Decode reads what Encode wrote.
func Decode(s stream.Shard, b []byte) (*Record, []Lease, bool) {
	r := &codec.Reader{B: b}
	out := New(s)
	for range r.UpTo(16) {
		id := r.Fixed()
		out.Members[id] = r.Peer()
	}
	for _, l := range []*Authorities{&out.Authorities, &out.Asked} {
		*l = codec.ReadList(r, 2*maxAuthorities, func() Authority {
			return Authority{Prefix: r.Prefix(), Number: r.Uint(), Shard: stream.Shard(r.Text(codec.MaxName))}
		})
	}
	live := ReadLeases(r)
	return out, live, r.Done()
}

// Entry is what one proposal holds: ops, and a number by which the proposer knows it.
type Entry struct {
	Tag uint64
	Ops []Op
}

// Encode writes an entry, as it goes into the log.
func (e Entry) Encode() []byte {
	w := &codec.Writer{}
	w.Fixed(e.Tag)
	codec.WriteList(w, e.Ops, func(o Op) {
		w.Byte(byte(o.Kind))
		switch o.Kind {
		case OpGrant, OpEnd, OpKnown:
			o.Lease.Write(w)
		default:
			w.Prefix(o.Prefix)
			w.Uint(o.Number)
			w.Text(string(o.Shard))
			o.Marks.Write(w)
		}
	})
	return w.B
}

// DecodeEntry reads what Encode wrote.
func DecodeEntry(b []byte) (Entry, bool) {
	r := &codec.Reader{B: b}
	e := Entry{Tag: r.Fixed()}
	e.Ops = codec.ReadList(r, 2*MaxLeases, func() Op {
		o := Op{Kind: OpKind(r.Byte())}
		switch o.Kind {
		case OpGrant, OpEnd, OpKnown:
			o.Lease = ReadLease(r)
		case OpGive, OpTake, OpYield, OpForget, OpClaim, OpAsk:
			o.Prefix, o.Number, o.Shard, o.Marks = r.Prefix(), r.Uint(), stream.Shard(r.Text(codec.MaxName)),
				stream.ReadMarks(r)
		default:
			r.Fail()
		}
		return o
	})
	return e, r.Done()
}
