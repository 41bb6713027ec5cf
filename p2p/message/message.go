// Package message holds what members tell each other about shards, as bytes: how far a log is, who acts for which
// prefixes, and what one shard releases to another. Package shard says what follows from that. Bytes that no member
// writes make the reader fail.
package message

import (
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// MaxPrefixes is how many prefixes one message has at most.
const MaxPrefixes = 64

// Status is what a member says of a shard when it is asked.
type Status struct {
	Founding            uint64
	Term                uint64
	LastTerm, LastIndex uint64
	None                bool // it has no vote: what it knows of the shard may be given up
	Member              bool // the asker is a member as far as it knows
	Leads               bool
	Ask                 bool // it asks for the same
	Heeds               bool // what the asker says of the shard counts
}

// Write writes a status.
func (s Status) Write(w *codec.Writer) {
	flags := byte(0)
	for i, f := range []bool{s.None, s.Member, s.Leads, s.Ask, s.Heeds} {
		if f {
			flags |= 1 << i
		}
	}
	w.Byte(flags)
	w.Fixed(s.Founding)
	w.Uint(s.Term)
	w.Uint(s.LastTerm)
	w.Uint(s.LastIndex)
}

// ReadStatus reads a status.
func ReadStatus(r *codec.Reader) Status {
	flags := r.Byte()
	return Status{
		None: flags&1 > 0, Member: flags&2 > 0, Leads: flags&4 > 0, Ask: flags&8 > 0, Heeds: flags&16 > 0,
		Founding: r.Fixed(), Term: r.Uint(), LastTerm: r.Uint(), LastIndex: r.Uint(),
	}
}

// Claim is what a leader tells another shard of a prefix.
type Claim struct {
	Prefix ring.Prefix
	Number uint64
	State  State
	Shard  stream.Shard // Held: by this one
	Marks  stream.Marks // Whole
}

// State says what a claim is about.
type State byte

const (
	Acting State = 1 // the teller acts for it, and would release it
	Given  State = 2 // it was released to the told shard, under Number
	Late   State = 3 // the teller learned something of a domain that it does not act for
	Held   State = 4 // the answer: Shard holds it under Number
	Whole  State = 5 // the answer: the told shard's whole line has everything up to Marks
)

// WriteClaims writes claims of a shard. All that are Whole have the same marks.
func WriteClaims(w *codec.Writer, list []Claim) {
	var marks stream.Marks
	codec.WriteList(w, list, func(c Claim) {
		w.Prefix(c.Prefix)
		w.Uint(c.Number)
		w.Byte(byte(c.State))
		if c.State == Held {
			w.Text(string(c.Shard))
		}
		if c.Marks != nil {
			marks = c.Marks
		}
	})
	marks.Write(w)
}

// ReadClaims reads claims of a shard.
func ReadClaims(r *codec.Reader) []Claim {
	list := codec.ReadList(r, MaxPrefixes, func() Claim {
		c := Claim{Prefix: r.Prefix(), Number: ReadNumber(r), State: State(r.Byte())}
		if c.State == Held {
			c.Shard = stream.Shard(r.Text(codec.MaxName))
		}
		if c.State < Acting || c.State > Whole {
			r.Fail()
		}
		return c
	})
	marks := stream.ReadMarks(r)
	for i := range list {
		list[i].Marks = marks
	}
	return list
}

// Release is what the giving shard's leader answers to a request for prefixes.
type Release struct {
	ID     uint64 // of the request
	Given  record.Authorities
	Leases []record.Lease
	Marks  stream.Marks // what the giver's store had when it gave
}

// Write writes a release.
func (rel Release) Write(w *codec.Writer) {
	w.Fixed(rel.ID)
	codec.WriteList(w, rel.Given, func(a record.Authority) {
		w.Prefix(a.Prefix)
		w.Uint(a.Number)
	})
	record.WriteLeases(w, rel.Leases)
	rel.Marks.Write(w)
}

// ReadRelease reads a release.
func ReadRelease(r *codec.Reader) Release {
	given := func() record.Authority { return record.Authority{Prefix: r.Prefix(), Number: ReadNumber(r)} }
	return Release{
		ID: r.Fixed(), Given: codec.ReadList(r, MaxPrefixes, given),
		Leases: record.ReadLeases(r), Marks: stream.ReadMarks(r),
	}
}

// ReadNumber reads the number of an authority. No member comes as far as the bound, which leaves room to count on.
func ReadNumber(r *codec.Reader) uint64 { return r.UpTo(1 << 62) }
