package gates

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var oneAddr = netip.MustParseAddrPort("192.0.2.1:80")

// ownGates makes gates of a node that shares no address with others.
func ownGates() *Gates { return New(nil, time.Now, func() bool { return false }) }

func TestGates_FirstComeFirstServed(t *testing.T) {
	g := ownGates()
	if !g.Enter(oneAddr, "a.example", Waiter{In: func(bool) { t.Error("who entered was called") }}) {
		t.Fatal("a free gate was not given")
	}
	if !g.Enter(netip.MustParseAddrPort("192.0.2.1:81"), "a.example", Waiter{}) {
		t.Fatal("the gate of another address was busy")
	}
	var order []int
	for i := range 5 {
		if g.Enter(oneAddr, "a.example", Waiter{In: func(bool) { order = append(order, i) }}) {
			t.Fatal("two hold the gate")
		}
	}
	for i := range 5 {
		if len(order) != i {
			t.Fatalf("%d had their turn, want %d", len(order), i)
		}
		g.Leave(oneAddr)
		if order[len(order)-1] != i {
			t.Fatalf("turns were given as %v", order)
		}
	}
	g.Leave(oneAddr)
	g.Leave(netip.MustParseAddrPort("192.0.2.1:81"))
	if len(g.at) != 0 {
		t.Errorf("%d addresses take room that nobody uses", len(g.at))
	}
}

func TestGates_CancelledWaiterPassesTheGateOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := ownGates()
		g.Enter(oneAddr, "a.example", Waiter{})
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp, next := make(chan error, 1), make(chan error, 1)
		go func() { gaveUp <- g.Wait(ctx, oneAddr, "a.example") }()
		synctest.Wait()
		go func() { next <- g.Wait(t.Context(), oneAddr, "b.example") }()
		synctest.Wait()
		cancel()
		if err := <-gaveUp; !errors.Is(err, context.Canceled) {
			t.Errorf("wait = %v after its context ended", err)
		}
		select {
		case <-next:
			t.Fatal("the gate was given twice")
		default:
		}
		g.Leave(oneAddr)
		if err := <-next; err != nil {
			t.Errorf("wait = %v", err)
		}
		g.Leave(oneAddr)
		synctest.Wait()
		if len(g.at) != 0 {
			t.Errorf("the gate is still taken")
		}
	})
}

func TestGates_OneAtATimeUnderStress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := ownGates()
		var inside [3]atomic.Int32
		var entered atomic.Int32
		var all sync.WaitGroup
		for i := range 24 {
			all.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(i)))
				for range 60 {
					n := r.IntN(len(inside))
					addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}), 80)
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(40))*time.Millisecond)
					if g.Wait(ctx, addr, "a.example") == nil {
						entered.Add(1)
						if k := inside[n].Add(1); k != 1 {
							t.Errorf("%d at a time at %v", k, addr)
						}
						time.Sleep(time.Duration(r.IntN(5)) * time.Millisecond) // virtual
						inside[n].Add(-1)
						g.Leave(addr)
					}
					cancel()
				}
			})
		}
		all.Wait()
		synctest.Wait()
		if len(g.at) != 0 {
			t.Errorf("%d gates are still taken", len(g.at))
		}
		if n := entered.Load(); n < 100 {
			t.Errorf("only %d got in; this test tries nothing", n)
		}
	})
}
