package stream

import (
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// maxAsks and maxAsksPeer bound the requests that wait, of all peers and of one. What is dropped is asked again.
	maxAsks     = 64
	maxAsksPeer = 4
	// answerAsks is how many of them one Commit answers: nobody waits long for a transaction.
	answerAsks = 4
	// maxLook bounds the domains and items that are looked at for one chunk.
	maxLook = 20_000
)

// asked is a request for a chunk that waits.
type asked struct {
	from crawl.PeerID
	ask  *ask
	at   time.Duration
}

// ready reports whether a request need not wait.
func (q asked) ready(g Group) bool { return q.ask.term == Term{} || g.Current(q.ask.shard, q.ask.term) }

// asks are the requests that wait, the oldest first.
type asks []asked

// add queues a request. It replaces an earlier one of the same pull.
func (a asks) add(fresh asked) asks {
	count := 0 // of the peer's others
	a = slices.DeleteFunc(a, func(q asked) bool {
		same := q.from == fresh.from && q.ask.id == fresh.ask.id
		if q.from == fresh.from && !same {
			count++
		}
		return same
	})
	if count < maxAsksPeer && len(a) < maxAsks {
		a = append(a, fresh)
	}
	return a
}

// answers reads chunks for the oldest requests.
func (b *batch) answers() {
	n := 0
	b.asks = slices.DeleteFunc(b.asks, func(q asked) bool {
		if n == answerAsks || !q.ready(b.cfg.Group) {
			return false
		}
		n++
		message := encode(b.answer(q.ask))
		b.calls = append(b.calls, func() { b.cfg.Send(q.from, LanePull, message) })
		return true
	})
}

// answer reads one chunk: the items of all domains that the shard carried whose stamps the asker's marks lack. Domains
// that the shard does not hold, or not any more, are among them, or a copy that only this store has would be lost.
func (b *batch) answer(q *ask) *answer {
	a := &answer{shard: q.shard, id: q.id, chunk: q.chunk, start: b.start, marks: b.marks[q.shard]}
	from, key, _ := splitItemKey(q.cursor)
	size, looked := 0, 0
	for d, latest := range b.domains(q.shard, from) {
		if looked++; looked > maxLook {
			a.next = itemKey(d, "")
			return a
		}
		if q.marks.Covers(latest) || !within(q.prefixes, d) {
			continue
		}
		if d != from {
			key = ""
		}
		for it := range b.items(d, key) {
			looked++
			has := q.marks.Has(it.stamp) || b.cfg.Stale(it.Item)
			if looked > maxLook || !has && size > 0 && size+sizeOf(it.Item) > int(q.room) {
				a.next = itemKey(d, it.Key)
				return a
			}
			if !has {
				a.items = append(a.items, it)
				size += sizeOf(it.Item)
			}
		}
	}
	if a.extra = b.cfg.Group.Extra(q.shard, q.term); len(a.extra) > MaxExtra {
		a.extra = nil
	}
	return a
}
