package calls

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// However many parts of a node want to ask a peer at once, it keeps to what the peer allows. Who cannot wait for
// its turn is told so without a word to the peer.
func TestPaces_KeepToTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, spec := newPaces(), &Spec{Rate: 10, Burst: 20}
		door := newBook(newDoor(time.Now, [classes]int{}).bounds)
		var sent, refused, busy atomic.Int64
		var mu sync.Mutex
		var askers sync.WaitGroup
		for range 100 {
			askers.Go(func() {
				for range 10 {
					ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
					err := p.wait(ctx, "peer", 1, spec)
					cancel()
					var later *Busy
					if errors.As(err, &later) {
						busy.Add(1)
						time.Sleep(later.After)
						continue
					}
					if err != nil {
						t.Errorf("wait: %v", err)
					}
					sent.Add(1)
					mu.Lock()
					if wait, _ := door.charge(time.Now(), 1, spec); wait > 0 {
						refused.Add(1)
					}
					mu.Unlock()
				}
			})
		}
		began := time.Now()
		askers.Wait()
		if refused.Load() > 0 {
			t.Errorf("%d of %d requests came too early", refused.Load(), sent.Load())
		}
		if took := time.Since(began).Seconds(); float64(sent.Load()) < 9*took || busy.Load() == 0 {
			t.Errorf("%d requests in %.0f s, %d times busy: want about 10 a second, and some who cannot wait", sent.Load(), took, busy.Load())
		}
	})
}

// One peer, or kind, does not wait for another; and who gives up leaves its turn to others.
func TestPaces_TurnsAreOfOnePeerAndKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, spec := newPaces(), &Spec{Rate: 1, Burst: 1}
		began := time.Now()
		for _, to := range []peer.ID{"a", "b"} {
			for kind := range Kind(3) {
				if err := p.wait(t.Context(), to, kind, spec); err != nil || time.Since(began) > 0 {
					t.Fatalf("waited %v, %v", time.Since(began), err)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if err := p.wait(ctx, "a", 0, spec); !errors.Is(err, context.Canceled) {
			t.Errorf("wait = %v", err)
		}
		if err := p.wait(t.Context(), "a", 0, spec); err != nil || time.Since(began) > 1100*time.Millisecond {
			t.Errorf("the next turn came after %v, %v", time.Since(began), err)
		}
	})
}
