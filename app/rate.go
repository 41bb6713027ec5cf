package app

import (
	"sync"
	"time"
)

// rateSeconds is how long the mean of a rateMeter is.
const rateSeconds = 60

// rateMeter counts events and knows their mean rate over the last minute.
type rateMeter struct {
	now func() time.Time

	mu      sync.Mutex
	total   uint64
	start   int64 // Unix seconds of the first event's slot, or of the meter's making
	latest  int64 // Unix seconds of the slot written last
	seconds [rateSeconds]uint64
}

func newRateMeter(now func() time.Time) *rateMeter {
	s := now().Unix()
	return &rateMeter{now: now, start: s, latest: s}
}

func (m *rateMeter) add(n uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	m.seconds[m.latest%rateSeconds] += n
	m.total += n
}

// turn clears the slots of seconds that passed without an event.
func (m *rateMeter) turn() {
	now := m.now().Unix()
	if now < m.latest { // the clock was set back: begin anew
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

// count returns the number of events in the last minute.
func (m *rateMeter) count() (sum uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	for _, n := range m.seconds {
		sum += n
	}
	return sum
}

// rate returns the mean per second over the last minute, or since the start if that is
// less, and the number of all events.
func (m *rateMeter) rate() (perSecond float64, total uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	var sum uint64
	for _, n := range m.seconds {
		sum += n
	}
	return float64(sum) / float64(min(max(m.latest-m.start, 1), rateSeconds)), m.total
}
