package stream

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

// pullKey is what there is one pull of at a time.
type pullKey struct {
	shard Shard
	from  crawl.PeerID
	into  Shard
}

// pull asks one store for its items, chunk by chunk.
type pull struct {
	Pull
	internal bool   // streams began it
	id       uint64 // drawn whenever it begins
	chunk    uint64 // the number of the chunk that is asked for
	cursor   []byte // where that begins
	start    uint64 // of the answerer of the first chunk
	first    Marks  // of the first chunk
	due      bool   // the request is to be sent
	asked    time.Duration
	got      *answer // waits for the store
}

func (p *pull) key() pullKey { return pullKey{p.Shard, p.From, p.Into} }

// restart begins from the first chunk, under another ID.
func (p *pull) restart(id uint64) {
	p.id, p.chunk, p.cursor, p.first, p.due, p.got = id, 0, nil, nil, true, nil
}

// Pull asks another store until it has everything, or is cancelled. There is one pull per (Shard, From, Into): a second
// cancels the first.
func (s *Streams) Pull(p Pull) (cancel func()) {
	return s.startPull(p).cancel(s)
}

func (s *Streams) startPull(p Pull) *pull {
	if p.Into == "" {
		p.Into = p.Shard
	}
	q := &pull{Pull: p}
	q.Prefixes = slices.Clone(p.Prefixes)
	q.restart(s.cfg.Chance())
	s.pulls[q.key()] = q
	s.due = true
	if p.Into == p.Shard {
		s.member(p.Shard)
	}
	return q
}

// cancel returns the function that ends the pull.
func (p *pull) cancel(s *Streams) func() {
	return func() {
		if s.pulls[p.key()] == p {
			delete(s.pulls, p.key())
		}
	}
}

// pulls are those that go on.
type pulls map[pullKey]*pull

// keys returns their keys in a fixed order.
func (p pulls) keys() []pullKey {
	return slices.SortedFunc(maps.Keys(p), func(x, y pullKey) int {
		return cmp.Or(cmp.Compare(x.shard, y.shard), cmp.Compare(x.from, y.from), cmp.Compare(x.into, y.into))
	})
}

// askChunks sends the requests that are due.
func (s *Streams) askChunks() {
	for _, k := range s.pulls.keys() {
		p := s.pulls[k]
		if !p.due {
			continue
		}
		p.due, p.asked = false, s.cfg.Now()
		marks := p.Marks
		if marks == nil && p.Into == p.Shard {
			marks = s.marks[p.Shard]
		}
		s.cfg.Send(p.From, LanePull, encode(&ask{shard: p.Shard, id: p.id, chunk: p.chunk, term: p.Term, cursor: p.cursor,
			prefixes: p.Prefixes, marks: marks}))
	}
}

// tickPulls asks again for chunks that did not come, and ends pulls from leaders that lead no more.
func (s *Streams) tickPulls(now time.Duration) {
	for k, p := range s.pulls {
		if f := s.follow[k.shard]; p.internal && f != nil && f.from == k.from && !s.cfg.Group.Accepts(k.shard, f.from, f.term) {
			delete(s.pulls, k)
			continue
		}
		if p.got == nil && !p.due && now-p.asked >= s.cfg.Retry {
			p.due = true
		}
	}
}

// heardAnswer takes a chunk if it is the one that is asked for. An answer that another start of the answerer continues
// makes the pull begin again: what that start has in store may be older.
func (s *Streams) heardAnswer(from crawl.PeerID, a *answer) error {
	for k, p := range s.pulls {
		if k.shard != a.shard || k.from != from || p.id != a.id || p.chunk != a.chunk || p.got != nil {
			continue
		}
		if a.chunk > 0 && a.start != p.start {
			p.restart(s.cfg.Chance())
			s.due = true
			return nil
		}
		if len(a.next) > 0 && bytes.Compare(a.next, p.cursor) <= 0 {
			return fmt.Errorf("pull that goes back: %w", errMalformed)
		}
		p.got, p.due = a, false
		return nil
	}
	return nil
}

// pulled stores the chunks that arrived.
func (b *batch) pulled() error {
	for _, k := range b.s.pulls.keys() {
		if p := b.s.pulls[k]; p.got != nil {
			if err := b.chunk(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// chunk stores one chunk.
func (b *batch) chunk(p *pull) error {
	a, nm := p.got, b.numbers(p.Into)
	moved := p.Into != p.Shard
	if moved && nm == nil {
		b.after = append(b.after, p.cancel(b.s))
		return nil
	}
	for _, it := range a.items {
		if !within(p.Prefixes, it.Domain) {
			continue
		}
		if nm == nil {
			if err := b.take(p.Into, it); err != nil {
				return err
			}
			continue
		}
		changed, err := b.commit(nm, it.Item, moved)
		if err != nil {
			return err
		}
		if changed {
			b.changed(p.Into, it.Domain)
		}
	}
	first := p.first
	if a.chunk == 0 {
		first = a.marks
	}
	if len(a.next) == 0 {
		b.pullEnds(p, first)
		return nil
	}
	b.after = append(b.after, func() {
		if p.got == a {
			p.first, p.start, p.got = first, a.start, nil
			p.chunk, p.cursor, p.due = a.chunk+1, a.next, true
		}
	})
	return nil
}

// pullEnds adopts the marks of the answerer, if this node asked for all that they speak of.
func (b *batch) pullEnds(p *pull, first Marks) {
	a := p.got
	own := b.view(p.Shard)
	if p.Into == p.Shard && p.Prefixes == nil && (p.Marks == nil || own.Covers(p.Marks)) {
		l := b.s.lead[p.Shard]
		for _, r := range first.runs() {
			st := Stamp{r, first[r]}
			if own.Has(st) || l != nil && l.run == r || b.isAlone(p.Shard, r) {
				continue // nobody knows more of a run than its own store
			}
			b.change(p.Shard).raise(st)
			b.note(Note{Kind: Marked, Shard: p.Shard, Run: r, N: st.N, Peer: p.From})
		}
	}
	b.calls = append(b.calls, func() {
		if b.s.pulls[p.key()] != p || p.got != a {
			return
		}
		delete(b.s.pulls, p.key())
		if p.Done == nil {
			return
		}
		done := Pulled{Marks: first.clone(), Extra: bytes.Clone(a.extra)}
		if l := b.s.lead[p.Into]; l != nil {
			done.N = l.n
		}
		p.Done(done)
	})
}

// changed calls the group back, once for neighbours in the order of items.
func (b *batch) changed(s Shard, d crawl.Domain) {
	at := domainOf{s, d}
	if b.merged == at {
		return
	}
	b.merged = at
	b.calls = append(b.calls, func() { b.s.cfg.Group.Merged(s, d) })
}
