package calls

import (
	"context"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

const (
	// callerIdle is how long an idle stream is kept.
	callerIdle = 60 * time.Second
	// keptStreams is how many idle streams are kept per peer and class: two
	// carry a steady conversation, more would only be left over from bursts.
	keptStreams = 2
	// maxKept bounds the idle streams in all.
	maxKept = 1024
)

// lane is what leads to one peer in one class.
type lane struct {
	key laneKey
	// slots holds a token per call in flight.
	slots chan struct{}

	// guarded by pool.mu
	users int         // calls in flight or waiting
	idle  []*idleLink // longest idle first
}

type laneKey struct {
	to    peer.ID
	class Class
}

// idleLink is a stream that waits for its next call.
type idleLink struct {
	*link
	since time.Time
}

// pool keeps idle streams, and calls to the number a peer accepts.
type pool struct {
	mu    sync.Mutex
	lanes map[laneKey]*lane // with users or idle streams
	kept  int
	open  bool
}

func newPool() *pool {
	return &pool{lanes: make(map[laneKey]*lane), open: true}
}

// join waits for a place among the calls to a peer. leave must follow.
func (p *pool) join(ctx context.Context, to peer.ID, class Class) (*lane, error) {
	key := laneKey{to, class}
	p.mu.Lock()
	l := p.lanes[key]
	if l == nil {
		l = &lane{key: key, slots: make(chan struct{}, boundsOf(class).perPeer)}
		p.lanes[key] = l
	}
	l.users++
	p.mu.Unlock()
	select {
	case l.slots <- struct{}{}:
		return l, nil
	case <-ctx.Done():
		p.quit(l)
		return nil, ctx.Err()
	}
}

// leave gives the place back.
func (p *pool) leave(l *lane) {
	<-l.slots
	p.quit(l)
}

func (p *pool) quit(l *lane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.users--
	p.forgetLocked(l)
}

func (p *pool) forgetLocked(l *lane) {
	if l.users == 0 && len(l.idle) == 0 {
		delete(p.lanes, l.key)
	}
}

// take returns the stream that was used last and passes usable, or nil. Those
// that do not pass are closed.
func (p *pool) take(l *lane, usable func(network.Stream) bool) *link {
	for {
		p.mu.Lock()
		n := len(l.idle)
		if n == 0 {
			p.mu.Unlock()
			return nil
		}
		last := l.idle[n-1].link
		l.idle = l.idle[:n-1]
		p.kept--
		p.mu.Unlock()
		if usable(last.stream) {
			return last
		}
		last.close()
	}
}

// put keeps a stream for later calls, or closes it if there are enough.
func (p *pool) put(l *lane, used *link) {
	p.mu.Lock()
	keep := p.open && len(l.idle) < keptStreams && p.kept < maxKept
	if keep {
		l.idle = append(l.idle, &idleLink{used, time.Now()})
		p.kept++
	}
	p.mu.Unlock()
	if !keep {
		used.close()
	}
}

// serve closes streams that have been idle for long, until ctx ends.
func (p *pool) serve(ctx context.Context) {
	p.mu.Lock()
	p.open = true
	p.mu.Unlock()
	timer := time.NewTimer(callerIdle)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-timer.C:
			timer.Reset(p.expire(now.Add(-callerIdle)))
		}
	}
}

// stop closes all idle streams and keeps no more.
func (p *pool) stop() {
	p.mu.Lock()
	p.open = false
	p.mu.Unlock()
	p.expire(time.Now())
}

// expire closes the streams that have been idle since limit or before, and
// returns how long it is until the next one.
func (p *pool) expire(limit time.Time) time.Duration {
	next := callerIdle
	var old []*link
	p.mu.Lock()
	for _, l := range p.lanes {
		for len(l.idle) > 0 && !l.idle[0].since.After(limit) {
			old = append(old, l.idle[0].link)
			l.idle = l.idle[1:]
			p.kept--
		}
		if len(l.idle) > 0 {
			next = min(next, l.idle[0].since.Sub(limit))
		}
		p.forgetLocked(l)
	}
	p.mu.Unlock()
	for _, link := range old {
		link.close()
	}
	return next
}

// close ends a stream on which no request is under way.
func (l *link) close() {
	if err := l.stream.Close(); err != nil {
		l.reset()
	}
}

// reset ends a stream at once.
func (l *link) reset() {
	// The error says that it had ended.
	_ = l.stream.Reset()
}
