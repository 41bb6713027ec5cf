package group

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
)

// requests answers what fetchers, senders and other shards ask of a leader.
type requests struct{ n *Node }

// holder returns the part that acts for a domain, carefully or not.
func (q requests) holder(d crawl.Domain) *replica {
	n := q.n
	var careful *replica
	for _, s := range n.shards() {
		r := n.replicas[s]
		switch role := r.role(); {
		case !r.holds(d):
		case role == Leader:
			return r
		case role == CarefulLeader:
			careful = r
		}
	}
	return careful
}

// refuse says that this member cannot do what was asked, and who may.
func (q requests) refuse(to crawl.PeerID, id uint64, d crawl.Domain) {
	n := q.n
	var by crawl.PeerID
	for _, s := range n.shards() {
		r := n.replicas[s]
		if a, ok := r.rec.Authorities.Of(crawl.KeyOf(d)); ok && a.Shard != "" {
			if l := n.routes.to(a.Shard); l != n.cfg.Self {
				by = l
			}
		}
	}
	w := newMessage(kindMoved)
	w.Fixed(id)
	w.Text(string(by))
	n.peers.send(to, stream.LaneAct, w)
}

// ask grants a lease of a domain, if it has none.
func (q requests) ask(from crawl.PeerID, id uint64, d crawl.Domain) {
	n := q.n
	r := q.holder(d)
	if r == nil {
		q.refuse(from, id, d)
		return
	}
	gap := n.cfg.Gap(d)
	l := record.Lease{ID: record.LeaseID(n.cfg.Chance()), Domain: d, Fetcher: from, Gap: gap}
	if r.role() == CarefulLeader {
		l.Careful, l.Gap = true, carefulPace*gap
	}
	l.Left = record.Longer(n.cfg.Times.Lease) + l.Gap
	if r.leases.Of(d, n.now()) > 0 {
		q.refuse(from, id, d)
		return
	}
	if l.Careful {
		r.leases.Add(l, n.now())
		q.grant(r, from, id, l)
		return
	}
	lead := r.lead
	if lead.granting[d] || lead.handing != nil || !lead.propose(record.Op{Kind: record.OpGrant, Lease: l}, func(e record.Effect) {
		delete(lead.granting, d)
		if !e.Done {
			q.refuse(from, id, d)
			return
		}
		q.grant(r, from, id, l)
	}) {
		q.refuse(from, id, d)
		return
	}
	lead.granting[d] = true
}

func (q requests) grant(r *replica, to crawl.PeerID, id uint64, l record.Lease) {
	n := q.n
	a, _ := r.rec.Authorities.Of(crawl.KeyOf(l.Domain))
	r.note(Note{Kind: Granted, Peer: to, Domain: l.Domain, Number: a.Number, Lease: l.ID, Text: map[bool]string{true: "careful"}[l.Careful]})
	l.Left = n.cfg.Times.Lease
	w := newMessage(kindGrant)
	w.Fixed(id)
	l.Write(w)
	n.peers.send(to, stream.LaneBeat, w)
}

// giveBack ends a lease that its fetcher gives back.
func (q requests) giveBack(from crawl.PeerID, id record.LeaseID, d crawl.Domain) {
	n := q.n
	r := q.holder(d)
	if r == nil {
		return
	}
	l, known := r.leases.Get(d, id)
	switch {
	case !known || l.Fetcher != from:
	case r.lead != nil:
		r.lead.propose(record.Op{Kind: record.OpEnd, Lease: l}, nil)
	default:
		r.leases.End(l, n.now())
	}
}

// put takes items of a domain. They are acknowledged when a follower has them, too.
func (q requests) put(from crawl.PeerID, id uint64, d crawl.Domain, items []stream.Item) {
	n := q.n
	r := q.holder(d)
	switch {
	case r == nil || r.lead != nil && r.lead.handing != nil:
		q.refuse(from, id, d)
		return
	case r.lead == nil:
		n.streams.Put(r.shard, items, nil) // taken, not acknowledged
		q.refuse(from, id, d)
		return
	}
	lead := r.lead
	n.streams.Put(r.shard, items, func(number uint64) {
		if r.lead != lead || !r.holds(d) {
			if r.lead == lead {
				lead.moves.merged(d) // it was released meanwhile: what came goes there, too
			}
			return
		}
		lead.whenCounted(number, func() {
			r.note(Note{Kind: Stored, Peer: from, Domain: d, Number: number})
			w := newMessage(kindStored)
			w.Fixed(id)
			n.peers.send(from, stream.LaneAct, w)
		})
	})
}

// hand takes leases that a member granted while it had no majority.
func (q requests) hand(from crawl.PeerID, s stream.Shard, list []record.Lease) {
	n := q.n
	l := n.actingFor(s, from)
	if l == nil {
		return
	}
	for _, x := range list {
		l.learn(x)
	}
}

// claims takes what the leader of another shard tells, or answers.
func (q requests) claims(k kind, from crawl.PeerID, of, to stream.Shard, list []claim) {
	n := q.n
	l := n.actingFor(to, from)
	if l == nil {
		return
	}
	n.routes.hint(of, from, from)
	if k == kindTell {
		l.moves.told(from, of, list)
	} else {
		l.moves.answered(of, list)
	}
}

// answer answers another shard's leader.
func (n *Node) answer(to crawl.PeerID, of, shard stream.Shard, list []claim) {
	n.peers.send(to, stream.LaneAct, n.claims(kindAnswer, of, shard, to, list))
}
