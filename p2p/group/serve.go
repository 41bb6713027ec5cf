package group

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

// hint is who leads a shard as somebody said.
type hint struct {
	peer  crawl.PeerID
	at    time.Duration
	tries int // members asked without a hint
}

const maxHints = 4096

// hint takes what a member says about who leads a shard.
func (n *Node) hint(s stream.Shard, by crawl.PeerID) {
	if _, known := n.hints[s]; known || len(n.hints) < maxHints {
		n.hints[s] = hint{by, n.now(), n.hints[s].tries}
	}
}

// route returns whom to ask for the leader of a shard: the leader if this member knows it, else the members of its line in
// turn. "" if the shard is nowhere.
func (n *Node) route(s stream.Shard) crawl.PeerID {
	if r := n.replicas[s]; r != nil {
		if p := r.leader(); p != "" {
			return p
		}
	}
	h := n.hints[s]
	if h.peer != "" && n.now()-h.at < 4*n.cfg.Times.Beat {
		return h.peer
	}
	line := n.cfg.Directory.Line(s)
	if len(line) == 0 {
		return ""
	}
	to := line[h.tries%len(line)]
	h.peer = ""
	if h.tries++; len(n.hints) < maxHints {
		n.hints[s] = h
	}
	return to
}

// toLeader sends a message to whoever leads a shard, as far as this member knows.
func (n *Node) toLeader(s stream.Shard, lane stream.Lane, build func(to crawl.PeerID) *writer) {
	if to := n.route(s); to != "" {
		n.send(to, lane, build(to))
	}
}

// invited returns the part in a shard that this member has or may get: its roster must see it in the line.
func (n *Node) invited(s stream.Shard) *replica {
	if r := n.replicas[s]; r != nil {
		return r
	}
	for _, p := range n.cfg.Directory.Line(s) {
		if p == n.cfg.Self {
			n.replicas[s] = n.newReplica(s, 0)
			return n.replicas[s]
		}
	}
	return nil
}

// actingFor returns the leading of a shard if this member acts for it. Else it tells the asker who leads.
func (n *Node) actingFor(s stream.Shard, asker crawl.PeerID) *leading {
	r := n.replicas[s]
	if r != nil && r.lead != nil && r.lead.acts {
		return r.lead
	}
	if r != nil && r.leader() != "" && r.leader() != n.cfg.Self {
		w := n.message(kindLed)
		w.shard(s, n.cfg.Self, asker)
		w.Text(string(r.leader()))
		n.send(asker, stream.LaneAct, w)
	}
	return nil
}

// ---- status ------------------------------------------------------------------

// tellStatus tells a member how far a shard is here, and asks it for the same if ask is set.
func (n *Node) tellStatus(r *replica, to crawl.PeerID, ask bool) {
	x := status{founding: r.founding, none: r.log == nil, ask: ask, leads: r.lead != nil}
	if r.log != nil {
		x.term = r.log.term()
		x.lastTerm, x.lastIndex = r.log.last()
		_, x.member = r.rec.members[raftID(to)]
	}
	n.sendStatus(r.shard, to, x)
}

func (n *Node) sendStatus(s stream.Shard, to crawl.PeerID, x status) {
	w := n.message(kindStatus)
	w.shard(s, n.cfg.Self, to)
	w.status(x)
	n.send(to, stream.LaneBeat, w)
}

func (n *Node) heardStatus(p *peer, s stream.Shard, x status) {
	r := n.replicas[s]
	if r == nil {
		if x.ask {
			n.sendStatus(s, p.id, status{none: true})
		}
		return
	}
	if x.ask {
		n.tellStatus(r, p.id, false)
	}
	if l := r.leader(); x.ask && l != "" && l != n.cfg.Self && l != p.id {
		w := n.message(kindLed)
		w.shard(s, n.cfg.Self, p.id)
		w.Text(string(l))
		n.send(p.id, stream.LaneBeat, w)
	}
	r.heard(p.id, x, p.echoes)
}

// ---- requests ------------------------------------------------------------------

