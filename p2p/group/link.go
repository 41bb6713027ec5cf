package group

import (
	"context"
	"sync"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
)

// callTimeout bounds one exchange with a peer. It is longer than a slow disk takes.
const callTimeout = 10 * time.Second

// link brings packets to one peer, one after another.
type link struct {
	s    *Groups
	peer string

	mu    sync.Mutex
	box   outbox
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
	return l.box.take()
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
		answer, err := l.call(ctx, encodeRequest(parts))
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
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
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
