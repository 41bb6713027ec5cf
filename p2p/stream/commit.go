package stream

import (
	"fmt"
	"maps"
	"slices"

	"github.com/forage-net/forage/crawl"
)

// Receive takes a message of a peer, which must not be changed afterwards. An error means that it is malformed,
// which is the peer's fault. Messages that nobody waits for are ignored.
func (s *Streams) Receive(from crawl.PeerID, message []byte) error {
	m, err := parse(message)
	if err != nil {
		return fmt.Errorf("message of streams: %w", err)
	}
	switch m := m.(type) {
	case *commit:
		s.heardCommit(from, m, len(message))
	case *ack:
		if l := s.lead[m.shard]; l != nil {
			l.heard(from, m, s.cfg.Now(), s.cfg.Retry)
			s.due = true
		}
	case *ask:
		s.asks = s.asks.add(asked{from, m, s.cfg.Now()})
	case *answer:
		return s.heardAnswer(from, m)
	case *spare:
		s.heardSpare(from, m)
	}
	return nil
}

// Waits reports what there is for Commit or Committed: whether others wait for something, whether that needs a
// transaction that writes, and whether there are items, which gain by waiting for more.
func (s *Streams) Waits() (now, writes, items bool) {
	writes = slices.ContainsFunc(s.pulls, func(p *pull) bool { return p.got != nil })
	for _, l := range s.lead {
		writes = writes || !l.begun
	}
	items = len(s.puts) > 0 || len(s.drops) > 0 || len(s.stale) > 0
	for _, f := range s.follow {
		items = items || len(f.waiting) > 0
	}
	now = writes || s.due || slices.ContainsFunc(s.asks, func(q asked) bool { return q.ready(s.cfg.Group) })
	return now, writes, items
}

// Commit does what others wait for and, if items is set, everything else that waits, in the one order that a
// transaction needs: what is read last sees all that was written. If the transaction is durable, the caller calls
// Committed next. Otherwise Streams has to be opened again.
func (s *Streams) Commit(tx Tx, items bool) error {
	b := &batch{Streams: s, store: store{tx: tx}, came: make(map[string]*summary), dirty: make(map[Shard]bool)}
	for shard, l := range s.lead {
		if !l.begun {
			b.change(shard)[l.run], l.begun = 0, true
		}
	}
	if items {
		b.commits()
	}
	b.pulled()
	b.tell()
	if items {
		b.merges()
	}
	for _, shard := range slices.Sorted(maps.Keys(s.own)) {
		b.seal(shard, s.own[shard])
	}
	if items {
		b.drop()
		b.forget()
	}
	b.tell()
	b.flushMarks()
	b.answers()
	if b.err != nil {
		return fmt.Errorf("commit streams: %w", b.err)
	}
	s.work = b
	return nil
}

// merges merges what was put.
func (b *batch) merges() {
	for _, p := range b.puts {
		for _, made := range p.items {
			items, err := made(b.tx)
			b.fail(err)
			for _, it := range items {
				if isValid(it) {
					b.merge(p.shard, it, Stamp{}, false)
				}
			}
			b.tell()
		}
		if l := b.lead[p.shard]; l != nil && p.stored != nil {
			n := l.n
			b.calls = append(b.calls, func() {
				if b.lead[p.shard] == l { // an earlier callback may have resigned
					p.stored(n)
				}
			})
		}
	}
	b.puts = nil
}

// Committed makes known what the last Commit did, sends and calls back. Callbacks may call Streams, but not Committed.
func (s *Streams) Committed() {
	if b := s.work; b != nil {
		s.work = nil
		for _, n := range b.notes {
			s.cfg.Note(n)
		}
		for _, f := range b.calls {
			f()
		}
	}
	s.due = false
	s.Tick()
}

// Tick sends what may leave, and again what was not answered: all of it speaks of what is durable. It is to be called
// several times within Retry.
func (s *Streams) Tick() {
	now := s.cfg.Now()
	s.asks = slices.DeleteFunc(s.asks, func(q asked) bool { return q.at < now-4*s.cfg.Retry }) // they were sent again
	s.acknowledge()
	for _, shard := range slices.Sorted(maps.Keys(s.lead)) {
		l := s.lead[shard]
		l.log.trim(l.lacks())
		for _, p := range slices.Sorted(maps.Keys(l.to)) {
			if l.begun {
				l.send(l.to[p], now, s.cfg.Retry, func(m []byte) { s.cfg.Send(p, LaneStream, m) })
				s.pullBack(l, p)
			}
		}
	}
	s.askChunks(now)
}

// pullBack pulls from a follower whose marks hold something that this leader has not seen.
func (s *Streams) pullBack(l *leading, p crawl.PeerID) {
	se := l.to[p]
	if se.lacks == 0 || se.sum == se.covered {
		return
	}
	if se.sum == s.marks[l.shard].short(l.run) {
		se.covered = se.sum
		return
	}
	s.startPull(Pull{Shard: l.shard, From: p, Done: func(done Pulled) {
		se.covered = done.Marks.short(l.run)
		se.sum = se.covered
	}}, func() bool { return s.lead[l.shard] == l && l.to[p] == se })
}
