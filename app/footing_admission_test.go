package app

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// received and sent count a request of a kind.
func (b *admission) received(kind wire.Kind, n int) { b.Count(calls.Work, calls.Kind(kind), false, n) }
func (b *admission) sent(kind wire.Kind, n int)     { b.Count(calls.Work, calls.Kind(kind), true, n) }

// What causes other traffic is put off before what ends it, and control never is.
func TestBudget_PutsOffWhatCausesMoreFirst(t *testing.T) {
	for _, c := range []struct {
		used          int // percent of the budget
		ask, links    bool
		report, slots bool // answered
	}{
		{0, true, true, true, true},
		{19, true, true, true, true},
		{25, false, true, true, true},
		{45, false, false, true, true},
		{75, false, false, false, true},
		{200, false, false, false, true},
	} {
		for _, out := range []bool{false, true} {
			b := newAdmission(new(calls.Meter))
			for kind := range wire.Kind(32) { // so that nothing trickles
				b.served[kind] = time.Now()
			}
			if n := standbyBytes * c.used / 100; out {
				b.sent(wire.KindLog, n)
			} else {
				b.received(wire.KindLinks, n)
			}
			for kind, want := range map[wire.Kind]bool{
				wire.KindAsk: c.ask, wire.KindLinks: c.links, wire.KindHave: c.links, wire.KindMove: true, wire.KindReport: c.report,
				wire.KindSlot: c.slots, wire.KindSync: c.slots, wire.KindLog: c.slots, wire.KindRest: c.slots,
			} {
				if got := b.answer(kind, 10) == 0; got != want {
					t.Errorf("%d%% used (sent: %v): %v is answered: %v, want %v", c.used, out, kind, got, want)
				}
			}
		}
	}
}

func TestBudget_HeartbeatsAndBulkDoNotCount(t *testing.T) {
	b := newAdmission(new(calls.Meter))
	for range 10_000 {
		b.received(wire.KindPing, 64)
		b.sent(wire.KindLog, heartbeatBytes)
	}
	b.Count(calls.Bulk, calls.Kind(wire.KindPiece), true, 1<<20)
	if wait := b.answer(wire.KindAsk, 10); wait > 0 {
		t.Errorf("an ask waits %v though nothing counts", wait)
	}
	b.Count(calls.Bulk, calls.Kind(wire.KindMove), true, standbyBytes*3/4)
	if b.answer(wire.KindAsk, 10) == 0 {
		t.Error("moves do not count")
	}
	for range 10 {
		if here, there := b.answer(wire.KindMove, 8000), b.ask(wire.KindMove, 8000); here == 0 || here > moveWait || there == 0 {
			t.Errorf("parts of moves wait %v here and %v there", here, there)
		}
	}
	if b.answer(wire.KindMove, questionBytes) > 0 || b.ask(wire.KindMove, questionBytes) > 0 {
		t.Error("questions about moves wait")
	}
	b = newAdmission(new(calls.Meter))
	b.sent(wire.KindLog, 10*heartbeatBytes)
	b.sent(wire.KindLog, standbyBytes)
	if b.answer(wire.KindAsk, 10) == 0 {
		t.Error("entries of logs do not count")
	}
}

// Who comes back after the time it was told is answered; those that were told to wait at
// once come one after another; what is larger than the budget comes through too.
func TestBudget_WaitsAreTrue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newAdmission(new(calls.Meter))
		b.received(wire.KindLinks, standbyBytes)
		first := b.answer(wire.KindReport, 2000)
		second := b.answer(wire.KindReport, 2000)
		if first < 2*time.Second || first > StandbyOver+time.Second || second <= first {
			t.Errorf("told to wait %v, and %v", first, second)
		}
		time.Sleep(first)
		if wait := b.answer(wire.KindReport, 2000); wait > 0 {
			t.Errorf("told to wait %v more", wait)
		}
		for range 1000 {
			if wait := b.answer(wire.KindLinks, 1<<20); wait > maxBusy {
				t.Fatalf("told to wait %v", wait)
			}
		}
		time.Sleep(2 * maxBusy)
		if wait := b.answer(wire.KindLinks, 1<<20); wait > 0 {
			t.Errorf("what is too large waits %v for nothing", wait)
		}
	})
}

