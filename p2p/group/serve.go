package group

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// requests answers what fetchers and senders ask of a leader.
type requests struct{ n *Node }

// holder returns the part that acts for a domain, carefully or not.
func (q requests) holder(d crawl.Domain) *shard.Replica {
	var careful *shard.Replica
	for _, s := range q.n.shards() {
		r := q.n.replicas[s]
		switch a, _ := r.Authority(d); {
		case a.Shard != s:
		case r.Role() == shard.Leader:
			return r
		case r.Role() == shard.CarefulLeader:
			careful = r
		}
	}
	return careful
}

// refuse says that this member cannot do what was asked, and who may.
func (q requests) refuse(to crawl.PeerID, id uint64, d crawl.Domain) {
	w := newMessage(kindMoved)
	w.Fixed(id)
	w.Text(string(q.n.Elsewhere(d)))
	q.n.peers.send(to, stream.LaneAct, w)
}

// Elsewhere returns who else acts for a domain by the records that are kept here, "" if they do not say.
func (n *Node) Elsewhere(d crawl.Domain) (by crawl.PeerID) {
	for _, s := range n.shards() {
		if a, ok := n.replicas[s].Authority(d); ok && a.Shard != "" {
			if l := n.routes.to(a.Shard); l != n.cfg.Self {
				by = l
			}
		}
	}
	if by == "" && n.requests.holder(d) == nil {
		by = n.requests.taker(d)
	}
	return by
}

// taker returns who leads the home of a domain or, if this member does, who has the domain until it comes there.
func (q requests) taker(d crawl.Domain) crawl.PeerID {
	n := q.n
	home := n.routes.home(d)
	if l := n.routes.to(home); l != n.cfg.Self {
		return l
	}
	r := n.replicas[home]
	if r == nil {
		return ""
	}
	return n.host.Giver(r, d)
}

// ask grants a lease of a domain, if it has none. A fetcher that asks for what it has did not hear of it: it is
// told, without work and for no time, so that it gives the lease back.
func (q requests) ask(from crawl.PeerID, id uint64, d crawl.Domain) {
	cfg := &q.n.cfg
	r := q.holder(d)
	if r != nil {
		for _, l := range q.n.host.Leases(r, d) {
			if l.Fetcher == from {
				l.Left = 0
				q.grant(from, id, l, nil)
				return
			}
		}
	}
	body := func(record.Lease) []byte { return nil }
	if r != nil && cfg.Lend != nil {
		body = cfg.Lend(from, d)
	}
	if r == nil || body == nil {
		q.refuse(from, id, d)
		return
	}
	r.Grant(from, d, func(l record.Lease, granted bool) {
		if granted {
			q.grant(from, id, l, body(l))
		} else {
			q.refuse(from, id, d)
		}
	})
}

// grant tells a fetcher of its lease.
func (q requests) grant(to crawl.PeerID, id uint64, l record.Lease, body []byte) {
	w := newMessage(kindGrant)
	w.Fixed(id)
	l.Write(w)
	w.Bytes(body)
	q.n.peers.send(to, stream.LaneBeat, w)
}

// giveBack ends a lease that its fetcher gives back.
func (q requests) giveBack(from crawl.PeerID, id crawl.LeaseID, d crawl.Domain) {
	if r := q.holder(d); r != nil {
		r.Return(from, id, d)
	}
}

// sender says what a peer is to a domain.
func (q requests) sender(from crawl.PeerID, d crawl.Domain, r *shard.Replica) Sender {
	s := Sender{ID: from}
	for _, l := range q.n.host.Leases(r, d) {
		s.Holds = s.Holds || l.Fetcher == from
		s.Other = s.Other || l.Fetcher != from
	}
	return s
}

// put takes something about a domain. It is acknowledged when a follower has what became of it, too.
func (q requests) put(from crawl.PeerID, id uint64, d crawl.Domain, body []byte) {
	r := q.holder(d)
	if r == nil || !r.Takes() {
		q.refuse(from, id, d)
		return
	}
	items, ends, ok := q.n.cfg.Take(q.sender(from, d, r), d, body)
	if !ok || !r.Put(from, d, items, func() {
		r.Return(from, ends, d)
		w := newMessage(kindStored)
		w.Fixed(id)
		q.n.peers.send(from, stream.LaneAct, w)
	}) {
		q.refuse(from, id, d)
	}
}

// PutHere is Put where this member acts for a domain carefully: no follower is there that could have it, too.
// done is called with true when what became of it is durable here, or with false by Abandon. false: it does not act so,
// or cannot take it now.
func (n *Node) PutHere(d crawl.Domain, body []byte, done func(stored bool)) bool {
	r := n.requests.holder(d)
	if r == nil || r.Role() != shard.CarefulLeader {
		return false
	}
	items, ends, ok := n.cfg.Take(n.requests.sender(n.cfg.Self, d, r), d, body)
	if ok {
		r.Put(n.cfg.Self, d, items, func() {})
		n.Local(func(stream.Tx) error { return nil }, func(stored bool) {
			if stored {
				r.Return(n.cfg.Self, ends, d)
			}
			done(stored)
		})
	}
	return ok
}
