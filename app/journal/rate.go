package journal

import (
	"sync"
	"time"
)

// rateSeconds is how long the mean of a Rate is.
const rateSeconds = 60

// Rate counts events and knows their mean rate over the last minute.
type Rate struct {
	now func() time.Time

	mu      sync.Mutex
	total   uint64
	start   int64 // Unix seconds of the first event's slot, or of the meter's making
	latest  int64 // Unix seconds of the slot written last
	seconds [rateSeconds]uint64
}

// NewRate returns a Rate without events.
func NewRate(now func() time.Time) *Rate {
	s := now().Unix()
	return &Rate{now: now, start: s, latest: s}
}

// Add counts events that happen now.
func (m *Rate) Add(n uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	m.seconds[m.latest%rateSeconds] += n
	m.total += n
}

// turn clears the slots of seconds that passed without an event.
func (m *Rate) turn() {
	now := m.now().Unix()
	if now < m.latest { // the clock was set back: begin again
		m.start = now
	}
	if now-m.latest >= rateSeconds || now < m.latest {
		clear(m.seconds[:])
		m.latest = now
		return
	}
	for m.latest < now {
		m.latest++
		m.seconds[m.latest%rateSeconds] = 0
	}
}

// Count returns the number of events in the last minute.
func (m *Rate) Count() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sum()
}

// PerSecond returns the mean per second over the last minute, or since the start if that is less, and the number of all
// events.
func (m *Rate) PerSecond() (perSecond float64, total uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := m.sum()
	return float64(sum) / float64(min(max(m.latest-m.start, 1), rateSeconds)), m.total
}

// sum adds up the last minute. m.mu is held.
func (m *Rate) sum() (sum uint64) {
	m.turn()
	for _, n := range m.seconds {
		sum += n
	}
	return sum
}