// holder returns the part that acts for a domain, carefully or not.
func (n *Node) holder(d crawl.Domain) *replica {
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
func (n *Node) refuse(to crawl.PeerID, id uint64, d crawl.Domain) {
	var by crawl.PeerID
	for _, s := range n.shards() {
		r := n.replicas[s]
		if a, ok := r.rec.auth.of(crawl.KeyOf(d)); ok && a.Shard != "" {
			if l := n.route(a.Shard); l != n.cfg.Self {
				by = l
			}
		}
	}
	w := n.message(kindMoved)
	w.Fixed(id)
	w.Text(string(by))
	n.send(to, stream.LaneAct, w)
}

// serveAsk grants a lease of a domain, if it has none.
func (n *Node) serveAsk(from crawl.PeerID, id uint64, d crawl.Domain) {
	r := n.holder(d)
	if r == nil {
		n.refuse(from, id, d)
		return
	}
	gap := n.cfg.Gap(d)
	l := lease{ID: LeaseID(n.cfg.Chance()), Domain: d, Fetcher: from, Gap: gap}
	if r.role() == CarefulLeader {
		l.Careful, l.Gap = true, carefulPace*gap
	}
	l.Left = longer(n.cfg.Times.Lease) + l.Gap
	if r.leases.of(d, n.now()) > 0 {
		n.refuse(from, id, d)
		return
	}
	if l.Careful {
		r.leases.add(l, n.now())
		n.grant(r, from, id, l)
		return
	}
	lead := r.lead
	if lead.granting[d] || lead.handing != nil || !lead.propose(op{Kind: opGrant, Lease: l}, func(e effect) {
		delete(lead.granting, d)
		if !e.done {
			n.refuse(from, id, d)
			return
		}
		n.grant(r, from, id, l)
	}) {
		n.refuse(from, id, d)
		return
	}
	lead.granting[d] = true
}

func (n *Node) grant(r *replica, to crawl.PeerID, id uint64, l lease) {
	a, _ := r.rec.auth.of(crawl.KeyOf(l.Domain))
	r.note(Note{Kind: Granted, Peer: to, Domain: l.Domain, Number: a.Number, Lease: l.ID, Text: map[bool]string{true: "careful"}[l.Careful]})
	l.Left = n.cfg.Times.Lease
	w := n.message(kindGrant)
	w.Fixed(id)
	w.lease(l)
	n.send(to, stream.LaneBeat, w)
}

// serveReturn ends a lease that its fetcher gives back.
func (n *Node) serveReturn(from crawl.PeerID, id LeaseID, d crawl.Domain) {
	r := n.holder(d)
	if r == nil {
		return
	}
	for _, c := range r.leases.byDomain[d] {
		if c.ID != id || c.Fetcher != from {
			continue
		}
		if r.lead != nil {
			r.lead.propose(op{Kind: opEnd, Lease: c.lease}, nil)
		} else {
			r.leases.end(c.lease, n.now())
		}
		return
	}
}

// servePut takes items of a domain. They are acknowledged when a follower has them, too.
func (n *Node) servePut(from crawl.PeerID, id uint64, d crawl.Domain, items []stream.Item) {
	r := n.holder(d)
	switch {
	case r == nil || r.lead != nil && r.lead.handing != nil:
		n.refuse(from, id, d)
		return
	case r.lead == nil:
		n.streams.Put(r.shard, items, nil) // taken, not acknowledged
		n.refuse(from, id, d)
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
			w := n.message(kindStored)
			w.Fixed(id)
			n.send(from, stream.LaneAct, w)
		})
	})
}

// serveHand takes leases that a member granted while it had no majority.
func (n *Node) serveHand(from crawl.PeerID, s stream.Shard, list []lease) {
	l := n.actingFor(s, from)
	if l == nil {
		return
	}
	for _, x := range list {
		l.learn(x)
	}
}

// serveClaims takes what the leader of another shard tells, or answers.
func (n *Node) serveClaims(k kind, from crawl.PeerID, of, to stream.Shard, list []claim) {
	l := n.actingFor(to, from)
	if l == nil {
		return
	}
	n.hint(of, from)
	if k == kindTell {
		l.moves.told(from, of, list)
	} else {
		l.moves.answered(of, list)
	}
}

// answer answers another shard's leader.
func (n *Node) answer(to crawl.PeerID, of, shard stream.Shard, list []claim) {
	n.send(to, stream.LaneAct, n.claims(kindAnswer, of, shard, to, list))
}

// ---- what streams ask ------------------------------------------------------------

// Accepts implements stream.Group.
func (n *Node) Accepts(s stream.Shard, from crawl.PeerID, t stream.Term) bool {
	r := n.replicas[s]
	return r != nil && r.log != nil && r.term() == t && r.leader() == from
}

// Current implements stream.Group.
func (n *Node) Current(s stream.Shard, t stream.Term) bool {
	r := n.replicas[s]
	if r == nil || r.log == nil {
		return true // it promised nothing
	}
	return r.term().Compare(t) >= 0
}

// Trusts implements stream.Group.
func (n *Node) Trusts(s stream.Shard) bool {
	r := n.replicas[s]
	return r == nil || r.trusted(n.now())
}

// Extra implements stream.Group.
func (n *Node) Extra(s stream.Shard) []byte {
	w := &writer{}
	if r := n.replicas[s]; r != nil {
		w.leases(r.leases.told(n.now(), nil))
	} else {
		w.leases(nil)
	}
	return w.B
}

// Merged implements stream.Group.
func (n *Node) Merged(s stream.Shard, d crawl.Domain) {
	if r := n.replicas[s]; r != nil && r.lead != nil {
		r.lead.moves.merged(d)
	}
}
