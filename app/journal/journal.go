package journal

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
)

// Size is how many events are kept for readers that come late. A
// reader slower than that skips; it never holds up the engine.
const Size = 4096

// Journal keeps the latest events under increasing numbers.
type Journal struct {
	mu      sync.Mutex
	events  []api.Event // at most Size, event n at (n-1) % Size: a node at rest has few
	last    uint64      // the number of the latest event; the first is 1
	more    chan struct{}
	awaited bool // somebody waits for more
	now     func() time.Time
}

// New returns a journal without events.
func New(now func() time.Time) *Journal {
	return &Journal{more: make(chan struct{}), now: now}
}

// Add gives an event its number, time, place and text and wakes who waits for it.
func (j *Journal) Add(e api.Event) {
	e.In(words.English)
	e.At = -1
	if e.Domain != "" {
		e.At = crawl.KeyOf(crawl.Domain(e.Domain)).Place()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last++
	e.ID, e.Time = j.last, j.now()
	if len(j.events) < Size {
		j.events = append(j.events, e)
	} else {
		j.events[(e.ID-1)%Size] = e
	}
	if j.awaited {
		close(j.more)
		j.more, j.awaited = make(chan struct{}), false
	}
}

// Events returns at most limit events after the given number, the number to go
// on from, and whether some are no longer kept.
func (j *Journal) Events(n uint64, limit int) (events []api.Event, next uint64, dropped bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n = min(n, j.last)
	if j.last-n > Size {
		n, dropped = j.last-Size, true
	}
	events = make([]api.Event, 0, min(int(j.last-n), max(limit, 0)))
	for ; n < j.last && len(events) < limit; n++ {
		events = append(events, j.events[n%Size])
	}
	return events, n, dropped
}

// Wait returns when there are events after the given number, or ctx is done.
func (j *Journal) Wait(ctx context.Context, n uint64) {
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

// Seq returns the number of the latest event.
func (j *Journal) Seq() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.last
}