// What cannot be put off does not keep fetchers away, unless it takes everything.
func TestBudget_SomethingTrickles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newAdmission(new(calls.Meter))
		answered := 0
		for range 60 { // a minute
			b.received(wire.KindLog, StandbyRate*6/10)
			if b.answer(wire.KindAsk, 6) == 0 {
				answered++
			}
			time.Sleep(time.Second)
		}
		if answered < 20 || answered > 40 {
			t.Errorf("%d leases are granted in a minute, want one every 2 s", answered)
		}
		b.received(wire.KindLog, standbyBytes)
		time.Sleep(2 * trickleEvery)
		if b.answer(wire.KindAsk, 6) == 0 {
			t.Error("more than everything is used, and still something is answered")
		}
	})
}

func TestBudget_OwnLinksWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newAdmission(new(calls.Meter))
		if wait := b.ask(wire.KindLinks, 4000); wait > 0 {
			t.Errorf("links wait %v though there is room", wait)
		}
		b.sent(wire.KindLinks, standbyBytes/2)
		wait := b.ask(wire.KindLinks, 4000)
		if wait == 0 || wait > StandbyOver+time.Second {
			t.Errorf("links wait %v though there is no room", wait)
		}
		for _, kind := range []wire.Kind{wire.KindReport, wire.KindLog, wire.KindPing, wire.KindSlot} {
			if wait := b.ask(kind, 4000); wait > 0 {
				t.Errorf("%v waits %v", kind, wait)
			}
		}
		time.Sleep(wait)
		if wait := b.ask(wire.KindLinks, 4000); wait > 0 {
			t.Errorf("links wait %v more", wait)
		}
	})
}

// Peers that ask at all times, and come back when they are told, do not bring a node on
// standby beyond its budget, whatever their requests cause.
func TestBudget_HoldsUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rnd := rand.New(rand.NewPCG(1, 2))
		b := newAdmission(new(calls.Meter))
		type peer struct {
			next time.Time
			kind wire.Kind
		}
		peers := make([]peer, 20)
		kinds := []wire.Kind{wire.KindAsk, wire.KindLinks, wire.KindReport, wire.KindHave}
		var ins, outs window
		slot, most, answered := int64(0), 0, 0
		for ; slot < 10*60*10; slot++ { // ten minutes, in tenths of a second
			for i := range peers {
				p := &peers[i]
				if time.Now().Before(p.next) {
					continue
				}
				kind, n := kinds[rnd.IntN(len(kinds))], 200+rnd.IntN(1800)
				b.received(kind, n)
				ins.add(slot/5, n)
				wait := b.answer(kind, n)
				if wait == 0 {
					answered++
					wait = time.Duration(rnd.IntN(3000)) * time.Millisecond
					for range copies {
						b.sent(wire.KindLog, n)
						outs.add(slot/5, n)
					}
				}
				p.next = time.Now().Add(wait)
			}
			for _, w := range []*window{&ins, &outs} {
				most = max(most, w.last(slot/5, standbySlots))
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Logf("at most %d bytes in 10 s each way, %d requests answered", most, answered)
		if most > standbyBytes {
			t.Errorf("%d bytes in 10 s, want at most %d", most, standbyBytes)
		}
		if answered < 200 {
			t.Errorf("%d requests answered in ten minutes: nothing gets through", answered)
		}
	})
}

// Who asks for more waits while the processor is used for more than books; what is under way comes to its end, unless it
// is much more. On a computer that is so slow that nothing is ever left, one of each kind is answered now and then.
func TestAdmission_LeavesTheProcessorAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		used := 0.2
		b := newAdmission(new(calls.Meter))
		b.used = func() float64 { return used }
		kinds := []wire.Kind{wire.KindAsk, wire.KindLinks, wire.KindHave, wire.KindReport, wire.KindSlot, wire.KindLog}
		for _, c := range []struct {
			used     float64
			answered []wire.Kind
		}{
			{0.2, kinds},
			{0.4, []wire.Kind{wire.KindReport, wire.KindSlot, wire.KindLog}},
			{1, []wire.Kind{wire.KindSlot, wire.KindLog}},
			{0.3, kinds},
		} {
			used = c.used
			for _, kind := range kinds {
				wait := b.answer(kind, 10)
				if answered := wait == 0; answered != slices.Contains(c.answered, kind) || wait > maxBusy {
					t.Errorf("%.1f%% are used: %v waits %v", c.used, kind, wait)
				}
			}
		}
		used = 2
		answered := 0
		for range 60 {
			time.Sleep(time.Second)
			if b.answer(wire.KindAsk, 6) == 0 {
				answered++
			}
		}
		if answered != 15 {
			t.Errorf("%d requests are answered in a minute, want one every 4 s", answered)
		}
	})
}
