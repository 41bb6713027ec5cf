package stream

import (
	"fmt"
	"maps"
	"slices"

	"github.com/forage-net/forage/crawl"
)

// Receive takes a message of a peer, which must not be changed afterwards. An error means that it is malformed, which is
// the peer's fault. Messages that nobody waits for are ignored.
func (s *Streams) Receive(from crawl.PeerID, message []byte) error {
	m, err := parse(message)
	if err != nil {
		return fmt.Errorf("message of streams: %w", err)
	}
	switch m := m.(type) {
	case *head:
		s.heardHead(from, m)
	case *commit:
		if s.lead[m.shard] == nil && s.cfg.Group.Accepts(m.shard, from, m.term) {
			s.inbox.add(inbound{from, m, len(message)})
		}
	case *ack:
		if l := s.lead[m.shard]; l != nil {
			l.heard(from, m, s.cfg.Now(), s.cfg.Retry)
			s.due = true
		}
	case *ask:
		s.asks.add(&asked{from, m, s.cfg.Now()})
	case *answer:
		return s.heardAnswer(from, m)
	case *offer:
		s.heardOffer(from, m)
	case *covered:
		s.heardCovered(from, m)
	}
	return nil
}

// Tick sends again what was not answered. It is to be called several times within Retry.
func (s *Streams) Tick() {
	now := s.cfg.Now()
	for _, l := range s.lead {
		l.tick(now, s.cfg.Retry)
	}
	s.tickPulls(now)
	s.asks.expire(now - 4*s.cfg.Retry)
	s.send()
}

// Waits reports whether there is work for Commit or Committed, and whether it needs a transaction that writes.
func (s *Streams) Waits() (reads, writes bool) {
	writes = len(s.single) > 0 || len(s.inbox.waiting) > 0 || len(s.drops) > 0
	for _, l := range s.lead {
		writes = writes || !l.begun || len(l.puts) > 0
	}
	for _, p := range s.pulls {
		writes = writes || p.got != nil
	}
	return writes || s.due || len(s.asks.some(s.cfg.Group)) > 0, writes
}

// Commit does everything that waits. After the transaction the caller calls Committed if it is durable, else Failed.
func (s *Streams) Commit(tx Tx) error {
	b := newBatch(s, tx)
	s.work = nil
	if err := b.run(); err != nil {
		return fmt.Errorf("commit streams: %w", err)
	}
	s.work = b
	return nil
}

// run does the work in the one order that a transaction needs: what is read last sees all that was written.
func (b *batch) run() error {
	leads := slices.Sorted(maps.Keys(b.s.lead))
	for _, shard := range leads {
		b.begin(b.s.lead[shard])
	}
	if err := b.commits(); err != nil {
		return err
	}
	if err := b.pulled(); err != nil {
		return err
	}
	for _, shard := range leads {
		if err := b.puts(b.s.lead[shard]); err != nil {
			return err
		}
	}
	if err := b.putAlone(); err != nil {
		return err
	}
	b.finish()
	if err := b.flushCame(); err != nil {
		return err
	}
	if err := b.drop(); err != nil {
		return err
	}
	if err := b.flushMarks(); err != nil {
		return err
	}
	return b.answers()
}

// putAlone stores what careful members took.
func (b *batch) putAlone() error {
	for _, p := range b.s.single {
		nm := b.numbers(p.shard)
		for _, it := range p.items {
			var err error
			if nm != nil {
				_, err = b.commit(nm, it, false)
			} else {
				err = b.stampAlone(p.shard, it)
			}
			if err != nil {
				return err
			}
		}
	}
	taken := len(b.s.single)
	b.after = append(b.after, func() { b.s.single = b.s.single[taken:] })
	return nil
}

// Committed makes known what the last Commit did, sends and calls back. Callbacks may call Streams, but not Committed.
func (s *Streams) Committed() {
	b := s.work
	s.work = nil
	if b != nil {
		b.apply()
	}
	s.send()
}

// apply makes the batch the state in memory.
func (b *batch) apply() {
	s := b.s
	for shard, m := range b.marks {
		if s.marks[shard] = m; len(m) == 0 {
			delete(s.marks, shard)
		}
	}
	for shard, st := range b.alone {
		if s.alone[shard] = st; st.Run == 0 {
			delete(s.alone, shard)
		}
	}
	for _, f := range b.after {
		f()
	}
	for _, n := range b.notes {
		s.cfg.note(n)
	}
	for _, f := range b.calls {
		f()
	}
}

// Failed puts the work of the last Commit back.
func (s *Streams) Failed() { s.work = nil }

// send sends what may leave: all of it speaks of what is durable.
func (s *Streams) send() {
	s.due = false
	s.acknowledge()
	now := s.cfg.Now()
	for _, shard := range slices.Sorted(maps.Keys(s.lead)) {
		l := s.lead[shard]
		for _, p := range slices.Sorted(maps.Keys(l.to)) {
			l.send(l.to[p], now, func(m []byte) { s.cfg.Send(p, LaneStream, m) })
			s.pullBack(l, p)
		}
		s.answerClaims(l)
	}
	s.askChunks()
	s.sendOffers()
}

// pullBack pulls from a follower whose marks hold something that this leader has not seen.
func (s *Streams) pullBack(l *leading, p crawl.PeerID) {
	se := l.to[p]
	if !l.begun || !se.ok || se.pulled && se.sum == se.covered || se.sum == s.marks[l.shard].short(l.run) ||
		s.pulls[pullKey{l.shard, p, l.shard}] != nil {
		return
	}
	s.startPull(Pull{Shard: l.shard, From: p, Done: func(done Pulled) {
		se.covered, se.pulled = done.Marks.short(l.run), true
		se.sum = se.covered
	}}).internal = true
}
