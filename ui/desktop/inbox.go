package desktop

import (
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
)

const (
	// inboxWait is how long events are gathered: each delivery draws the window again.
	inboxWait = 200 * time.Millisecond
	// maxInbox is how many events wait at most; of more the oldest are missed.
	maxInbox = 2000
)

// inbox gathers events that come one by one and delivers them together on the UI goroutine.
type inbox struct {
	d       *desk.Desk
	deliver func(events []api.Event, missed bool)

	mu      sync.Mutex
	events  []api.Event
	missed  bool
	pending bool
}

func newInbox(d *desk.Desk, deliver func([]api.Event, bool)) *inbox {
	return &inbox{d: d, deliver: deliver}
}

// put takes a page of events. It never waits.
func (i *inbox) put(p api.EventPage) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.missed = i.missed || p.Dropped
	i.events = append(i.events, p.Events...)
	if over := len(i.events) - maxInbox; over > 0 {
		i.events = append(i.events[:0], i.events[over:]...)
		i.missed = true
	}
	if !i.pending {
		i.pending = true
		i.d.After(inboxWait, i.empty)
	}
}

func (i *inbox) empty() {
	i.mu.Lock()
	events, missed := i.events, i.missed
	i.events, i.missed, i.pending = nil, false, false
	i.mu.Unlock()
	i.deliver(events, missed)
}
