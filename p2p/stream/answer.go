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
	ask  *ask
	at   time.Duration
}

// asks are the requests that wait, the oldest first.
type asks []*asked

// add queues a request. It replaces an earlier one of the same pull.
func (a *asks) add(fresh *asked) {
	count := 0
	for i, q := range *a {
		if q.from != fresh.from {
			continue
		}
		if q.ask.id == fresh.ask.id && q.ask.shard == fresh.ask.shard {
			(*a)[i] = fresh
			return
		}
		count++
	}
	if count < maxAsksPeer && len(*a) < maxAsks {
		*a = append(*a, fresh)
	}
}

// some returns the requests that the next Commit answers: one each of a few peers.
func (a asks) some(g Group) []*asked {
	var some []*asked
	for _, q := range a {
		taken := slices.ContainsFunc(some, func(o *asked) bool { return o.from == q.from })
		if !taken && (q.ask.term == Term{} || g.Current(q.ask.shard, q.ask.term)) {
			if some = append(some, q); len(some) == answerPeers {
				break
			}
		}
	}
	return some
}

// expire forgets requests that came before a time: they were sent again, or never will be.
func (a *asks) expire(before time.Duration) {
	*a = slices.DeleteFunc(*a, func(q *asked) bool { return q.at < before })
}

// answers reads chunks for those that wait.
func (b *batch) answers() error {
	for _, q := range b.s.asks.some(b.s.cfg.Group) {
		a, err := b.answer(q.from, q.ask)
		if err != nil {
			return err
		}
		b.after = append(b.after, func() {
			b.s.asks = slices.DeleteFunc(b.s.asks, func(o *asked) bool { return o == q })
		})
		message := encode(a)
		b.calls = append(b.calls, func() { b.s.cfg.Send(q.from, LanePull, message) })
	}
	return nil
}

// answer reads one chunk: the items of all domains that the shard carried whose stamps the asker's marks lack. Domains
// that the shard does not hold, or not any more, are among them, or a copy that only this store has would be lost.
func (b *batch) answer(to crawl.PeerID, q *ask) (*answer, error) {
	a := &answer{shard: q.shard, id: q.id, chunk: q.chunk, start: b.s.start}
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
