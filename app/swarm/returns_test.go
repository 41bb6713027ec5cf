package swarm

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/wire"
)

// sendDue sends what is due, and returns when Serve would look again.
func (r *returns) sendDue(ctx context.Context) time.Duration {
	var sends sync.WaitGroup
	select {
	case <-r.wake:
	default:
	}
	wait := r.start(ctx, &sends)
	sends.Wait()
	select {
	case <-r.wake:
		wait = r.start(ctx, &sends)
	default:
	}
	return wait
}

// What did not get through is tried again as soon as it may be, not when something
// else comes up: the leases it is of do not last for long.
func TestReturns_TriesAgainByItself(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	lease := crawl.Lease{ID: 7, Domain: "s0.test", Granter: other}
	l.owner = other
	n.returns.Release(lease)
	wait := n.returns.sendDue(t.Context())
	if wait > 2*firstRetry {
		t.Fatalf("looks again in %v, want at most %v", wait, 2*firstRetry)
	}
	reported := 0
	l.join(other).Handle(wire.KindReport, func(context.Context, string, []byte) ([]byte, error) {
		reported++
		return wire.Encode(&wire.Reported{}), nil
	})
	l.advance(wait)
	n.returns.sendDue(t.Context())
	if reported != 1 || n.Returning() != 0 {
		t.Errorf("reported %d times, %d leases wait, want once and none", reported, n.Returning())
	}
}
