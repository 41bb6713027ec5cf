package stream

import (
	"cmp"
	"maps"
	"slices"

	"github.com/forage-net/forage/crawl"
)

const (
	// inboxBytes and inboxPeer bound the commits that wait for the store, of all peers and of one. Leaders send what is
	// dropped again.
	inboxBytes = 64 << 20
	inboxPeer  = 4 << 20
	// inboxTake is how much of it one Commit takes.
	inboxTake = 8 << 20
)

// following is the leader that this node follows in a shard.
type following struct {
	from   crawl.PeerID
	term   Term
	run    Run
	owes   bool // an acknowledgement
	behind bool // it is one that asks to go back
}

// inbound is a commit that waits for the store.
type inbound struct {
	from   crawl.PeerID
	commit *commit
	size   int
}

// inbox holds the commits that arrived.
type inbox struct {
	waiting []inbound
	bytes   int
	per     map[crawl.PeerID]int // bytes by sender
}

// add takes a commit, or drops it if there is no room.
func (i *inbox) add(in inbound) {
	if i.bytes+in.size > inboxBytes || i.per[in.from]+in.size > inboxPeer {
		return
	}
	i.waiting = append(i.waiting, in)
	i.bytes += in.size
	i.per[in.from] += in.size
}

// some returns the oldest commits, as many as one transaction takes.
func (i *inbox) some() []inbound {
	n, size := 0, 0
	for n < len(i.waiting) && size < inboxTake {
		size += i.waiting[n].size
		n++
	}
	return i.waiting[:n:n]
}

// remove forgets the oldest n commits.
func (i *inbox) remove(n int) {
	for _, in := range i.waiting[:n] {
		i.bytes -= in.size
		if i.per[in.from] -= in.size; i.per[in.from] == 0 {
			delete(i.per, in.from)
		}
	}
	i.waiting = slices.Clone(i.waiting[n:])
}

// follower returns what this node knows of a leader that it accepts, nil if it does not.
func (s *Streams) follower(shard Shard, from crawl.PeerID, t Term, r Run) *following {
	if s.lead[shard] != nil || !s.cfg.Group.Accepts(shard, from, t) {
		return nil
	}
	f := s.follow[shard]
	if f == nil || f.from != from || f.term != t || f.run != r {
		s.unfollow(shard)
		f = &following{from: from, term: t, run: r}
		s.follow[shard] = f
	}
	s.member(shard)
	return f
}

// unfollow forgets the leader of a shard, and ends the pull from it that the stream began.
func (s *Streams) unfollow(shard Shard) {
	f := s.follow[shard]
	if f == nil {
		return
	}
	delete(s.follow, shard)
	k := pullKey{shard, f.from, shard}
	if p := s.pulls[k]; p != nil && p.internal {
		delete(s.pulls, k)
	}
}

// heardHead learns where a leader stands.
func (s *Streams) heardHead(from crawl.PeerID, h *head) {
	f := s.follower(h.shard, from, h.term, h.run)
	if f == nil {
		return
	}
	s.due = true
	if n, ok := s.marks[h.shard][h.run]; !ok || n+1 < h.first {
		f.owes, f.behind = true, true
		s.catchUp(h.shard, f)
		return
	}
	f.owes = true
}

// catchUp pulls from the leader, unless that goes on already.
func (s *Streams) catchUp(shard Shard, f *following) {
	if s.pulls[pullKey{shard, f.from, shard}] != nil {
		return
	}
	s.startPull(Pull{Shard: shard, From: f.from, Term: f.term, Done: func(Pulled) { f.owes, f.behind = true, false }}).internal = true
}

// commits stores the commits of all followed leaders that wait.
func (b *batch) commits() error {
	waiting := b.s.inbox.some()
	ordered := slices.Clone(waiting)
	slices.SortStableFunc(ordered, func(x, y inbound) int {
		return cmp.Or(cmp.Compare(x.commit.shard, y.commit.shard), cmp.Compare(x.commit.run, y.commit.run),
			cmp.Compare(x.commit.n, y.commit.n))
	})
	for _, in := range ordered {
		if err := b.followed(in); err != nil {
			return err
		}
	}
	b.after = append(b.after, func() { b.s.inbox.remove(len(waiting)) })
	return nil
}

// followed stores a commit if it follows what is there.
func (b *batch) followed(in inbound) error {
	c := in.commit
	f := b.s.follower(c.shard, in.from, c.term, c.run)
	if f == nil {
		return nil
	}
	n, ok := b.view(c.shard)[c.run]
	switch {
	case !ok:
		b.after = append(b.after, func() { b.s.catchUp(c.shard, f) })
		return nil
	case c.n > n+1:
		b.after = append(b.after, func() { f.owes, f.behind = true, true })
		return nil
	case c.n == n+1:
		for _, it := range c.items {
			if err := b.take(c.shard, stamped{it, Stamp{c.run, c.n}}); err != nil {
				return err
			}
		}
		b.change(c.shard)[c.run] = c.n
	}
	b.after = append(b.after, func() { f.owes = true })
	return nil
}

// acknowledge tells leaders what is durable here.
func (s *Streams) acknowledge() {
	for _, shard := range slices.Sorted(maps.Keys(s.follow)) {
		f := s.follow[shard]
		owes, behind := f.owes, f.behind
		f.owes, f.behind = false, false
		if !owes || !s.cfg.Group.Accepts(shard, f.from, f.term) || !behind && !s.cfg.Group.Trusts(shard) {
			continue
		}
		m := s.marks[shard]
		n, has := m[f.run]
		if !has && !behind {
			continue
		}
		a := &ack{shard: shard, run: f.run, behind: behind, sum: m.short(f.run)}
		if has && s.cfg.Group.Trusts(shard) { // else it asks for a pull or a repeat, and acknowledges nothing
			a.next = n + 1
		}
		s.cfg.Send(f.from, LaneStream, encode(a))
		if a.next > 0 {
			s.cfg.note(Note{Kind: Acked, Shard: shard, Run: f.run, N: n, Peer: f.from})
		}
	}
}
