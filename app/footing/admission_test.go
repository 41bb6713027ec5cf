package footing

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// received and sent count a packet of a kind.
func (b *admission) received(kind wire.Kind, n int) { b.Count(calls.Work, calls.Kind(kind), false, n) }
func (b *admission) sent(kind wire.Kind, n int)     { b.Count(calls.Work, calls.Kind(kind), true, n) }

// What causes other traffic is put off before what ends it, and control never is.
func TestBudget_PutsOffWhatCausesMoreFirst(t *testing.T) {
	for _, c := range []struct {
		used                     int // percent of the budget
		lends, pull, act, stream bool
	}{
		{0, true, true, true, true},
		{25, true, true, true, true},
		{35, true, false, true, true},
		{45, true, false, true, false},
		{55, false, false, true, false},
		{80, false, false, false, false},
		{200, false, false, false, false},
	} {
		for _, out := range []bool{false, true} {
			b := newAdmission(new(calls.Meter), 2*time.Minute)
			for kind := range wire.Kind(32) { // so that nothing trickles
				b.served[kind] = time.Now()
			}
			if n := standbyBytes * c.used / 100; out {
				b.sent(wire.KindBeat, n)
			} else {
				b.received(wire.KindAct, n)
			}
			if got := b.lends(); got != c.lends {
				t.Errorf("%d%% used (sent: %v): it lends: %v, want %v", c.used, out, got, c.lends)
			}
			for kind, want := range map[wire.Kind]bool{
				wire.KindPull: c.pull, wire.KindAct: c.act, wire.KindStream: c.stream, wire.KindBeat: true, wire.KindSync: true, wire.KindKeeps: true,
			} {
				if got := b.answer(kind, 10) == 0; got != want {
					t.Errorf("%d%% used (sent: %v): %v is answered: %v, want %v", c.used, out, kind, got, want)
				}
				if kind == wire.KindStream {
					want = c.used < 90 // others wait for what this node commits
				}
				if got := b.ask(kind, 10) == 0; out && got != want {
					t.Errorf("%d%% used: %v is sent: %v, want %v", c.used, kind, got, want)
				}
			}
		}
	}
}

func TestBudget_HeartbeatsDoNotCount(t *testing.T) {
	b := newAdmission(new(calls.Meter), 2*time.Minute)
	for range 10_000 {
		b.received(wire.KindPing, 64)
		b.sent(wire.KindBeat, heartbeatBytes)
	}
	if wait := b.answer(wire.KindPull, 10); wait > 0 {
		t.Errorf("a pull waits %v though nothing counts", wait)
	}
	b.sent(wire.KindBeat, standbyBytes)
	if b.answer(wire.KindPull, 10) == 0 {
		t.Error("large packets among the heartbeats do not count")
	}
}

// Who comes back after the time it was told is answered; those that were told to wait at
// once come one after another; what is larger than the budget comes through too.
func TestBudget_WaitsAreTrue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newAdmission(new(calls.Meter), 2*time.Minute)
		b.received(wire.KindAct, standbyBytes)
		b.served[wire.KindAct] = time.Now()
		first := b.answer(wire.KindAct, 2000)
		second := b.answer(wire.KindAct, 2000)
		if first < 2*time.Second || first > StandbyOver+time.Second || second <= first {
			t.Errorf("told to wait %v, and %v", first, second)
		}
		time.Sleep(first)
		if wait := b.answer(wire.KindAct, 2000); wait > 0 {
			t.Errorf("told to wait %v more", wait)
		}
		for range 1000 {
			if wait := b.answer(wire.KindAct, 1<<20); wait > b.maxBusy {
				t.Fatalf("told to wait %v", wait)
			}
		}
		time.Sleep(2 * b.maxBusy)
		if here, there := b.answer(wire.KindAct, 1<<20), b.ask(wire.KindStream, 1<<20); here > 0 || there > 0 {
			t.Errorf("what is too large waits %v here and %v there for nothing", here, there)
		}
	})
}

// The commits of others do not keep fetchers away, unless they take everything.
func TestBudget_SomethingTrickles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newAdmission(new(calls.Meter), 2*time.Minute)
		answered := 0
		for range 60 { // a minute
			b.received(wire.KindStream, StandbyRate*8/10)
			if b.answer(wire.KindAct, 6) == 0 {
				answered++
			}
			time.Sleep(time.Second)
		}
		if answered < 20 || answered > 40 {
			t.Errorf("%d packets are taken in a minute, want one every 2 s", answered)
		}
		b.received(wire.KindStream, standbyBytes)
		time.Sleep(2 * trickleEvery)
		if b.answer(wire.KindAct, 6) == 0 {
			t.Error("more than everything is used, and still something is answered")
		}
	})
}

