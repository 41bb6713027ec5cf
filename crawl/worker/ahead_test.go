package worker

import (
	"container/heap"
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// taken is a pool at a bound of pages that nobody serves, and the turns it has taken.
func taken(perMin, leases int, now *time.Time) (*Pool, turns) {
	p := New(Config{Fetchers: 6, PagesPerMin: perMin, Now: func() time.Time { return *now }})
	for i := range leases {
		p.Take(crawl.Lease{ID: crawl.LeaseID(i + 1), Domain: crawl.Domain(fmt.Sprintf("s%d.test", i)), For: 2 * time.Minute}, *now)
	}
	var list turns
	for range leases {
		list = append(list, <-p.schedule.back)
	}
	return p, list
}

// No more leases are wanted than are soon used, as long as their sites are not what they wait for.
func TestPool_WantsWhatItsPagesAreGoodFor(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for _, c := range []struct{ perMin, first int }{{60, 6}, {20, 2}, {1, leastAhead}, {300, 30}, {0, 48}} {
		if got := New(Config{Fetchers: 6, PagesPerMin: c.perMin, Now: func() time.Time { return now }}).Want(); got != c.first {
			t.Errorf("at %d pages a minute it wants %d leases, want %d", c.perMin, got, c.first)
		}
	}
	p, list := taken(60, 6, &now)
	noteQueue := func(quick, slow turns) {
		p.schedule.queue = queue{quick: quick, slow: slow}
		p.schedule.noteQueue()
	}
	if got := p.Want(); got != 0 {
		t.Errorf("Want = %d before it has been looked at what there is, which may all wait for this node", got)
	}
	noteQueue(list, nil)
	if got := p.Want(); got != 0 {
		t.Errorf("Want = %d while as many as can be used wait", got)
	}
	drain(p)
	for _, x := range list[:4] { // requested, and their sites want some rest
		x.asked, x.at = true, now.Add(30*time.Second)
	}
	noteQueue(list[4:], list[:4])
	if got := p.Want(); got != 4 {
		t.Errorf("Want = %d while 2 wait for this node and 4 for their sites", got)
	}
	select {
	case <-p.schedule.wanting:
	default:
		t.Error("nobody is told that more leases are wanted")
	}
	for _, x := range list[:4] { // four that want two seconds would take two pages a second, where there is one
		x.gap = 2 * time.Second
	}
	noteQueue(list[4:], list[:4])
	if got := p.Want(); got != 0 {
		t.Errorf("Want = %d with sites that would take all pages", got)
	}
	for _, x := range list[:4] {
		x.gap = 30 * time.Second
	}
	noteQueue(list[4:], list[:4])
	if got := p.Want(); got != 4 {
		t.Errorf("Want = %d with sites that want half a minute", got)
	}
	now = now.Add(time.Minute)
	for _, x := range list {
		x.paged, x.due = true, now
	}
	noteQueue(list, nil)
	if got := p.Want(); got != 0 {
		t.Errorf("Want = %d while all of them wait for a page to be allowed", got)
	}
}

// drain takes the signal that more leases are wanted, if there is one.
func drain(p *Pool) {
	select {
	case <-p.schedule.wanting:
	default:
	}
}

// What has waited for long for a page to be allowed goes home, the rest stays.
func TestPool_SurplusGoesHome(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	p, list := taken(60, 4, &now)
	p.bounds.takePage(now)
	long, short, other, answered := list[0], list[1], list[2], list[3]
	long.paged, long.due = true, now
	short.paged, short.due = true, now.Add(aheadFor)
	other.at = now.Add(time.Minute)
	answered.recalled = true
	p.schedule.queue.quick = list
	if p.schedule.recallSurplus(); long.recalled {
		t.Error("some goes home at once")
	}
	now = now.Add(aheadFor + 2*time.Second + 1)
	if p.schedule.recallSurplus(); !long.recalled || !long.at.IsZero() {
		t.Error("what waits for long is not sent home")
	}
	if short.recalled || other.recalled {
		t.Error("something else is sent home")
	}
}

// Those that wait for a page go in the order in which they began to, and are not tried in vain.
func TestPool_PagesGoToWhoWaitsLongest(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	p, list := taken(60, 3, &now)
	p.bounds.takePage(now)
	for i, x := range list {
		x.paged, x.at, x.due = true, p.bounds.pageDue(), now.Add(-time.Duration(i)*time.Second)
	}
	heap.Init(&list)
	if first := list[0]; first.Domain != "s2.test" || p.schedule.mustWait(first) {
		t.Errorf("the first is %s, or must wait on", first.Domain)
	}
	now = now.Add(time.Second)
	p.bounds.takePage(now)
	if first := list[0]; !p.schedule.mustWait(first) || !first.at.Equal(now.Add(time.Second)) {
		t.Errorf("it may go on at %v, with a page requested at %v", first.at, now)
	}
	list[0].recalled = true
	if p.schedule.mustWait(list[0]) {
		t.Error("what goes home waits")
	}
}
