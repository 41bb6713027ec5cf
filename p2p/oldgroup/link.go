package oldgroup

import (
	"context"
	"sync"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
)

const (
	// callTimeout bounds one exchange with a peer, with a second more for every slowest bytes of the packet, callMost at most in
	// all. It is longer than a slow disk takes; and who stands by sends, and takes, no more than 4,000 bytes a second.
	callTimeout = 10 * time.Second
	slowest     = 2 << 10
	callMost    = time.Minute

	// A packet takes no more than smallPacket, so that what keeps a leader gets through between them; twice as much, up to
	// fullPacket, if one that was well filled took less than fastCall to be answered, and smallPacket again if one took longer than
	// slowCall or did not reach the peer.
	smallPacket = 16 << 10
	slowCall    = 3 * time.Second
	fastCall    = time.Second
)

// link brings packets to one peer, one after another.
type link struct {
	s    *Groups
	peer string

	mu    sync.Mutex
	box   outbox
	full  int                   // how many bytes a packet takes
	held  map[string]heldCommit // by log
	busy  bool                  // a goroutine sends
	timer *time.Timer           // for what is held, nil if nothing is
}

// heldCommit is an empty append that waits for one with entries to make it superfluous.
type heldCommit struct {
	head part
	due  time.Time
}

// add puts a part into the outbox. What is held of the log goes before it, unless it is
// superfluous now: who is to take over must know what is committed.
func (l *link) add(p part) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h, ok := l.held[p.log]; ok {
		delete(l.held, p.log)
		if !supersedes(p.messages, h.head.messages[0]) {
			l.box.put(h.head)
		}
	}
	l.box.put(p)
}

// supersedes reports whether messages say what a held one does, and more.
func supersedes(messages []*pb.Message, held *pb.Message) bool {
	for _, m := range messages {
		if m.GetType() == pb.MsgApp && m.GetTerm() >= held.GetTerm() {
			return true
		}
	}
	return false
}

// hold keeps a part for a while in which a later one may take its place.
func (l *link) hold(p part) {
	l.mu.Lock()
	defer l.mu.Unlock()
	due := time.Now().Add(holdCommit)
	if h, ok := l.held[p.log]; ok {
		due = h.due
		p.flags |= h.head.flags
		p.trim = max(p.trim, h.head.trim)
	}
	if l.held == nil {
		l.held = make(map[string]heldCommit)
	}
	l.held[p.log] = heldCommit{p, due}
}

// kick sees to it that what is there is sent.
func (l *link) kick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.busy {
		return
	}
	if !l.ready() {
		l.arm()
		return
	}
	l.busy = l.s.spawn(l.run)
}

// ready reports whether there is something to send now.
func (l *link) ready() bool {
	if len(l.box.parts) > 0 {
		return true
	}
	for _, h := range l.held {
		if !time.Now().Before(h.due) {
			return true
		}
	}
	return false
}

// arm sets the timer for what is held.
func (l *link) arm() {
	if l.timer != nil || len(l.held) == 0 {
		return
	}
	due := time.Time{}
	for _, h := range l.held {
		if due.IsZero() || h.due.Before(due) {
			due = h.due
		}
	}
	l.timer = time.AfterFunc(time.Until(due), func() {
		l.mu.Lock()
		l.timer = nil
		l.mu.Unlock()
		l.kick()
	})
}

// take returns what to send now; nil, and the link is not busy, if there is nothing.
// What is held goes with a packet that goes anyway.
func (l *link) take() []*part {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ready() {
		l.busy = false
		l.arm()
		return nil
	}
	for log, h := range l.held {
		l.box.put(h.head)
		delete(l.held, log)
	}
	return l.box.take(l.full)
}

// paced notes how long a packet took to be answered, or that it was not.
func (l *link) paced(size int, took time.Duration, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil || took > slowCall:
		l.full = smallPacket
	case took < fastCall && size >= l.full/4:
		l.full = min(2*l.full, fullPacket)
	}
}

// drain empties the link.
func (l *link) drain() []*part {
	l.mu.Lock()
	defer l.mu.Unlock()
	parts := l.box.parts
	l.box = outbox{}
	return parts
}

func (l *link) run(ctx context.Context) {
	for {
		parts := l.take()
		if parts == nil {
			return
		}
		began := time.Now()
		packet := encodeRequest(parts)
		answer, err := l.call(ctx, packet)
		l.paced(len(packet), time.Since(began), err)
		if err != nil {
			l.s.cfg.Log.Debug("Packet for logs not delivered", "peer", show(l.peer), "err", err)
			l.s.unreachable(l.peer, append(parts, l.drain()...))
			continue
		}
		if err := l.s.answered(l.peer, parts, answer); err != nil {
			l.s.cfg.Log.Debug("Answer for logs not understood", "peer", show(l.peer), "err", err)
		}
	}
}

func (l *link) call(ctx context.Context, packet []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, min(callTimeout+time.Duration(len(packet)/slowest)*time.Second, callMost))
	defer cancel()
	return l.s.cfg.Call(ctx, l.peer, packet)
}

// stop forgets what is to be sent, and its timer.
func (l *link) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.timer != nil && l.timer.Stop() {
		l.timer = nil
	}
	l.box, l.held = outbox{}, nil
}
