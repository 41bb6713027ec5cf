package swarm

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
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
		sends.Wait()
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

// A domain has got another owner, and who granted the lease waits for it to come home before it hands the
// domain over. While it is busy the lease waits for it, and goes to the new owner only when nobody keeps its log.
func TestReturns_WaitForWhoIsBusy(t *testing.T) {
	for _, c := range []struct {
		name       string
		err        error
		out, left  bool
		wantMoved  int
		wantBrings int
	}{
		{"busy", &calls.Busy{After: time.Second}, false, false, 0, 1},
		{"not reached", calls.ErrUnreachable, false, false, 0, 1},
		{"out, and led by another that is busy", &calls.Busy{After: time.Second}, true, false, 0, 1},
		{"out, and its log is gone", errNoLog, true, false, 1, 0},
		{"left, and one that may keep its log is down", errNoLeader, false, true, 1, 0},
		{"left, and nobody answers", calls.ErrUnreachable, false, true, 1, 0},
		{"left, and led by another that is busy", &calls.Busy{After: time.Second}, false, true, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			n := newNode(t, l, self)
			const newcomer = "newcomer-member"
			l.owner = newcomer
			failing, moved, brought := c.err, 0, 0
			l.join(other).Handle(wire.KindReport, func(context.Context, string, []byte) ([]byte, error) {
				if failing != nil {
					return nil, failing
				}
				brought++
				return wire.Encode(&wire.Reported{}), nil
			})
			l.join(newcomer).Handle(wire.KindReport, func(context.Context, string, []byte) ([]byte, error) {
				moved++
				return wire.Encode(&wire.Reported{}), nil
			})
			if c.out || c.left {
				delete(l.members, other)
			}
			l.left[other] = c.left
			n.returns.Release(crawl.Lease{ID: 7, Domain: "s0.test", Granter: other})
			n.returns.sendDue(t.Context())
			failing = nil
			for range 3 {
				l.advance(2 * time.Second)
				n.returns.sendDue(t.Context())
			}
			if moved != c.wantMoved || brought != c.wantBrings || n.Returning() != 0 {
				t.Errorf("brought %d times, to the new owner %d, %d leases wait; want %d, %d and none", brought, moved, n.Returning(), c.wantBrings, c.wantMoved)
			}
		})
	}
}

// What is told when a lease is over may be dropped. If the page comes here once more, its links are
// told again, though they were acknowledged.
func TestReturns_TellsTheLinksOfAPageAgainThatComesAgain(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	l.owner = other
	var links []int
	l.join(other).Handle(wire.KindReport, func(_ context.Context, _ string, body []byte) ([]byte, error) {
		r, err := wire.Decode[wire.Report](body)
		for i := range r.Leases {
			for j := range r.Leases[i].Outcomes {
				o, _, err := r.Leases[i].Outcomes[j].Outcome(1 << 20)
				if err != nil {
					t.Error(err)
				}
				links = append(links, len(o.Outlinks))
			}
		}
		return wire.Encode(&wire.Reported{}), err
	})
	for i, c := range []struct {
		path  string
		prior *crawl.Prior
	}{{"1", nil}, {"2", nil}, {"1", nil}, {"1", new(crawl.Prior)}} {
		lease := crawl.Lease{ID: crawl.LeaseID(i + 1), Domain: "s0.test", Granter: other}
		o := page(0, outlink(t, "http://s0.test/menu", 1))
		o.Lease, o.Domain, o.Granter = lease.ID, lease.Domain, other
		o.Task = crawl.Task{URL: mustURL(t, "http://s0.test/"+c.path), Prior: c.prior}
		if err := n.Settle(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		n.Release(lease)
		n.returns.sendDue(t.Context())
	}
	if want := []int{1, 0, 1, 0}; !slices.Equal(links, want) {
		t.Errorf("links told are %v, want %v", links, want)
	}
}

// What was fetched before a start may be more than may be on its way. Nobody brings it home yet, so nothing waits for room.
func TestReturns_AtStartNothingWaits(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	taken := 0
	for ; taken < 2*roomAtStart*maxReturning; taken++ {
		o := page(0)
		o.Granter, o.Lease, o.Domain = other, crawl.LeaseID(taken), "s0.test"
		if !n.SettleAtStart(o) {
			break
		}
	}
	if taken != roomAtStart*maxReturning {
		t.Errorf("%d outcomes were taken, want %d", taken, roomAtStart*maxReturning)
	}
}
