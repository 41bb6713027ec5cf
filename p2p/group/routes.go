package group

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/stream"
)

// hint is who leads a shard as somebody said.
type hint struct {
	peer  crawl.PeerID
	at    time.Duration
	tries int // members asked without a hint
}

const maxHints = 4096

// routes says which member to ask for a shard.
type routes struct {
	n     *Node
	hints map[stream.Shard]hint
}

// hint takes what a peer says about who leads a shard. In a shard that is kept here only those count that it concerns.
func (r routes) hint(s stream.Shard, by, says crawl.PeerID) {
	if here := r.n.replicas[s]; here != nil && !here.concerns(says) {
		return
	}
	if _, known := r.hints[s]; known || len(r.hints) < maxHints {
		r.hints[s] = hint{by, r.n.now(), r.hints[s].tries}
	}
}

// to returns whom to ask for the leader of a shard: the leader if this member knows it, else the members of its line in
// turn. "" if the shard is nowhere.
func (r routes) to(s stream.Shard) crawl.PeerID {
	if here := r.n.replicas[s]; here != nil {
		if p := here.leader(); p != "" {
			return p
		}
	}
	h := r.hints[s]
	if h.peer != "" && r.n.now()-h.at < 4*r.n.cfg.Times.Beat {
		return h.peer
	}
	line := r.n.cfg.Directory.Line(s)
	if len(line) == 0 {
		return ""
	}
	to := line[h.tries%len(line)]
	h.peer = ""
	if h.tries++; len(r.hints) < maxHints {
		r.hints[s] = h
	}
	return to
}

// send sends a message to whoever leads a shard, as far as this member knows.
func (r routes) send(s stream.Shard, lane stream.Lane, build func(to crawl.PeerID) *codec.Writer) {
	if to := r.to(s); to != "" {
		r.n.peers.send(to, lane, build(to))
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
		w := newMessage(kindLed)
		writeShard(w, s, n.cfg.Self, asker)
		w.Text(string(r.leader()))
		n.peers.send(asker, stream.LaneAct, w)
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
		_, x.member = r.rec.Members[raftID(to)]
	}
	n.sendStatus(r.shard, to, x)
}

func (n *Node) sendStatus(s stream.Shard, to crawl.PeerID, x status) {
	w := newMessage(kindStatus)
	writeShard(w, s, n.cfg.Self, to)
	x.write(w)
	n.peers.send(to, stream.LaneBeat, w)
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
		w := newMessage(kindLed)
		writeShard(w, s, n.cfg.Self, p.id)
		w.Text(string(l))
		n.peers.send(p.id, stream.LaneBeat, w)
	}
	r.heard(p.id, x, p.echoes)
}
