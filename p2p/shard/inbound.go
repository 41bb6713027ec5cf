package shard

import (
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/message"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// inbound is a transfer of prefixes from another shard, as its receiver sees it.
type inbound struct {
	m        *moves
	from     stream.Shard
	leader   crawl.PeerID
	prefixes []ring.Prefix
	check    bool // they are here already: only late items are fetched

	id     uint64
	since  time.Duration // of the last progress
	cancel func()
	marks  stream.Marks // what was pulled
	n      uint64       // the commit that holds it
	ready  bool         // everything pulled is stored by a follower: the release is asked for
	given  *message.Release
}

// fetch begins to pull prefixes from another shard.
func (m *moves) fetch(leader crawl.PeerID, from stream.Shard, prefixes []ring.Prefix, check bool) {
	if old := m.from[from]; old != nil {
		old.end()
	}
	in := &inbound{m: m, from: from, leader: leader, prefixes: prefixes, check: check, id: m.l.r.h.Chance()}
	if got, ok := m.got[from]; ok && !slices.ContainsFunc(prefixes,
		func(p ring.Prefix) bool { return !covers(got.prefixes, p) }) {
		in.marks = got.marks
	}
	m.from[from] = in
	in.pull()
}

func covers(list []ring.Prefix, p ring.Prefix) bool {
	return slices.ContainsFunc(list, func(q ring.Prefix) bool { return q.Covers(p) })
}

// old reports whether nothing will come of the transfer: the other is down, or has not answered for long.
func (in *inbound) old() bool {
	h := in.m.l.r.h
	return !h.Up(in.leader) && in.leader != h.Self || in.cancel == nil && h.now()-in.since > 20*h.Times.Beat
}

func (in *inbound) end() {
	if in.cancel != nil {
		in.cancel()
	}
	if in.m.from[in.from] == in {
		delete(in.m.from, in.from)
	}
}

// alive reports whether the transfer still matters: callbacks come late.
func (in *inbound) alive() bool { return in.m.from[in.from] == in && in.m.l.r.lead == in.m.l }

func (in *inbound) pull() {
	r := in.m.l.r
	in.since = r.h.now()
	in.cancel = r.h.Streams.Pull(stream.Pull{
		Shard: in.from, From: in.leader, Into: r.shard, Prefixes: in.prefixes, Marks: in.marks,
		Done: func(got stream.Pulled) {
			if !in.alive() {
				return
			}
			in.cancel, in.since = nil, r.h.now()
			in.marks, in.n = got.Marks, max(in.n, got.N)
			in.m.got[in.from] = pulled{in.prefixes, got.Marks}
			in.m.l.whenCounted(in.n, in.stored)
		},
	})
}

// stored goes on when what was pulled is stored by a follower, too.
func (in *inbound) stored() {
	switch {
	case !in.alive() || in.cancel != nil:
	case in.check:
		in.ready = true
		in.whole()
	case in.given == nil:
		in.prepare()
	case in.marks.Covers(in.given.Marks):
		in.take()
	default:
		in.pull()
	}
}

// repeat says again what may have been lost.
func (in *inbound) repeat() {
	switch {
	case in.old():
		in.end()
	case in.check && in.ready:
		in.whole()
	case in.ready && in.given == nil:
		in.ask()
	}
}

// prepare notes in the record what is going to be asked for, so that the next leader knows it, too.
func (in *inbound) prepare() {
	for _, p := range in.prefixes {
		in.m.l.propose(record.Op{Kind: record.OpAsk, Prefix: p}, func(e record.Effect) {
			if e.Done && p == in.prefixes[len(in.prefixes)-1] && in.alive() {
				in.ready = true
				in.ask()
			}
		})
	}
}

func (in *inbound) ask() {
	r := in.m.l.r
	w := r.h.message(kindAskRelease, in.leader, in.from, r.shard)
	w.Fixed(in.id)
	above := uint64(0)
	for _, p := range in.prefixes {
		above = max(above, r.rec.Authorities.Latest(p))
	}
	w.Uint(above)
	codec.WriteList(w, in.prefixes, w.Prefix)
	r.h.Send(in.leader, stream.LaneAct, w)
}

// released takes the answer. What came to the giver after the pull is pulled now.
func (in *inbound) released(from crawl.PeerID, rel message.Release) {
	if rel.ID != in.id || from != in.leader || in.given != nil || in.check ||
		slices.ContainsFunc(rel.Given, func(a record.Authority) bool {
			return !covers(in.prefixes, a.Prefix) || in.m.tooFar(a.Prefix, a.Number)
		}) {
		return
	}
	in.given, in.since = &rel, in.m.l.r.h.now()
	in.pull()
}

// take makes the prefixes this shard's, with the leases that live in them. It acts on them when that is committed.
func (in *inbound) take() {
	l := in.m.l
	for _, x := range in.given.Leases {
		if covers(in.prefixes, record.PrefixOf(crawl.KeyOf(x.Domain))) {
			l.learn(x)
		}
	}
	for _, a := range in.given.Given {
		l.propose(record.Op{Kind: record.OpTake, Prefix: a.Prefix, Number: a.Number},
			func(record.Effect) { l.r.note(Note{Kind: Received, Prefix: a.Prefix, Peer: in.leader}) })
	}
	in.end()
}

// whole says that the whole line has what was pulled, when it has. One that is out is not waited for: the line
// of a shard that is not on the ring any more stays as it is, and what it should have is with a follower.
func (in *inbound) whole() {
	l := in.m.l
	line := append(l.r.voters(), l.r.h.Directory.Line(l.r.shard)...)
	for _, p := range line {
		if p == l.r.h.Self || l.r.h.Directory.Out(p) {
			continue
		}
		if n, ok := l.r.h.Streams.Acked(l.r.shard, p); !ok || n < in.n {
			return
		}
	}
	var answer []message.Claim
	for _, p := range in.prefixes {
		answer = append(answer, message.Claim{Prefix: p, State: message.Whole, Marks: in.marks})
	}
	l.r.h.sendClaims(kindAnswer, in.leader, l.r.shard, in.from, answer)
	in.end()
}

// Giver returns the leader of another shard that acts for a domain until it has come to a shard led here, "" if
// that is not under way.
func (h *Host) Giver(r *Replica, d crawl.Domain) (leader crawl.PeerID) {
	if r.lead != nil {
		for _, in := range r.lead.moves.from {
			if !in.check && covers(in.prefixes, record.PrefixOf(crawl.KeyOf(d))) {
				leader = max(leader, in.leader) // the same in each run
			}
		}
	}
	return leader
}
