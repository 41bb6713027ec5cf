package stream

import "time"

// pace fits what is asked of a peer at a time to the link to it. What lies in the buffers of a slow one holds
// up heartbeats, and what is asked for again too soon it carries many times over. The zero pace begins in the
// middle.
type pace struct {
	doublings uint // doublings of the time that an answer may take
	halvings  int  // of what is asked for, from the middle on
}

const (
	maxDoublings = 3
	middleRoom   = chunkSize / 8 // eight seconds of what a node on standby may move
	mostHalvings = 2             // and one doubling more
)

// patience is how long an answer may take.
func (p *pace) patience(retry time.Duration) time.Duration { return retry << p.doublings }

// room is how many bytes may be under way.
func (p *pace) room() int {
	if p.halvings < 0 {
		return middleRoom << -p.halvings
	}
	return middleRoom >> p.halvings
}

// late notes that no answer came in time.
func (p *pace) late() {
	p.doublings = min(p.doublings+1, maxDoublings)
	p.halvings = min(p.halvings+1, mostHalvings)
}

// came notes how long an answer took.
func (p *pace) came(after, retry time.Duration) {
	p.doublings -= min(p.doublings, 1)
	switch {
	case after > retry:
		p.halvings = min(p.halvings+1, mostHalvings)
	case after < retry/2:
		p.halvings = max(p.halvings-1, -mostHalvings-1)
	}
}
