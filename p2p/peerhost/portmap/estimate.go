package portmap

import (
	"sync"
	"time"
)

// What libraries move on sockets of their own cannot be counted, so it is estimated: payload, as at a socket call.
const (
	// mapSent and mapReceived are a minute of keeping the ports for TCP and QUIC
	// mapped by UPnP: three renewals of each, and four questions for the address, over
	// HTTP. NAT-PMP takes a tenth.
	mapSent     = 6*1200 + 4*700
	mapReceived = 6*700 + 4*800
)

// spentEvery is how often what takes place all the time is told.
const spentEvery = time.Second

// steady is what moves evenly over time, for as long as it is looked at.
type steady struct {
	mu   sync.Mutex
	last time.Time
}

// since returns how long it is since the last time this returned more than zero;
// the first time, and after more than a minute without a look, zero.
func (s *steady) since(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := now.Sub(s.last)
	if d < spentEvery {
		return 0
	}
	s.last = now
	if d > time.Minute {
		return 0
	}
	return d
}

// part returns what of the bytes of a minute falls on d.
func part(bytes int, d time.Duration) int { return int(float64(bytes) * d.Minutes()) }
