package app

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
)

// journalSize is how many events are kept for readers that come late. A
// reader slower than that skips; it never holds up the engine.
const journalSize = 4096

// journal keeps the latest events under increasing numbers.
type journal struct {
	mu      sync.Mutex
	events  [journalSize]api.Event
	last    uint64 // the number of the latest event; the first is 1
	more    chan struct{}
	awaited bool // somebody waits for more
	now     func() time.Time
}

func newJournal(now func() time.Time) *journal {
	return &journal{more: make(chan struct{}), now: now}
}

// add gives an event its number, time and place and wakes who waits for it.
func (j *journal) add(e api.Event) {
	e.At = -1
	if e.Domain != "" {
		e.At = crawl.KeyOf(crawl.Domain(e.Domain)).Place()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	e.ID, e.Time = j.last, j.now()
	j.events[j.last%journalSize] = e
	if j.awaited {
		close(j.more)
		j.more, j.awaited = make(chan struct{}), false
	}
}

// since returns at most limit events after the given number, the number to go
// on from, and whether some are no longer kept.
func (j *journal) since(n uint64, limit int) (events []api.Event, next uint64, dropped bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n = min(n, j.last)
	if j.last-n > journalSize {
		n, dropped = j.last-journalSize, true
	}
	events = make([]api.Event, 0, min(int(j.last-n), max(limit, 0)))
	for ; n < j.last && len(events) < limit; n++ {
		events = append(events, j.events[(n+1)%journalSize])
	}
	return events, n, dropped
}

// wait returns when there are events after the given number, or ctx is done.
func (j *journal) wait(ctx context.Context, n uint64) {
	j.mu.Lock()
	more, there := j.more, j.last > n
	j.awaited = j.awaited || !there
	j.mu.Unlock()
	if there {
		return
	}
	select {
	case <-more:
	case <-ctx.Done():
	}
}

func (j *journal) seq() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}
