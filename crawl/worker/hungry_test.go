package worker

import "testing"

func TestPool_HungryWithFewLeases(t *testing.T) {
	p := New(Config{Fetchers: 2})
	for _, c := range []struct {
		live, fetchers int
		want           bool
	}{{0, 2, true}, {4, 2, true}, {5, 2, false}, {0, 0, false}, {4, 1, false}} {
		p.mu.Lock()
		p.live = c.live
		p.bounds.fetchers = c.fetchers
		p.mu.Unlock()
		if got := p.Hungry(); got != c.want {
			t.Errorf("with %d leases and %d fetchers: %t, want %t", c.live, c.fetchers, got, c.want)
		}
	}
	p.bounds.fetchers, p.live, p.sated = 2, 1, true
	if p.Hungry() {
		t.Error("hungry with one lease that uses up the pages it may request")
	}
}
