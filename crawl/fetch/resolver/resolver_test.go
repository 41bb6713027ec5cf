package resolver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// answersOf is a Lookuper with fixed answers that counts.
type answersOf struct {
	mu    sync.Mutex
	names map[string][]string
	asked map[string]int
	err   error
}

func (l *answersOf) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked == nil {
		l.asked = make(map[string]int)
	}
	l.asked[host]++
	if l.err != nil {
		return nil, l.err
	}
	list, ok := l.names[host]
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var addrs []netip.Addr
	for _, s := range list {
		addrs = append(addrs, netip.MustParseAddr(s))
	}
	return addrs, nil
}

func TestResolver_Remembers(t *testing.T) {
	now := time.Unix(1e9, 0)
	dns := &answersOf{names: map[string][]string{"a.example.": {"8.8.8.8"}}}
	r := New(dns, func() time.Time { return now })
	for _, x := range []struct {
		host  string
		after time.Duration
		want  int
	}{
		{"a.example", 0, 1}, {"a.example", goodFor - 1, 1}, {"a.example", 1, 2},
		{"none.example", 0, 1}, {"none.example", badFor - 1, 1}, {"none.example", 1, 2},
	} {
		now = now.Add(x.after)
		r.Resolve(t.Context(), x.host)
		if got := dns.asked[x.host+"."]; got != x.want {
			t.Errorf("%s after %v: asked %d times, want %d", x.host, x.after, got, x.want)
		}
	}
	dns.err = errors.New("server misbehaving at great length")
	if _, err := r.Resolve(t.Context(), "b.example"); !errors.Is(err, ErrLookup) {
		t.Errorf("failing server: %v, want ErrLookup", err)
	}
}

func TestResolver_IsBounded(t *testing.T) {
	dns := &answersOf{names: map[string][]string{}}
	r := New(dns, time.Now)
	for i := range cachedNames + 100 {
		r.Resolve(t.Context(), fmt.Sprintf("n%d.example", i))
		r.Resolve(t.Context(), "n0.example")
	}
	if r.answers.Len() != cachedNames || len(r.asking) != 0 {
		t.Errorf("%d answers, %d under way, want %d, 0", r.answers.Len(), len(r.asking), cachedNames)
	}
	if dns.asked["n0.example."] != 1 {
		t.Errorf("a name in use was asked for %d times, want once", dns.asked["n0.example."])
	}
}

// slowDNS answers after a second.
type slowDNS struct{ asked, active, most atomic.Int64 }

func (l *slowDNS) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	l.asked.Add(1)
	l.most.Store(max(l.most.Load(), l.active.Add(1)))
	defer l.active.Add(-1)
	select {
	case <-time.After(time.Second):
		return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestResolver_AsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dns := &slowDNS{}
		r := New(dns, time.Now)
		impatient, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() { // is first, gives up
			if _, err := r.Resolve(impatient, "a.example"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("impatient resolve = %v, want deadline exceeded", err)
			}
		})
		synctest.Wait()
		for range 50 {
			all.Go(func() {
				if addrs, err := r.Resolve(t.Context(), "a.example"); err != nil || len(addrs) != 1 {
					t.Errorf("resolve = %v, %v", addrs, err)
				}
			})
		}
		all.Wait()
		if n := dns.asked.Load(); n != 2 {
			t.Errorf("asked %d times, want 2: the first, and one who took over", n)
		}
	})
}

func TestResolver_FewAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dns := &slowDNS{}
		r := New(dns, time.Now)
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() { r.Resolve(t.Context(), fmt.Sprintf("n%d.example", i)) })
		}
		all.Wait()
		if n := dns.most.Load(); n != lookupsAtOnce {
			t.Errorf("%d look-ups at once, want %d", n, lookupsAtOnce)
		}
	})
}

// stuckDNS never answers.
type stuckDNS struct{}

func (stuckDNS) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestResolver_Deadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := New(stuckDNS{}, time.Now).Resolve(t.Context(), "a.example")
		if !errors.Is(err, ErrLookup) || time.Since(start) != lookupTime {
			t.Errorf("resolve = %v after %v, want a failure after %v", err, time.Since(start), lookupTime)
		}
	})
}
