package frontier

import (
	"fmt"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// depart visits a page of a.test, which it returns, and closes the domain for a move. It returns everything that is to be brought.
func (r *rig) depart() (n uint64, visited string, items [][]byte) {
	r.t.Helper()
	l := r.lease()
	r.settle(l, l.Tasks[0], r.at(page(1)))
	r.release(l)
	n = r.propose(Entry{Close: &Close{Domains: names("a.test"), To: "dst"}})[0].N
	items, _, _, err := r.Export(r.t.Context(), "a.test", nil, MaxChunk)
	if err != nil {
		r.t.Fatal(err)
	}
	return n, l.Tasks[0].URL.String(), items
}

// A domain of which nobody brings the rest is opened with what has come, in pieces where much was known of it before, and left alone for
// longer. Its source, if it comes back, brings all of it by another move.
func TestOpened_OfAnOrphan(t *testing.T) {
	for _, piece := range []int{0, 2} {
		t.Run(fmt.Sprint(piece), func(t *testing.T) {
			a, b := newRig(t, Config{}), newRig(t, Config{Members: 3, piece: piece})
			for i := range 9 {
				a.enqueue(fmt.Sprintf("http://a.test/%d", i))
				b.enqueue(fmt.Sprintf("http://a.test/%d", 6+i))
			}
			n, _, items := a.depart()
			first := Entry{Chunk: &Chunk{From: "src", N: n, Seq: 1, Items: items[:len(items)-4]}}
			for b.propose(first)[0].Again {
			}
			end := Entry{Opened: &Opened{From: "src", N: n, Chunks: 1, Orphan: true}}
			got := b.propose(end)[0]
			for got.Again {
				b.check()
				got = b.propose(Entry{Opened: &Opened{From: "src", N: n, Chunks: 1}})[0] // whoever asks, it stays an orphan
			}
			if got.Move != MoveDeclined {
				t.Errorf("the move ended with %d, want that it was declined", got.Move)
			}
			b.check()
			if got := b.totals(); got.Known < 9+1 || got.Fetched != 1 || b.where("a.test").State != StateOpen {
				t.Errorf("it is %v, %d known, %d fetched, want all of the one and what came of the other", b.where("a.test").State, got.Known, got.Fetched)
			}
			if !b.isCareful() {
				t.Error("it is not visited more seldom, though its source may be")
			}
			if late := b.propose(Entry{Chunk: &Chunk{From: "src", N: n, Seq: 2, Items: items}})[0]; late.Move != MoveDeclined {
				t.Errorf("its source is told %d, and would forget what has not come", late.Move)
			}
			a.propose(Entry{Reopen: &Reopen{Domains: []crawl.Domain{"a.test"}, N: n}})
			a.moveTo(b, "a.test")
			if got := b.totals(); got.Known != 15 || got.Fetched != 1 {
				t.Errorf("in the end %d are known, %d fetched, want 15 and 1", got.Known, got.Fetched)
			}
		})
	}
}

// The filter of a domain comes before its pages and tasks. Of an orphan it must not keep what never came from being visited: neither what is
// queued here, nor what is found again.
func TestOpened_OfAnOrphanCutAnywhere(t *testing.T) {
	a := newRig(t, Config{})
	for i := range 6 {
		a.enqueue(fmt.Sprintf("http://a.test/%d", i))
	}
	n, visited, items := a.depart()
	for cut := 1; cut <= len(items); cut++ {
		b := newRig(t, Config{})
		b.enqueue("http://a.test/2", "http://a.test/3", "http://a.test/9")
		for b.propose(Entry{Chunk: &Chunk{From: "src", N: n, Seq: 1, Items: items[:cut]}})[0].Again {
		}
		end := Entry{Opened: &Opened{From: "src", N: n, Chunks: 1, Orphan: true}}
		for b.propose(end)[0].Again {
		}
		b.check()
		for i := range 10 {
			b.enqueue(fmt.Sprintf("http://a.test/%d", i))
		}
		b.check()
		got := b.totals()
		fetched := uint64(0)
		for _, raw := range items[:cut] {
			if itemKind(raw[0]) == itemPage {
				fetched++
			}
		}
		if got.Queued+got.Fetched != 10 || got.Fetched != fetched || got.Known != 10 {
			t.Errorf("cut behind item %d of %d (kind %d): %d queued, %d fetched, %d known, want 10 in all, %d fetched (%s)",
				cut, len(items), items[cut-1][0], got.Queued, got.Fetched, got.Known, fetched, visited)
		}
	}
}
