package bandwidth

import (
	"sync"
	"time"
)

// deadline is one of a Conn, as its waits see it.
type deadline struct {
	mu    sync.Mutex
	at    time.Time
	moved chan struct{} // nil if nobody waits, else closed when at changes
}

func (d *deadline) set(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = at
	if d.moved != nil {
		close(d.moved)
		d.moved = nil
	}
}

// get returns the deadline, and what is closed when there is another.
func (d *deadline) get() (time.Time, <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.moved == nil {
		d.moved = make(chan struct{})
	}
	return d.at, d.moved
}
