package oldgroup

import (
	"testing"
	"time"
)

func TestHeard_KnowsWhenEntriesCame(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	var h heard
	h.add(5, 3, at(1)) // 5 6 7
	h.add(8, 1, at(2))
	if got := h.take(4); !got.IsZero() {
		t.Errorf("4 came at %v, want never: it was there before", got)
	}
	if got := h.take(6); got != at(1) {
		t.Errorf("6 came at %v, want %v", got, at(1))
	}
	if got := h.take(5); !got.IsZero() {
		t.Errorf("5 came at %v although it was taken", got)
	}
	h.add(8, 2, at(3)) // another leader's, in the place of 8
	for index, want := range map[uint64]time.Time{7: at(1)} {
		if got := h.take(index); got != want {
			t.Errorf("%d came at %v, want %v", index, got, want)
		}
	}
	for _, index := range []uint64{8, 9} {
		if got := h.take(index); got != at(3) {
			t.Errorf("%d came at %v, want %v", index, got, at(3))
		}
	}
	if got := h.take(10); !got.IsZero() || h.times != nil {
		t.Errorf("10 came at %v with %d times kept, want never and none", got, len(h.times))
	}
	h.add(15, 3, at(5))
	h.cut(20)
	h.cut(16) // 17 was never on disk
	if got := h.take(17); !got.IsZero() {
		t.Errorf("17 came at %v although it was not written", got)
	}
	if got := h.take(16); got != at(5) {
		t.Errorf("16 came at %v, want %v", got, at(5))
	}
	h.add(15, 1, at(5))
	if h.cut(14); h.times != nil {
		t.Error("an entry is known that is not there")
	}
	h.add(20, 1, at(4)) // copied up to 19 meanwhile
	if got := h.take(20); got != at(4) {
		t.Errorf("20 came at %v, want %v", got, at(4))
	}
}

// A follower that learns only when it is elected that an entry is committed knows when it came.
func TestGroup_AppliesLateWhatItHeardEarly(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		b := n.node("b")
		came := make(chan time.Time, 1)
		b.mu.Lock()
		b.mine = func(data []byte, heard time.Time, _ any) {
			if string(data) == "x" {
				came <- heard
			}
		}
		b.mu.Unlock()
		sent := make(map[string]bool)
		n.dropIf(func(from, to string, _ []byte) bool { // but for the entry itself
			first := from == "a" && !sent[to]
			sent[to] = sent[to] || from == "a"
			return from == "a" && !first
		})
		proposed := time.Now()
		if err := n.node("a").propose("x"); err != nil {
			t.Fatal(err)
		}
		n.node("a").crash()
		n.dropIf(nil)
		time.Sleep(30 * time.Second)
		b.group().LeaderDown()
		n.node("c").group().LeaderDown()
		b.group().Campaign()
		n.leader(time.Minute)
		var heard time.Time
		n.await(time.Minute, "b has applied it", func() bool {
			select {
			case heard = <-came:
				return true
			default:
				return false
			}
		})
		if after := heard.Sub(proposed); after < 0 || after > 2*time.Second || time.Since(proposed) < 30*time.Second {
			t.Errorf("b applied after %v what it says it heard after %v", time.Since(proposed), after)
		}
	})
}
