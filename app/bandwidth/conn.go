package bandwidth

import (
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Sites is a Budget as the connections to web sites see it.
type Sites struct{ budget *Budget }

// Sites returns b for connections to web sites.
func (b *Budget) Sites() Sites { return Sites{b} }

// Prepare sets up a socket that is about to connect: what comes before the first
// read should not be more than the rate allows.
func (s Sites) Prepare(c syscall.RawConn) {
	if size := s.budget.down.receiveBuffer(s.budget.down.readers.Load() + 1); size > 0 {
		// A preference; without it all works the same.
		_ = c.Control(func(fd uintptr) { _ = setReceiveBuffer(fd, size) })
	}
}

// Wrap returns a connection whose bytes are held to the budget, as Pages.
func (s Sites) Wrap(c net.Conn) net.Conn {
	w := &Conn{Conn: c, budget: s.budget, closed: make(chan struct{})}
	w.reading.ready, w.writing.ready = make(chan struct{}, 1), make(chan struct{}, 1)
	if sc, ok := c.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			w.raw = raw
			w.buffer.Store(-1) // not known
			w.fitBuffer()
		}
	}
	return w
}

// Conn is a connection that is held to a Budget. Reads are admitted before they
// are made, once there is something to read, and while they wait TCP slows the sender;
// the receive buffer follows the rate. Writes are made in pieces. Deadlines and
// Close end a wait at once.
type Conn struct {
	net.Conn // of the interface's methods only
	raw      syscall.RawConn
	budget   *Budget
	held     atomic.Int64 // nanoseconds
	buffer   atomic.Int32 // of the socket, as last set; 0 if it was not

	closing sync.Once
	closed  chan struct{}

	readBy, writeBy deadline

	readMu  sync.Mutex
	reading waiter

	writeMu sync.Mutex
	writing waiter
}

// Held returns how long reads and writes have waited for the budget in all.
func (c *Conn) Held() time.Duration { return time.Duration(c.held.Load()) }

// Read implements net.Conn. It reads at most what the budget gives.
func (c *Conn) Read(p []byte) (int, error) {
	k := c.budget.down
	if len(p) == 0 || k.open.Load() {
		if c.buffer.Load() != 0 {
			c.fitBuffer()
		}
		n, err := c.Conn.Read(p)
		c.budget.Debit(Pages, false, n)
		return n, err
	}
	c.readMu.Lock()
	defer c.readMu.Unlock()
	k.readers.Add(1)
	defer k.readers.Add(-1)
	c.fitBuffer()
	if c.raw != nil {
		if err := awaitReadable(c.raw); err != nil {
			return 0, c.opError("read", err)
		}
	}
	c.reading.want = len(p)
	if err := c.admit(k, &c.reading, &c.readBy); err != nil {
		return 0, c.opError("read", err)
	}
	got := c.reading.got
	n, err := c.Conn.Read(p[:got])
	k.count(Pages, n)
	k.giveBack(got - n)
	return n, err
}

// Write implements net.Conn. It writes in pieces, as the budget gives.
func (c *Conn) Write(p []byte) (int, error) {
	k := c.budget.up
	if k.open.Load() {
		n, err := c.Conn.Write(p)
		c.budget.Debit(Pages, true, n)
		return n, err
	}
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	done := 0
	for done < len(p) {
		c.writing.want = len(p) - done
		if err := c.admit(k, &c.writing, &c.writeBy); err != nil {
			return done, c.opError("write", err)
		}
		got := c.writing.got
		n, err := c.Conn.Write(p[done : done+got])
		k.count(Pages, n)
		k.giveBack(got - n)
		done += n
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// admit waits until the budget lets w pass.
func (c *Conn) admit(k *bucket, w *waiter, by *deadline) error {
	w.class, w.ticket = Pages, 0
	if k.join(w) {
		return nil
	}
	begin := time.Now()
	defer func() { c.held.Add(int64(time.Since(begin))) }()
	for {
		at, moved := by.get()
		var late <-chan time.Time
		var timer *time.Timer
		if !at.IsZero() {
			timer = time.NewTimer(time.Until(at))
			late = timer.C
		}
		err := error(nil)
		again := false
		select {
		case <-w.ready:
		case <-moved:
			again = true
		case <-late:
			err = os.ErrDeadlineExceeded
		case <-c.closed:
			err = net.ErrClosed
		}
		if timer != nil {
			timer.Stop()
		}
		switch {
		case err != nil:
			k.quit(w)
			return err
		case !again:
			return nil
		}
	}
}

// opError returns err as the connection below would.
func (c *Conn) opError(op string, err error) error {
	if _, ok := err.(*net.OpError); ok {
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.LocalAddr(), Addr: c.RemoteAddr(), Err: err}
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	err := c.Conn.SetDeadline(t)
	c.readBy.set(t)
	c.writeBy.set(t)
	return err
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error {
	err := c.Conn.SetReadDeadline(t)
	c.readBy.set(t)
	return err
}

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	err := c.Conn.SetWriteDeadline(t)
	c.writeBy.set(t)
	return err
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
