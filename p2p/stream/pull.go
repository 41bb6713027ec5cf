package stream

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
)

// Pull says what to ask of another store.
type Pull struct {
	Shard Shard        // whose items
	From  crawl.PeerID // the answerer
	// Into is the shard that takes the items, which this node must lead: everything that arrives is stamped in its run.
	// If it is Shard itself, or empty, the node need not lead, and the marks of the answerer are adopted at the end.
	Into Shard
	// Prefixes limits a pull into another shard to the domains in them. None means everything.
	Prefixes []ring.Prefix
	// Marks say what a pull into another shard leaves out. Otherwise it is what this store's marks have.
	Marks Marks
	// Term, if not zero, must be known to the answerer, or a later one, before it answers.
	Term Term
	// Done may be nil. It is called once, from Committed, after everything is durable.
	Done func(Pulled)
}

// Pulled is what a pull found.
type Pulled struct {
	Marks Marks  // of the answerer at the beginning of the pull
	Extra []byte // from the answerer's Group
	N     uint64 // the number of Into's run that covers what was taken, if this node leads Into
}

// pull asks one store for its items, chunk by chunk.
type pull struct {
	Pull
	alive func() bool // nil: until it is cancelled
	ask   ask         // for the next chunk. Its ID is drawn whenever the pull begins
	start uint64      // of the answerer of the first chunk
	first Marks       // of the first chunk
	due   bool        // the request is to be sent
	asked time.Duration
	pace          // of the answers
	got   *answer // waits for the store
}

// restart begins from the first chunk, under another ID.
func (p *pull) restart(id uint64) {
	p.ask = ask{shard: p.Shard, id: id, term: p.Term, prefixes: p.Prefixes, marks: p.Marks}
	p.due = true
}

func (p *pull) dead() bool { return p.alive != nil && !p.alive() }

// Pull asks another store until it has everything, or is cancelled. There is one pull per (Shard, From, Into): a second
// cancels the first.
func (s *Streams) Pull(p Pull) (cancel func()) { return s.startPull(p, nil) }

// startPull begins a pull, in the place of the one that goes on. If alive is not nil, the pull goes on as long
// as it reports true, and does not begin if there is one already.
func (s *Streams) startPull(p Pull, alive func() bool) (cancel func()) {
	p.Into = cmp.Or(p.Into, p.Shard)
	q := &pull{Pull: p, alive: alive}
	same := func(o *pull) bool { return o.Shard == p.Shard && o.From == p.From && o.Into == p.Into }
	if i := slices.IndexFunc(s.pulls, same); i >= 0 {
		if alive != nil && !s.pulls[i].dead() {
			return nil
		}
		s.endPull(s.pulls[i])
	}
	q.restart(s.cfg.Chance())
	s.pulls = append(s.pulls, q)
	s.due = true
	if p.Into == p.Shard {
		s.member(p.Shard)
	}
	return func() { s.endPull(q) }
}

// endPull reports whether the pull was going on.
func (s *Streams) endPull(p *pull) bool {
	i := slices.Index(s.pulls, p)
	if i >= 0 {
		s.pulls = slices.Delete(s.pulls, i, i+1)
	}
	return i >= 0
}

// askChunks sends the requests that are due, or were not answered.
func (s *Streams) askChunks(now time.Duration) {
	s.pulls = slices.DeleteFunc(s.pulls, (*pull).dead)
	for _, p := range s.pulls {
		if p.got != nil || !p.due && now-p.asked < p.patience(s.cfg.Retry) {
			continue
		}
		if !p.due {
			p.late()
		}
		p.due, p.asked, p.ask.room = false, now, uint64(p.room())
		if p.Into == p.Shard {
			p.ask.prefixes, p.ask.marks = nil, s.marks[p.Shard]
		}
		s.cfg.Send(p.From, LanePull, encode(&p.ask))
	}
}

// heardAnswer takes a chunk if it is the one that is asked for. An answer that another start of the answerer continues
// makes the pull begin again: what that start has in store may be older.
func (s *Streams) heardAnswer(from crawl.PeerID, a *answer) error {
	i := slices.IndexFunc(s.pulls, func(p *pull) bool {
		return p.Shard == a.shard && p.From == from && p.ask.id == a.id && p.ask.chunk == a.chunk && p.got == nil
	})
	if i < 0 {
		return nil
	}
	switch p := s.pulls[i]; {
	case a.chunk > 0 && a.start != p.start:
		p.restart(s.cfg.Chance())
		s.due = true
	case len(a.next) > 0 && bytes.Compare(a.next, p.ask.cursor) <= 0:
		return fmt.Errorf("pull that goes back: %w", errMalformed)
	default:
		p.got, p.due = a, false
	}
	return nil
}

// pulled stores the chunks that arrived.
func (b *batch) pulled() {
	for _, p := range slices.Clone(b.pulls) {
		if p.got != nil {
			b.chunk(p)
		}
	}
}

// chunk stores one chunk.
func (b *batch) chunk(p *pull) {
	a, moved := p.got, p.Into != p.Shard
	if p.dead() || moved && b.lead[p.Into] == nil {
		b.endPull(p)
		return
	}
	for _, it := range a.items {
		if (!moved || within(p.Prefixes, it.Domain)) && b.merge(p.Into, it.Item, it.stamp, moved) &&
			b.lead[p.Into] != nil {
			b.calls = append(b.calls, func() { b.cfg.Group.Merged(p.Into, it.Domain) })
		}
	}
	if a.chunk == 0 {
		p.first, p.start = a.marks, a.start
	}
	if len(a.next) > 0 {
		p.ask.chunk, p.ask.cursor, p.due, p.got = a.chunk+1, a.next, true, nil
		p.came(b.cfg.Now()-p.asked, b.cfg.Retry)
		return
	}
	if !moved {
		b.adopt(p)
	}
	b.calls = append(b.calls, func() {
		if !b.endPull(p) || p.Done == nil {
			return
		}
		n, _ := b.Number(p.Into)
		p.Done(Pulled{Marks: p.first, Extra: bytes.Clone(a.extra), N: n})
	})
}

// adopt makes the marks of the answerer those of this store. Nobody knows more of a run than the store whose it is.
func (b *batch) adopt(p *pull) {
	m := b.change(p.Shard)
	for _, r := range p.first.runs() {
		st := Stamp{r, p.first[r]}
		if o := b.own[p.Shard]; m.Has(st) || o != nil && o.run == r {
			continue
		}
		m[r] = st.N
		b.note(Note{Kind: Marked, Shard: p.Shard, Run: r, N: st.N, Peer: p.From})
	}
}
