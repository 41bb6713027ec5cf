package swarm_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// sharedLab is members that crawl domains of one address, with a gap of a second and 30 ms to the web and each other.
func sharedLab(t *testing.T, members, domains, pages int) *lab {
	l := newLab(t, newWeb(1, domains, pages), time.Second)
	l.web.took, l.web.shared, l.latency = 30*time.Millisecond, true, 30*time.Millisecond
	for range members {
		l.add()
	}
	l.wait(time.Minute, "a copy of everything", l.whole)
	return l
}

// rate returns how many visits there were in a second, in a time.
func (w *web) rate(from, to time.Time) float64 {
	n := 0
	for _, x := range w.load {
		if !x.at.Before(from) && x.at.Before(to) {
			n++
		}
	}
	return float64(n) / to.Sub(from).Seconds()
}

// judgeAddress fails if more visits were under way than good answers of the domains had earned.
func (l *lab) judgeAddress(domains int) {
	l.t.Helper()
	most := 0
	for _, x := range l.web.loads() {
		earned, good := 1, 16
		for earned < domains/4 && x.answered >= good {
			earned++
			good += 16 * earned
		}
		most = max(most, x.busy)
		if x.busy > earned {
			l.t.Fatalf("%d visits at a time after %d answers, want at most %d", x.busy, x.answered, earned)
		}
	}
	l.t.Logf("at most %d visits at a time", most)
}

// However many members share it, an address gets as many requests as from one, and no more at a time than it
// has earned.
func TestSlots_SharedAddress(t *testing.T) {
	const domains, pages = 20, 50
	rates := make(map[int]float64)
	for _, members := range []int{1, 3, 16} {
		synctest.Test(t, func(t *testing.T) {
			l := sharedLab(t, members, domains, pages)
			l.seed(l.members[0])
			begun := time.Now()
			l.wait(3*time.Minute, "a crawl of most pages",
				func() bool { n, _ := l.web.counts(); return n > domains*pages*7/10 })
			l.web.mu.Lock()
			rates[members] = l.web.rate(begun.Add(15*time.Second), time.Now())
			l.web.mu.Unlock()
			l.judgeAddress(domains)
			l.judge(0)
			t.Logf("%d members: %.1f requests a second", members, rates[members])
		})
	}
	for members, r := range rates {
		if r < 0.8*rates[1] || r > 1.2*rates[1] {
			t.Errorf("%d members: %.1f requests a second, want %.1f as of one", members, r, rates[1])
		}
	}
}

// busyLab is members that share an address whose domains earn no second slot, and always have more to do there
// than they may.
func busyLab(t *testing.T, members int, took time.Duration) *lab {
	l := sharedLab(t, members, 6, 120)
	l.web.took = took
	l.seed(l.members[0])
	l.pass(10 * time.Second)
	return l
}

// pass lets time pass, and returns the longest pause between two visits that ended in it, or has not ended.
func (l *lab) pass(by time.Duration) (pause time.Duration) {
	begun := time.Now()
	time.Sleep(by) // virtual
	l.web.mu.Lock()
	defer l.web.mu.Unlock()
	var last time.Time
	for _, x := range append(slices.Clone(l.web.load), load{at: time.Now()}) {
		if x.at.After(begun) && !last.IsZero() {
			pause = max(pause, x.at.Sub(last))
		}
		last = x.at
	}
	return pause
}

// slotLeader returns the member that leads the address, nil if none does.
func (l *lab) slotLeader() (leader *member) {
	for _, m := range l.members {
		if m.db == nil {
			continue
		}
		_ = m.Do(l.t.Context(), func(n *group.Node) error {
			if acts, _ := n.Acts("@192.0.2.1:80"); acts {
				leader = m
			}
			return nil
		})
	}
	return leader
}

// Whoever is killed, an address that has earned one slot gets one visit at a time.
func TestSlots_MembersAreKilled(t *testing.T) {
	// shorter and longer than a takeover
	for _, took := range []time.Duration{300 * time.Millisecond, 4 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			l := busyLab(t, 4, took)
			lapse := shard.LabTimes.Lease*11/10 + 3*time.Second
			for i := range 6 {
				m := l.members[i%4]
				if i%2 == 0 {
					m = l.slotLeader()
				}
				if m == nil {
					t.Fatal("nobody leads the address")
				}
				m.kill()
				if pause := l.pass(lapse + 15*time.Second); pause > lapse+12*time.Second {
					t.Errorf("after %s was killed nobody visits for %v", m.id, pause)
				}
				m.start()
				l.admit()
				l.pass(5 * time.Second)
			}
			l.judgeAddress(6)
		})
	}
}

// The next leader of an address goes on where the one before it was: one that hands over, or that releases the
// address to a member that joined.
func TestSlots_LeadingMoves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := busyLab(t, 3, 300*time.Millisecond)
		for range 2 {
			m := l.slotLeader()
			_ = m.Do(t.Context(), func(n *group.Node) error { n.Leave(); return nil })
			moved := 0 // it comes back, since this is its home
			for leader := m; moved < 2; {
				if pause := l.pass(500 * time.Millisecond); pause > 4*time.Second {
					t.Errorf("while %s hands over nobody visits for %v", m.id, pause)
				}
				if next := l.slotLeader(); next != nil && next != leader {
					leader = next
					moved++
				}
			}
			_ = m.Do(t.Context(), func(n *group.Node) error { n.Stay(); return nil })
		}
		l.judgeAddress(6)
	})
	synctest.Test(t, func(t *testing.T) {
		l := busyLab(t, 1, 300*time.Millisecond)
		first := l.slotLeader()
		for range 12 {
			l.add()
			if pause := l.pass(8 * time.Second); pause > 4*time.Second {
				t.Errorf("while member %d joins nobody visits for %v", len(l.members), pause)
			}
			if l.slotLeader() != first {
				break
			}
		}
		l.wait(time.Minute, "the address to move", func() bool { m := l.slotLeader(); return m != nil && m != first })
		if pause := l.pass(8 * time.Second); pause > 4*time.Second {
			t.Errorf("after the address moved nobody visits for %v", pause)
		}
		l.judgeAddress(6)
	})
}

// The name that says who leads an address is no domain: it is never leased, and nothing is stored under it.
func TestSlots_NameIsNoDomain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const name = crawl.Domain("@192.0.2.1:80")
		l := sharedLab(t, 2, 1, 1)
		m := l.slotLeader()
		links := []crawl.Outlink{{URL: l.web.roots[0]}}
		bodies := [][]byte{
			append([]byte{1}, wire.Encode(&wire.Report{Domain: name, Over: true})...),
			append([]byte{2}, wire.Encode(wire.LinksOf("a.example", 0, links))...),
		}
		for _, b := range bodies {
			for _, from := range l.members {
				_ = from.Do(t.Context(), func(n *group.Node) error {
					n.Ask(name, m.id, func(_ group.Lease, granted bool) {
						if granted {
							t.Error("it is leased")
						}
					})
					n.Put(name, b, m.id, func(bool) {})
					return nil
				})
			}
		}
		l.pass(10 * time.Second)
		for _, o := range l.members {
			err := o.db.View(func(tx *storage.Tx) error {
				return swarm.Items{}.Scan(tx, name, "", func(key string, _ []byte) bool {
					t.Errorf("%s stores %q under it", o.id, key)
					return true
				})
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
}
