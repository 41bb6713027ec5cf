package shard

import (
	"slices"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
)

// Found founds the group of a shard that has none as far as its home, this member, can know. everything says
// that it begins with authority over every key.
func (r *Replica) Found(everything bool) {
	if r.log != nil || r.founding != 0 || !r.trusted() {
		return
	}
	number := uint64(1)
	if !r.trust.allAnswered() {
		number = 0 // somebody may know a founding of it: that one is later
	}
	if everything {
		r.rec.Authorities = record.Authorities{{Number: 1, Shard: r.shard}}
	}
	r.found(number)
}

// Beat is called once a beat with their count. over: this member has no part in the shard any more.
func (r *Replica) Beat(beats int) (over bool) {
	asks := false
	if l := r.lead; l == nil {
		r.care.hand()
		asks = !r.trusted() || heardLeader(r) == ""
	} else {
		l.pressing = len(l.ops) > 0
		if l.acts {
			l.reconcile()
			l.moves.reconcile()
		}
		asks = r.astray()
	}
	if asks {
		for _, p := range r.Others() {
			r.tellStatus(p, true)
		}
	}
	return r.log == nil && beats%4 == 0 && r.retire(beats%int(r.h.Times.Out/r.h.Times.Beat) == 0)
}

// astray reports whether this member leads alone what others should keep. It may have founded the group again
// while it could not hear them; they do not know it any more, and would not listen.
func (r *Replica) astray() bool {
	line := r.h.Directory.Line(r.shard)
	return r.lead != nil && len(r.voters()) == 1 && len(line) > 0 && !slices.Contains(line, r.h.Self)
}

// retire offers what a former member knows to the leader, until there is nothing that the line lacks. Then this
// member has no part in the shard. It does not forget that it left before all that may count on its vote know,
// however long they are away: one that slept, with its clock, did not found the group again. asks: it is time
// to ask them, seldom, as one of them may be gone for good.
func (r *Replica) retire(asks bool) (over bool) {
	empty := true
	if err := r.h.Disk.View(func(tx stream.Tx) error {
		return stream.Domains(tx, r.shard, func(crawl.Domain) bool { empty = false; return false })
	}); err != nil {
		r.h.Fail(err)
		return false
	}
	if !empty {
		if to := r.h.Leader(r.shard); to != "" && to != r.h.Self {
			r.h.Streams.Offer(r.shard, to)
		}
		return false
	}
	for _, p := range r.unaware {
		if asks {
			r.tellStatus(p, true)
		}
	}
	return len(r.unaware) == 0 && len(r.leases.All(r.h.now())) == 0 &&
		!slices.Contains(r.h.Directory.Line(r.shard), r.h.Self)
}
