package group

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
)

// asGroup is what streams ask a Node.
type asGroup struct{ n *Node }

// Accepts implements stream.Group.
func (g asGroup) Accepts(s stream.Shard, from crawl.PeerID, t stream.Term) bool {
	r := g.n.replicas[s]
	return r != nil && r.log != nil && r.term() == t && r.leader() == from
}

// Current implements stream.Group.
func (g asGroup) Current(s stream.Shard, t stream.Term) bool {
	r := g.n.replicas[s]
	if r == nil || r.log == nil {
		return true // it promised nothing
	}
	return r.term().Compare(t) >= 0
}

// Trusts implements stream.Group.
func (g asGroup) Trusts(s stream.Shard) bool {
	r := g.n.replicas[s]
	return r == nil || r.trusted(g.n.now())
}

// Extra implements stream.Group.
func (g asGroup) Extra(s stream.Shard) []byte {
	w := &codec.Writer{}
	if r := g.n.replicas[s]; r != nil {
		record.WriteLeases(w, r.leases.Told(g.n.now(), nil))
	} else {
		record.WriteLeases(w, nil)
	}
	return w.B
}

// Merged implements stream.Group.
func (g asGroup) Merged(s stream.Shard, d crawl.Domain) {
	if r := g.n.replicas[s]; r != nil && r.lead != nil {
		r.lead.moves.merged(d)
	}
}
