package swarm_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/crawl"
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
	for _, x := range l.web.load {
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

// However many members share it, an address gets as many requests as from one, and no more at a time than it has earned.
func TestSlots_SharedAddress(t *testing.T) {
	const domains, pages = 20, 50
	rates := make(map[int]float64)
	for _, members := range []int{1, 3, 16} {
		synctest.Test(t, func(t *testing.T) {
			l := sharedLab(t, members, domains, pages)
			l.seed(l.members[0])
			begun := time.Now()
			l.wait(3*time.Minute, "a crawl of most pages", func() bool { n, _ := l.web.counts(); return n > domains*pages*7/10 })
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

var _ = crawl.PeerID("")
