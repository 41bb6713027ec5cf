package stream

import (
	"cmp"
	"maps"
	"slices"

	"github.com/forage-net/forage/crawl"
)

// inboxBytes bounds the commits of a shard that wait for the store. The leader sends what is dropped again.
const inboxBytes = 1 << 20

// following is the leader that this node follows in a shard.
type following struct {
	from    crawl.PeerID
	term    Term
	run     Run
	owes    bool // an acknowledgement
	waiting []*commit
	size    int // of those
}

// heardCommit takes a commit or a head from a leader that this node accepts.
func (s *Streams) heardCommit(from crawl.PeerID, c *commit, size int) {
	if s.lead[c.shard] != nil || !s.cfg.Group.Accepts(c.shard, from, c.term) {
		return
	}
	f := s.follow[c.shard]
	if f == nil || f.from != from || f.term != c.term || f.run != c.run {
		f = &following{from: from, term: c.term, run: c.run}
		s.follow[c.shard] = f
	}
	s.member(c.shard)
	if c.isHead() {
		f.owes, s.due = true, true
		if n, ok := s.marks[c.shard][c.run]; !ok || n+1 < c.first {
			s.startPull(Pull{Shard: c.shard, From: from, Term: c.term, Done: func(Pulled) { f.owes = true }},
				func() bool {
					return s.follow[c.shard] == f && s.cfg.Group.Accepts(c.shard, from, c.term)
				})
		}
	} else if f.size+size <= inboxBytes {
		f.waiting, f.size = append(f.waiting, c), f.size+size
	}
}

// commits stores the commits that follow what is there.
func (b *batch) commits() {
	for _, shard := range slices.Sorted(maps.Keys(b.follow)) {
		f := b.follow[shard]
		waiting := f.waiting
		f.waiting, f.size = nil, 0
		if len(waiting) == 0 || !b.cfg.Group.Accepts(shard, f.from, f.term) {
			continue
		}
		slices.SortStableFunc(waiting, func(x, y *commit) int { return cmp.Compare(x.n, y.n) })
		for _, c := range waiting {
			if n, ok := b.marks[shard][f.run]; !ok || c.n != n+1 {
				continue
			}
			for _, it := range c.items {
				b.merge(shard, it, Stamp{f.run, c.n}, false)
			}
			b.change(shard)[f.run] = c.n
		}
		f.owes = true
	}
}

// acknowledge tells leaders what is durable here. A store that is not trusted says at most that it has nothing
// of the run.
func (s *Streams) acknowledge() {
	for _, shard := range slices.Sorted(maps.Keys(s.follow)) {
		f := s.follow[shard]
		n, has := s.marks[shard][f.run]
		owes := f.owes
		f.owes = false
		if !owes || !s.cfg.Group.Accepts(shard, f.from, f.term) || has && !s.cfg.Group.Trusts(shard) {
			continue
		}
		a := &ack{shard: shard, run: f.run, sum: s.marks[shard].short(f.run)}
		if has {
			a.next = n + 1
			s.cfg.Note(Note{Kind: Acked, Shard: shard, Run: f.run, N: n, Peer: f.from})
		}
		s.cfg.Send(f.from, LaneStream, encode(a))
	}
}
