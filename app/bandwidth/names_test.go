package bandwidth

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// A look-up is debited both ways, and waits while nothing may be sent.
func TestNames_AreDebited(t *testing.T) {
	b := New()
	var asked atomic.Int64
	r := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		asked.Add(1)
		return nil, errors.New("no network")
	}}
	names := b.Names(Pages, r)
	if _, err := names.LookupNetIP(t.Context(), "ip", "host.example."); err == nil {
		t.Error("a look-up without a network succeeded")
	}
	u := b.Totals()
	if want := int64(2 * (queryBytes + 13)); asked.Load() == 0 || u.Sent.Class[Pages] != want || u.Received.Class[Pages] < want {
		t.Errorf("asked %d times, counted %+v, want %d sent and more received", asked.Load(), u, want)
	}
	b.Set(0, 0)
	asked.Store(0)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := names.LookupTXT(ctx, "host.example."); !errors.Is(err, context.DeadlineExceeded) || asked.Load() > 0 {
		t.Errorf("LookupTXT at rate 0 = %v, asked %d times", err, asked.Load())
	}
}
