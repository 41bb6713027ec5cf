package worker

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// A lease begins nothing in its second half, unless it was given its time anew.
func TestPool_ExtendedLeasesGoOn(t *testing.T) {
	for _, extend := range []bool{false, true} {
		pc := newLaptop(0)
		asked := make(chan struct{}, 1)
		s := serveSite(t, false, func(http.ResponseWriter, *http.Request) { asked <- struct{}{} })
		r := newRig(t, setup{now: pc.Now})
		base := "http://" + s.addr.String()
		r.allow(base)
		l := r.lease(base + "/0")
		now := pc.Now()
		turn := &turn{Lease: l, deadline: now.Add(l.For / 3), closing: now.Add(-time.Second)}
		r.live++
		r.held[leaseName{l.Granter, l.ID}] = turn
		if extend {
			r.Extend(l.Granter, l.ID, now)
		}
		r.step(context.Background(), turn)
		if got := len(asked) == 1; got != extend {
			t.Errorf("extended %v: the site was asked: %v", extend, got)
		}
		if extend && !turn.deadline.Equal(now.Add(l.For)) {
			t.Errorf("it ends at %v, want %v", turn.deadline, now.Add(l.For))
		}
	}
}
