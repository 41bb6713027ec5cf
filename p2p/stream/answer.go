package stream

import (
	"bytes"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// maxAsks and maxAsksPeer bound the requests that wait, of all peers and of one. What is dropped is asked again.
	maxAsks     = 64
	maxAsksPeer = 4
	// answerPeers is how many peers one Commit answers: nobody waits long for a transaction.
	answerPeers = 4
	// maxLook bounds the domains and items that are looked at for one chunk.
	maxLook = 20_000
)

// asked is a request for a chunk that waits.
type asked struct {
	from crawl.PeerID
	ask  ask
	at   time.Duration
}

// heardAsk queues a request. It replaces an earlier one of the same pull.
func (s *Streams) heardAsk(from crawl.PeerID, a ask) {
	fresh := &asked{from, a, s.cfg.Now()}
	count := 0
	for i, q := range s.asks {
		if q.from != from {
			continue
		}
		if q.ask.id == a.id && q.ask.shard == a.shard {
			s.asks[i] = fresh
			return
		}
		count++
	}
	if count < maxAsksPeer && len(s.asks) < maxAsks {
		s.asks = append(s.asks, fresh)
	}
}

// answerable returns the requests that the next Commit answers: one each of a few peers.
func (s *Streams) answerable() []*asked {
	var some []*asked
	for _, q := range s.asks {
		taken := slices.ContainsFunc(some, func(o *asked) bool { return o.from == q.from })
		if !taken && (q.ask.term == Term{} || s.cfg.Group.Current(q.ask.shard, q.ask.term)) {
			if some = append(some, q); len(some) == answerPeers {
				break
			}
		}
	}
	return some
}

// tickAsks forgets requests that were sent again in the meantime, or never will be.
func (s *Streams) tickAsks(now time.Duration) {
	s.asks = slices.DeleteFunc(s.asks, func(q *asked) bool { return now-q.at >= 4*s.cfg.Retry })
}

// answers reads chunks for those that wait.
func (b *batch) answers() error {
	for _, q := range b.s.answerable() {
		a, err := b.answer(q.from, q.ask)
		if err != nil {
			return err
		}
		b.after = append(b.after, func() {
			b.s.asks = slices.DeleteFunc(b.s.asks, func(o *asked) bool { return o == q })
		})
		message := a.encode()
		b.calls = append(b.calls, func() { b.s.cfg.Send(q.from, LanePull, message) })
	}
	return nil
}

// answer reads one chunk: the items of all domains that the shard carried whose stamps the asker's marks lack. Domains
// that the shard does not hold, or not any more, are among them, or a copy that only this store has would be lost.
func (b *batch) answer(to crawl.PeerID, q ask) (answer, error) {
	a := answer{shard: q.shard, id: q.id, chunk: q.chunk, start: b.s.start}
	if q.chunk == 0 {
		a.marks = b.view(q.shard)
	}
	from, key, _ := splitItemKey(q.cursor)
	size, looked := 0, 0
	err := scanCame(b.tx, q.shard, from, func(d crawl.Domain, sum *summary) (bool, error) {
		if looked++; looked > maxLook {
			a.next = itemKey(d, "")
			return false, nil
		}
		if sum.coveredBy(q.marks) || !within(q.prefixes, d) {
			return true, nil
		}
		begin := ""
		if d == from {
			begin = key
		}
		err := scanItems(b.tx, d, begin, func(it stamped) bool {
			looked++
			has := q.marks.Has(it.stamp)
			if looked > maxLook || !has && size > 0 && size+it.size()+stampSize > chunkSize {
				a.next = itemKey(d, it.Key)
				return false
			}
			if !has {
				it.Value = bytes.Clone(it.Value)
				a.items = append(a.items, it)
				size += it.size() + stampSize
			}
			return true
		})
		return len(a.next) == 0, err
	})
	if len(a.next) == 0 && err == nil {
		a.extra = b.s.cfg.Group.Extra(q.shard, to, q.prefixes)
		if len(a.extra) > MaxExtra {
			a.extra = nil
		}
	}
	return a, err
}
