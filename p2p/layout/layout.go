// Package layout says where things should be: which members keep a shard, and which keys it should hold. It computes
// that from the list of members alone, so those that know the same members say the same. It never says who may act.
package layout

import (
	"slices"
	"sync"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

const (
	// lineLength is how many members keep a shard.
	lineLength = 3
	// relays is how many more may pass on what two of the line cannot send each other.
	relays = 2
)

// maxParts bounds the prefixes whose parts are kept. A record holds about a hundred.
const maxParts = 4096

// Layout is a ring and what was computed from it. It never changes, and may be used by any number of goroutines. Slices
// that it returns are the caller's.
type Layout struct {
	ring *ring.Ring

	mu     sync.Mutex
	groups map[stream.Shard][]crawl.PeerID
	parts  map[ring.Prefix][]shard.Part
	own    map[stream.Shard][]ring.Prefix // nil until somebody asks
}

// New returns the layout of the members that count, in any order, as ring.New takes them.
func New(members []ring.Member) *Layout {
	return &Layout{ring: ring.New(members), groups: make(map[stream.Shard][]crawl.PeerID),
		parts: make(map[ring.Prefix][]shard.Part)}
}

// Ring returns the ring.
func (l *Layout) Ring() *ring.Ring { return l.ring }

// Line returns the home of a shard and the two members with the nearest anchors, one that shares a network with another
// only if there are no others. nil: the shard is not on the ring.
func (l *Layout) Line(s stream.Shard) []crawl.PeerID {
	group := l.group(s)
	return slices.Clone(group[:min(len(group), lineLength)])
}

// Relays returns the next two members after the line of a shard, chosen by the same rule.
func (l *Layout) Relays(s stream.Shard) []crawl.PeerID {
	group := l.group(s)
	return slices.Clone(group[min(len(group), lineLength):])
}

// group returns the line of a shard and its relays. It is not to be changed.
func (l *Layout) group(s stream.Shard) []crawl.PeerID {
	l.mu.Lock()
	defer l.mu.Unlock()
	group, known := l.groups[s]
	if !known {
		for _, id := range l.ring.Group(ring.Unit{Member: string(s.Home()), Number: s.Unit()}, lineLength+relays) {
			group = append(group, crawl.PeerID(id))
		}
		if group != nil { // others would be without number
			l.groups[s] = group
		}
	}
	return group
}

// Parts cuts a prefix by home, in the order of keys.
func (l *Layout) Parts(p ring.Prefix) []shard.Part {
	if p.Len >= l.ring.Grain() {
		return shardParts(l.ring.Parts(p)) // one, and quick to find
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	parts, known := l.parts[p]
	if !known {
		parts = shardParts(l.ring.Parts(p))
		if len(l.parts) >= maxParts {
			clear(l.parts)
		}
		l.parts[p] = parts
	}
	return slices.Clone(parts)
}

func shardParts(list []ring.Part) []shard.Part {
	var parts []shard.Part
	for _, x := range list {
		parts = append(parts, shard.Part{Prefix: x.Prefix, Shard: shardOf(x.Unit)})
	}
	return parts
}

func shardOf(u ring.Unit) stream.Shard { return stream.ShardOf(crawl.PeerID(u.Member), u.Number) }

// Own returns the prefixes of which a shard should hold every key, in their order.
func (l *Layout) Own(s stream.Shard) []ring.Prefix {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.own == nil {
		l.own = make(map[stream.Shard][]ring.Prefix)
		for _, p := range l.ring.Parts(ring.Prefix{}) {
			l.own[shardOf(p.Unit)] = append(l.own[shardOf(p.Unit)], p.Prefix)
		}
	}
	return slices.Clone(l.own[s])
}

// Of returns the shards that a member is the home of.
func (l *Layout) Of(p crawl.PeerID) []stream.Shard {
	var own []stream.Shard
	for u := range l.ring.Units(string(p)) {
		own = append(own, stream.ShardOf(p, u))
	}
	return own
}

// Shards returns all shards on the ring, in the order of their homes.
func (l *Layout) Shards() []stream.Shard {
	var all []stream.Shard
	for _, m := range l.ring.Members() {
		all = append(all, l.Of(crawl.PeerID(m.ID))...)
	}
	return all
}

// Home returns the shard that a domain should be in; false if nobody is on the ring.
func (l *Layout) Home(d crawl.Domain) (stream.Shard, bool) {
	u, ok := l.ring.Owner(crawl.KeyOf(d))
	return shardOf(u), ok
}
