package driver

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/stream"
)

const (
	// maxLinks bounds the peers and lanes that something is being sent to, or was in vain.
	maxLinks = 4096
	// maxQueue is how many bytes may wait for a peer in a lane. The newest are dropped: the node repeats.
	maxQueue = 4 << 20
	// maxBusy is how often a packet is sent to a peer that is busy.
	maxBusy = 4
	// minBackOff and maxBackOff bound how long nothing is sent where nothing arrived. It ends early when the
	// peer is heard.
	minBackOff, maxBackOff = 250 * time.Millisecond, 30 * time.Second
	// sendTime is how long a packet may take, and a second more for every slowest bytes. One of the lane of
	// heartbeats has beatsPerSend beats in its place: on a line that loses every tenth packet a round trip takes up to
	// three, and a stream that is given up takes its packet along.
	sendTime     = 30 * time.Second
	beatsPerSend = 4
	slowest      = 4 << 10
)

// width is how many packets of a lane are on their way to a peer at a time. Those of other lanes gather meanwhile; a
// heartbeat for each beat arrives however long a round trip takes, and a leader is known to be there.
func width(lane stream.Lane) int {
	if lane == stream.LaneBeat {
		return beatsPerSend
	}
	return 1
}

// senders bring packets to peers: for each peer and lane as many goroutines as packets are on their way.
type senders struct {
	net     Net
	beat    time.Duration
	idle    func() // is called when a link has nothing more to send; it must not block
	running sync.WaitGroup

	mu     sync.Mutex
	links  map[linkKey]*link
	counts [stream.NumLanes]Traffic
}

// Traffic is what went through a lane, in packets and their bytes before compression.
type Traffic struct {
	Sent, SentBytes         int
	Received, ReceivedBytes int
	Dropped                 int // not sent: the queue was full, or the peer cannot be reached
	Refused                 int // not received: there was no room
}

type linkKey struct {
	to   crawl.PeerID
	lane stream.Lane
}

// link is a queue to a peer. It is guarded by senders.mu.
type link struct {
	queue    [][]byte
	bytes    int
	sends    int // packets on their way
	failures int // in a row
	until    time.Time
	busy     time.Time // until when the peer wants none of these
}

func newSenders(net Net, beat time.Duration) *senders {
	return &senders{net: net, beat: beat, idle: func() {}, links: make(map[linkKey]*link)}
}

// push queues a packet. What waits when ctx ends is dropped.
func (s *senders) push(ctx context.Context, to crawl.PeerID, lane stream.Lane, packet []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, cost := linkKey{to, lane}, len(packet)+packetCost
	l := s.links[key]
	if l == nil {
		if l = new(link); !s.makeRoom() {
			s.counts[lane].Dropped++
			return
		}
		s.links[key] = l
	}
	if l.bytes+cost > maxQueue || time.Now().Before(l.until) || time.Now().Before(l.busy) {
		s.counts[lane].Dropped++
		return
	}
	l.queue, l.bytes = append(l.queue, packet), l.bytes+cost
	if l.sends < width(lane) {
		l.sends++
		s.running.Go(func() { s.drain(ctx, key, l) })
	}
}

// makeRoom forgets links that nothing is sent over, if there are too many.
func (s *senders) makeRoom() bool {
	if len(s.links) >= maxLinks {
		maps.DeleteFunc(s.links, func(_ linkKey, l *link) bool { return l.sends == 0 })
	}
	return len(s.links) < maxLinks
}

// drain sends what waits until nothing does.
func (s *senders) drain(ctx context.Context, key linkKey, l *link) {
	for packet := s.next(ctx, key, l); packet != nil; packet = s.next(ctx, key, l) {
		err := s.send(ctx, key, packet)
		s.mu.Lock()
		if err == nil {
			s.counts[key.lane].Sent++
			s.counts[key.lane].SentBytes += len(packet)
			l.failures = 0
		} else {
			s.failed(key, l, err)
		}
		s.mu.Unlock()
	}
	s.idle()
}

// busy reports whether as much is being sent to a peer in a lane as may be. More packets would wait for that one by
// one, and where a round trip takes longer than it takes to make them, ever longer.
func (s *senders) busy(to crawl.PeerID, lane stream.Lane) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.links[linkKey{to, lane}]
	return l != nil && l.sends == width(lane)
}

// next takes the oldest packet. nil ends the goroutine.
func (s *senders) next(ctx context.Context, key linkKey, l *link) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		l.queue, l.bytes = nil, 0
	}
	if len(l.queue) == 0 {
		if l.sends--; l.sends == 0 && l.failures == 0 {
			delete(s.links, key)
		}
		return nil
	}
	packet := l.queue[0]
	l.queue, l.bytes = l.queue[1:], l.bytes-len(packet)-packetCost
	return packet
}

// failed drops what waits, since it is old when the peer is there again, and backs off. s.mu is held.
func (s *senders) failed(key linkKey, l *link, err error) {
	if busy, is := errors.AsType[*calls.Busy](err); is {
		l.busy = time.Now().Add(busy.After)
	}
	s.counts[key.lane].Dropped += 1 + len(l.queue)
	l.queue, l.bytes = nil, 0
	l.until = time.Now().Add(jitter(min(minBackOff<<min(l.failures, 10), maxBackOff)))
	l.failures++
}

// jitter returns three quarters of d to five quarters.
func jitter(d time.Duration) time.Duration { return d*3/4 + rand.N(d/2) }

// send sends one packet, again while the peer is busy. One that is so for longer than a beat gets no acts
// meanwhile: the node repeats them by itself, so that there would be several of each.
func (s *senders) send(ctx context.Context, key linkKey, packet []byte) error {
	limit := sendTime
	if key.lane == stream.LaneBeat {
		limit = beatsPerSend * s.beat
	}
	limit += time.Duration(len(packet)/slowest) * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for tries := 1; ; tries++ {
		err := s.net.Send(ctx, key.to, key.lane, packet)
		busy, is := errors.AsType[*calls.Busy](err)
		if !is || tries == maxBusy || key.lane == stream.LaneAct && busy.After > s.beat {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(busy.After + rand.N(busy.After/2+time.Millisecond)): // who comes sooner is sent away again
		}
	}
}

// heard ends the back-off for a peer, which is there again.
func (s *senders) heard(from crawl.PeerID, lane stream.Lane, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[lane].Received++
	s.counts[lane].ReceivedBytes += size
	for lane := range stream.Lane(stream.NumLanes) {
		if l := s.links[linkKey{from, lane}]; l != nil {
			l.failures, l.until = 0, time.Time{}
		}
	}
}

// refused counts a packet that found no room.
func (s *senders) refused(lane stream.Lane) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts[lane].Refused++
}