// Packets that go at the same time do not all take the same room.
func TestBudget_OwnPacketsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newAdmission(new(calls.Meter), 2*time.Minute)
		went := 0
		for b.ask(wire.KindStream, 4000) == 0 {
			went++
		}
		if went != standbyBytes*9/10/4000 {
			t.Errorf("%d packets of 4000 bytes may go at once", went)
		}
		for range went {
			b.sent(wire.KindStream, 4000)
		}
		time.Sleep(StandbyOver / 2)
		wait := b.ask(wire.KindStream, 4000)
		if wait == 0 || wait > StandbyOver/2+time.Second {
			t.Errorf("it waits %v though there is no room", wait)
		}
		time.Sleep(wait)
		if wait := b.ask(wire.KindStream, 4000); wait > 0 {
			t.Errorf("it waits %v more", wait)
		}
	})
}

// Peers that send at all times, and come back when they are told, do not bring a node on
// standby beyond its budget, whatever their packets cause.
func TestBudget_HoldsUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const copies = groupSize - 1
		rnd := rand.New(rand.NewPCG(1, 2))
		b := newAdmission(new(calls.Meter), 2*time.Minute)
		type peer struct{ next time.Time }
		peers := make([]peer, 20)
		for i := range peers { // what comes cannot be put off before it is there
			peers[i].next = time.Now().Add(time.Duration(rnd.IntN(10_000)) * time.Millisecond)
		}
		queue := 0 // of commits for each of the copies
		var ins, outs window
		slot, most, answered := int64(0), 0, 0
		for ; slot < 10*60*10; slot++ { // ten minutes, in tenths of a second
			for i := range peers {
				p := &peers[i]
				if time.Now().Before(p.next) {
					continue
				}
				n := 200 + rnd.IntN(1800)
				b.received(wire.KindAct, n)
				ins.add(slot/5, n)
				wait := b.answer(wire.KindAct, n)
				if wait == 0 {
					answered++
					wait = time.Duration(rnd.IntN(3000)) * time.Millisecond
					queue += copies * n
				}
				p.next = time.Now().Add(wait)
			}
			if n := min(queue, 8000); n > 0 && b.ask(wire.KindStream, n) == 0 {
				queue -= n
				b.sent(wire.KindStream, n)
				outs.add(slot/5, n)
			}
			for _, w := range []*window{&ins, &outs} {
				most = max(most, w.last(slot/5, standbySlots))
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Logf("at most %d bytes in 10 s each way, %d packets taken, %d bytes wait", most, answered, queue)
		if most > standbyBytes {
			t.Errorf("%d bytes in 10 s, want at most %d", most, standbyBytes)
		}
		if answered < 200 {
			t.Errorf("%d packets taken in ten minutes: nothing gets through", answered)
		}
		if queue > 2*standbyBytes {
			t.Errorf("%d bytes of commits wait: more is taken than can be passed on", queue)
		}
	})
}

// Who asks for more waits while the processor is used for more than shards; acts wait only if it
// is much more. On a computer that is so slow that nothing is ever left, one of each kind is answered now and then.
func TestAdmission_LeavesTheProcessorAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		used := 0.2
		b := newAdmission(new(calls.Meter), 2*time.Minute)
		b.used = func() float64 { return used }
		kinds := []wire.Kind{wire.KindPull, wire.KindAct, wire.KindStream, wire.KindBeat}
		for _, c := range []struct {
			used     float64
			answered []wire.Kind
		}{
			{0.2, kinds},
			{0.4, []wire.Kind{wire.KindAct, wire.KindBeat}},
			{1, []wire.Kind{wire.KindBeat}},
			{0.3, kinds},
		} {
			used = c.used
			for _, kind := range kinds {
				wait := b.answer(kind, 10)
				if answered := wait == 0; answered != slices.Contains(c.answered, kind) || wait > b.maxBusy {
					t.Errorf("%.1f%% are used: %v waits %v", c.used, kind, wait)
				}
			}
		}
		used = 2
		answered := 0
		for range 60 {
			time.Sleep(time.Second)
			if b.answer(wire.KindAct, 6) == 0 {
				answered++
			}
		}
		if answered != 15 {
			t.Errorf("%d packets are taken in a minute, want one every 4 s", answered)
		}
	})
}
