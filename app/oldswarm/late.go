package swarm

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
)

const (
	// maxLate and maxLateBytes bound the late outcomes that are kept, all domains together, and the
	// URLs of their links. One that finds no room is lost, and its page is fetched again if need be.
	maxLate      = 1024
	maxLateBytes = 4 << 20
	// keptFor is how long they are kept. Whoever has the tasks has brought them home by then, or its
	// lease has lapsed.
	keptFor = giveUpAfter
)

// late keeps outcomes that came when their lease was over and another had the same task. That one has
// fetched the page again, or will; if it does not come home either, they settle the task after all. They are
// in the memory of who leads the log alone.
type late struct {
	mu    sync.Mutex
	kept  map[crawl.Domain]*lateReports
	busy  map[crawl.Domain]bool // being settled
	count int
	bytes int
}

type lateReports struct {
	reports []frontier.Report
	bytes   int
	since   time.Time
}

func newLate() *late {
	return &late{kept: make(map[crawl.Domain]*lateReports), busy: make(map[crawl.Domain]bool)}
}

// keep takes an outcome, if there is room.
func (k *late) keep(r *frontier.Report, now time.Time) {
	size := sizeOf(r.Outcome)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.count >= maxLate || k.bytes+size > maxLateBytes {
		for d, l := range k.kept {
			if now.Sub(l.since) > keptFor {
				k.drop(d)
			}
		}
		if k.count >= maxLate || k.bytes+size > maxLateBytes {
			return
		}
	}
	l := k.kept[r.Outcome.Domain]
	if l == nil {
		l = &lateReports{since: now}
		k.kept[r.Outcome.Domain] = l
	}
	l.reports, l.bytes = append(l.reports, *r), l.bytes+size
	k.count++
	k.bytes += size
}

// drop forgets what is kept of a domain. k.mu is held.
func (k *late) drop(d crawl.Domain) {
	l := k.kept[d]
	k.count -= len(l.reports)
	k.bytes -= l.bytes
	delete(k.kept, d)
}

// take returns what is kept of a domain, which settled must be called for if it is anything.
func (k *late) take(d crawl.Domain, now time.Time) []frontier.Report {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.kept[d]
	if l == nil || k.busy[d] {
		return nil
	}
	k.drop(d)
	if now.Sub(l.since) > keptFor {
		return nil
	}
	k.busy[d] = true
	return l.reports
}

func (k *late) settled(d crawl.Domain) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.busy, d)
}

func (k *late) isBusy(d crawl.Domain) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.busy[d]
}

// settleLate settles what was kept of a domain, now that nobody has its tasks.
func (s *Swarm) settleLate(d crawl.Domain, reports []frontier.Report) {
	defer s.late.settled(d)
	ctx, cancel := context.WithTimeout(s.life, overdueFor)
	defer cancel()
	_, err := s.settle(ctx, reports, make([]bool, len(reports)), nil, func(*frontier.Report, bool) {})
	if err != nil {
		s.log.Debug("Late outcomes are not settled", "domain", d, "outcomes", len(reports), "error", err)
	}
}
