package group

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/record"
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

// hint takes what a peer says about who leads a shard. In a shard that is kept here only those count that it
// concerns, of another only somebody may be named who may speak for it.
func (r routes) hint(s stream.Shard, by, says crawl.PeerID) {
	if here := r.n.replicas[s]; here != nil && !here.Concerns(says) || here == nil && !r.n.host.Speaks(by, s) {
		return
	}
	if _, known := r.hints[s]; known || len(r.hints) < maxHints {
		r.hints[s] = hint{by, r.n.cfg.Clock.Awake(), r.hints[s].tries}
	}
}

// leader returns who leads a shard as far as this member knows, "" if it does not.
func (r routes) leader(s stream.Shard) crawl.PeerID {
	if here := r.n.replicas[s]; here != nil {
		if p := here.Leader(); p != "" {
			return p
		}
	}
	if h := r.hints[s]; r.n.cfg.Clock.Awake()-h.at < 4*r.n.cfg.Times.Beat {
		return h.peer
	}
	return ""
}

// otherLeads reports whether somebody is known to lead the home of a domain, and is not the one that was asked.
func (r routes) otherLeads(d crawl.Domain, asked crawl.PeerID) bool {
	p := r.leader(r.home(d))
	return p != "" && p != asked
}

// to returns the member to ask for the leader of a shard: the leader if this member knows it, else the members of its
// line in turn. "" if the shard is nowhere.
func (r routes) to(s stream.Shard) crawl.PeerID {
	if p := r.leader(s); p != "" {
		return p
	}
	h := r.hints[s]
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

// home returns the shard that a domain should be in, "" if there is none.
func (r routes) home(d crawl.Domain) stream.Shard {
	if parts := r.n.cfg.Directory.Parts(record.PrefixOf(crawl.KeyOf(d))); len(parts) > 0 {
		return parts[0].Shard
	}
	return ""
}
