package shard

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
)

// Grant grants a lease of a domain for which this member acts, if it has none. done is called now or when the
// lease is committed, and not at all if this member resigns before; false: not now.
func (r *Replica) Grant(to crawl.PeerID, d crawl.Domain, done func(l record.Lease, granted bool)) {
	gap := r.h.Gap(d)
	l := record.Lease{ID: crawl.LeaseID(r.h.Chance()), Domain: d, Fetcher: to, Gap: gap}
	if r.Role() == CarefulLeader {
		l.Careful, l.Gap = true, carefulPace*gap
	}
	l.Left = record.Longer(r.h.Times.Lease) + l.Gap
	a, _ := r.Authority(d) // of now: a release may follow in the entry that grants
	granted := func() {
		r.note(Note{Kind: Granted, Peer: to, Domain: d, Number: a.Number, Lease: l.ID,
			Text: map[bool]string{true: "careful"}[l.Careful]})
		l.Left = r.h.Times.Lease
		done(l, true)
	}
	switch lead := r.lead; {
	case lead != nil && lead.granting[d] == to: // its first request is answered when that is committed
	case r.leases.Of(d, r.h.now()) > 0 || r.leases.Full(0, r.h.now()):
		done(l, false)
	case l.Careful:
		r.leases.Add(l, r.h.now())
		granted()
	case lead.granting[d] != "" || lead.handing != nil || r.leases.Full(len(lead.granting), r.h.now()) ||
		!lead.propose(record.Op{Kind: record.OpGrant, Lease: l}, func(e record.Effect) {
			if delete(lead.granting, d); e.Done && lead.acts {
				granted()
			} else {
				done(l, false)
			}
		}):
		done(l, false)
	default:
		lead.granting[d] = to
	}
}

// Return ends a lease that its fetcher gives back. Others hear of it within a beat: one that leads before waits until
// the lease lapses.
func (r *Replica) Return(from crawl.PeerID, id crawl.LeaseID, d crawl.Domain) {
	if l, known := r.leases.Get(d, id); known && l.Fetcher == from {
		if r.leases.End(l, r.h.now()); r.lead != nil {
			r.lead.propose(record.Op{Kind: record.OpEnd, Lease: l}, nil)
		}
	}
}

// Takes reports whether Put takes something now: not while this member hands over.
func (r *Replica) Takes() bool { return r.lead == nil || r.lead.handing == nil }

// Put takes items of a domain for which this member acts, each of which are made when those before them are merged.
// It reports whether stored is called when a follower has them, too: not if this member resigns before. A careful
// leader takes them, but cannot promise that.
func (r *Replica) Put(from crawl.PeerID, d crawl.Domain, items []stream.Make, stored func()) bool {
	lead := r.lead
	if lead == nil {
		r.h.Streams.Put(r.shard, items, nil)
		return false
	}
	r.h.Streams.Put(r.shard, items, func(number uint64) {
		if r.lead != lead || !r.rec.Holds(crawl.KeyOf(d)) {
			if r.lead == lead {
				lead.moves.merged(d) // it was released meanwhile: what came goes there, too
			}
			return
		}
		lead.whenCounted(number, func() {
			r.note(Note{Kind: Stored, Peer: from, Domain: d, Number: number})
			stored()
		})
	})
	return true
}
