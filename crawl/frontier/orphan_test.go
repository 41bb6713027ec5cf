package frontier

import (
	"fmt"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// A domain of which nobody brings the rest is opened with what has come, in pieces where much was known of it before, and left alone for
// longer. Its source, if it comes back, brings all of it by another move.
func TestOpened_OfAnOrphan(t *testing.T) {
	for _, piece := range []int{0, 2} {
		t.Run(fmt.Sprint(piece), func(t *testing.T) {
			a, b := newRig(t, Config{}), newRig(t, Config{Members: 3, piece: piece})
			for i := range 9 {
				a.enqueue(fmt.Sprintf("http://a.test/%d", i))
				b.enqueue(fmt.Sprintf("http://a.test/%d", 9+i))
			}
			l := a.lease()
			a.settle(l, l.Tasks[0], a.at(page(1)))
			a.release(l)
			n := a.propose(Entry{Close: &Close{Domains: names("a.test"), To: "dst"}})[0].N
			items, _, _, err := a.Export(t.Context(), "a.test", nil, MaxChunk)
			if err != nil {
				t.Fatal(err)
			}
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
			if got := b.totals(); got.Known != 14 || got.Fetched != 1 || b.where("a.test").State != StateOpen {
				t.Errorf("it is %v, %d known, %d fetched, want 5 of one and 9 of the other, 1 fetched", b.where("a.test").State, got.Known, got.Fetched)
			}
			if !b.isCareful() {
				t.Error("it is not visited more seldom, though its source may be")
			}
			if late := b.propose(Entry{Chunk: &Chunk{From: "src", N: n, Seq: 2, Items: items}})[0]; late.Move != MoveDeclined {
				t.Errorf("its source is told %d, and would forget what has not come", late.Move)
			}
			a.propose(Entry{Reopen: &Reopen{Domains: []crawl.Domain{"a.test"}, N: n}})
			a.moveTo(b, "a.test")
			if got := b.totals(); got.Known != 18 || got.Fetched != 1 {
				t.Errorf("in the end %d are known, %d fetched, want 18 and 1", got.Known, got.Fetched)
			}
		})
	}
}
