package bandwidth

import (
	"context"
	"time"
)

// Peers is a Budget as the connections to other nodes see it.
type Peers struct{ budget *Budget }

// Peers returns b for connections to other nodes.
func (b *Budget) Peers() Peers { return Peers{b} }

// announcedFor is how long frames that may be sent are expected at the sockets;
// what does not come was lost with its connection.
const announcedFor = 2 * time.Second

// peerAccount relates frames to sockets. It is guarded by bucket.mu.
type peerAccount struct {
	// announced was admitted, and is debited, but no socket has moved it yet.
	announced [Classes]int
	last      time.Time // when something was announced
}

// Socket debits n bytes that a socket to peers has moved. It does not block.
func (p Peers) Socket(sent bool, n int) {
	if n <= 0 {
		return
	}
	k := p.budget.way(sent)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refill()
	if !sent {
		k.unclaimed[0] += int64(n)
		k.spend(n)
		return
	}
	a := &k.peers
	if k.at.Sub(a.last) > announcedFor {
		a.announced = [Classes]int{}
	}
	for c := range a.announced {
		covered := min(n, a.announced[c])
		a.announced[c] -= covered
		k.totals[c] += int64(covered)
		n -= covered
	}
	k.totals[Control] += int64(n)
	k.spend(n)
}

// Send sends a frame of Work or Bulk in pieces as the rate allows, each with one call
// of write, in order; one of Control at once and in one. It returns the error of ctx or of write.
func (p Peers) Send(ctx context.Context, class Class, frame []byte, write func([]byte) (int, error)) error {
	k := p.budget.up
	if class == Control || class >= Classes {
		if err := p.pass(ctx); err != nil {
			return err
		}
		_, err := write(frame)
		return err
	}
	if k.open.Load() {
		return k.write(class, frame, write)
	}
	w := waiter{class: class, ready: make(chan struct{}, 1)}
	for len(frame) > 0 {
		w.want = len(frame)
		if err := k.take(ctx, &w); err != nil {
			return err
		}
		if err := k.write(class, frame[:w.got], write); err != nil {
			return err
		}
		frame = frame[w.got:]
	}
	return nil
}

// write writes a piece that was admitted.
func (k *bucket) write(class Class, piece []byte, write func([]byte) (int, error)) error {
	k.announce(class, len(piece))
	n, err := write(piece)
	if err != nil {
		k.unannounce(class, len(piece)-n)
	}
	return err
}

// pass waits while nothing may be sent at all.
func (p Peers) pass(ctx context.Context) error {
	if !p.budget.up.shut.Load() {
		return nil
	}
	w := waiter{class: Control, paid: true, want: 1, ready: make(chan struct{}, 1)}
	return p.budget.up.take(ctx, &w)
}

// Received is told of n bytes of a frame that were read, and returns when they are
// paid for and more may come. It returns early with the error of ctx.
func (p Peers) Received(ctx context.Context, class Class, n int) error {
	if class == Control || class >= Classes || n <= 0 {
		return nil
	}
	k := p.budget.down
	k.mu.Lock()
	k.roll(time.Now())
	k.claim(class, n)
	k.mu.Unlock()
	if k.open.Load() {
		return nil
	}
	w := waiter{class: class, paid: true, want: n, ready: make(chan struct{}, 1)}
	return k.take(ctx, &w)
}

func (k *bucket) announce(class Class, n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.peers.announced[class] += n
	k.peers.last = time.Now()
}

func (k *bucket) unannounce(class Class, n int) {
	if n <= 0 {
		return
	}
	k.mu.Lock()
	left := k.peers.announced[class]
	k.peers.announced[class] = max(left-n, 0)
	k.mu.Unlock()
	k.giveBack(n)
}
