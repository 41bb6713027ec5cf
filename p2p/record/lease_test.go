package record

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

func TestLeases_Count(t *testing.T) {
	const s = time.Second
	a := Lease{ID: 1, Domain: "a.example", Left: 10 * s, Gap: s, Founding: 7}
	known := a
	known.Founding = 0
	longer := a
	longer.Left = 20 * s
	other := Lease{ID: 2, Domain: "a.example", Left: 10 * s, Gap: s, Founding: 3}
	tests := []struct {
		name string
		do   func(l *Leases)
		want []crawl.LeaseID // that live 5 s after the start
		left time.Duration
	}{
		{"begins", func(l *Leases) { l.Add(a, 0) }, []crawl.LeaseID{1}, 5 * s},
		{"lapses", func(l *Leases) { l.Add(a, -5*s) }, nil, 0},
		{"gets longer", func(l *Leases) { l.Add(a, 0); l.Add(longer, s) }, []crawl.LeaseID{1}, 16 * s},
		{"gets no shorter", func(l *Leases) { l.Add(longer, 0); l.Add(a, s) }, []crawl.LeaseID{1}, 15 * s},
		{"ends", func(l *Leases) { l.Add(a, 0); l.End(a, 4500*time.Millisecond) }, []crawl.LeaseID{1}, s / 2},
		{"ends a second time", func(l *Leases) { l.Add(a, 0); l.End(a, 4*s); l.End(a, 4500*time.Millisecond) }, nil, 0},
		{"ends as it lapses", func(l *Leases) { l.Add(a, -4500*time.Millisecond); l.End(a, 5*s) }, []crawl.LeaseID{1}, s / 2},
		{"ended before", func(l *Leases) { l.Add(a, 0); l.End(a, 4*s) }, nil, 0},
		{"lives beside another", func(l *Leases) { l.Add(a, 0); l.Add(other, 0) }, []crawl.LeaseID{1, 2}, 5 * s},
		{"is over when another is granted", func(l *Leases) { l.Add(a, 0); l.Grant(Lease{ID: 3, Domain: a.Domain, Left: 9 * s, Founding: 7}, 0) }, []crawl.LeaseID{3}, 4 * s},
		{"counts beside one of another record", func(l *Leases) { l.Add(other, 0); l.Grant(a, 0) }, []crawl.LeaseID{1, 2}, 5 * s},
		{"is not in a snapshot", func(l *Leases) { l.Add(a, 0); l.Add(other, 0); l.Restore(nil, 7, s) }, []crawl.LeaseID{2}, 5 * s},
		{"has ended in a snapshot", func(l *Leases) {
			l.Add(a, 0)
			ended := a
			ended.Left = s
			l.Restore([]Lease{ended}, 7, 4500*time.Millisecond)
		}, []crawl.LeaseID{1}, s / 2},
		{"comes with a snapshot", func(l *Leases) { l.Restore([]Lease{a}, 7, s) }, []crawl.LeaseID{1}, 6 * s},
		{"stays in the record", func(l *Leases) { l.Add(a, 0); l.Add(known, s); l.Restore(nil, 7, s) }, nil, 0},
		{"comes into the record", func(l *Leases) { l.Add(known, 0); l.Add(a, 0); l.Restore(nil, 7, s) }, nil, 0},
		{"is in no record", func(l *Leases) { l.Add(known, 0); l.Restore(nil, 7, s) }, []crawl.LeaseID{1}, 5 * s},
	}
	for _, test := range tests {
		l := NewLeases()
		test.do(l)
		live := l.All(5 * s)
		if len(live) != len(test.want) || l.Len() != len(live) {
			t.Errorf("%s: %+v live, %d known, want %v", test.name, live, l.Len(), test.want)
			continue
		}
		for i, x := range live {
			if x.ID != test.want[i] || x.Left != test.left {
				t.Errorf("%s: lease %d lives for %v, want lease %d for %v", test.name, x.ID, x.Left, test.want[i], test.left)
			}
		}
	}
}

// Leases that have lapsed make room for others.
func TestLeases_Full(t *testing.T) {
	l := NewLeases()
	for i := range MaxLeases {
		if l.Full(0, 0) {
			t.Fatalf("full with %d leases", i)
		}
		l.Add(Lease{ID: crawl.LeaseID(i), Domain: crawl.Domain(rune('a' + i)), Left: time.Second}, 0)
	}
	if !l.Full(0, 0) || l.Full(0, time.Second) || !l.Full(MaxLeases, time.Second) {
		t.Errorf("full: %v, after all lapsed: %v, when as many come: %v; want true, false, true", l.Full(0, 0), l.Full(0, time.Second), l.Full(MaxLeases, time.Second))
	}
}
