package fetch

import (
	"errors"
	"os"
	"time"
)

// throttledRead is the most a read moves where transfers are throttled: half
// a second at 256 kbit/s.
const throttledRead = 16 << 10

// transfer reads from a connection under the limits of time and rate, and
// pays the throttle. Rate is judged when the deadline of the socket has
// passed, which is that of the current window, so that reading costs no look
// at the clock.
type transfer struct {
	conn   *conn
	limits Limits
	// wait is Throttle.Wait, nil if nothing is throttled.
	wait func(n int, up bool) error
	// until is when the exchange has to be over. Waiting for the throttle
	// moves it, at most to latest.
	until, latest time.Time
	window        time.Time // when the current window ends
	inWindow      int       // bytes that came in it
	begun         bool      // something has come
	judged        bool      // it had when the window began
	// waited is the time spent in wait, or held back by the Pacer; held is how
	// much the latter was when it was last looked at.
	waited, held time.Duration
	// ended is the Err of the exchange's context.
	ended func() error
}

// begin starts the first window. It must come before the connection is used.
func (t *transfer) begin() error {
	t.latest = t.until.Add(t.limits.Total)
	t.window = time.Now().Add(t.limits.Window)
	t.held = t.conn.sock.held()
	return t.setDeadline()
}

// setDeadline sets the deadline of the socket. It may replace the one that
// was to cut the exchange, so it looks whether there was a reason for one.
func (t *transfer) setDeadline() error {
	at := t.window
	if t.until.Before(at) {
		at = t.until
	}
	if err := t.conn.sock.SetDeadline(at); err != nil {
		return err
	}
	return t.ended()
}

// Read implements io.Reader. The error is errSlow if the exchange takes too
// long or its rate is too low.
func (t *transfer) Read(p []byte) (int, error) {
	if t.wait != nil {
		p = p[:min(len(p), throttledRead)]
	}
	for {
		n, err := t.conn.rw.Read(p)
		if held := t.conn.sock.held() - t.held; held > 0 {
			t.held += held
			if stop := t.grant(held); stop != nil {
				return n, stop
			}
			if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && time.Now().Before(t.window) && time.Now().Before(t.until) {
				continue // the window has just been moved
			}
		}
		if n > 0 {
			t.begun = true
			t.inWindow += n
			if t.wait != nil && err == nil {
				err = t.payDown()
			}
			return n, err
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return 0, err
		}
		if err := t.nextWindow(); err != nil {
			return 0, err
		}
	}
}

// nextWindow judges the window that has ended. A deadline that did not come
// from it was set to cut the exchange.
func (t *transfer) nextWindow() error {
	now := time.Now()
	switch {
	case now.Before(t.window) && now.Before(t.until):
		return os.ErrDeadlineExceeded
	case !now.Before(t.until), t.judged && t.slow():
		return errSlow
	}
	t.judged = t.begun
	t.window, t.inWindow = now.Add(t.limits.Window), 0
	return t.setDeadline()
}

// slow reports whether too little has come in the window.
func (t *transfer) slow() bool {
	return float64(t.inWindow) < float64(t.limits.Rate)*t.limits.Window.Seconds()
}

// payUp waits until n more bytes may be written.
func (t *transfer) payUp(n int) error {
	if t.wait == nil {
		return nil
	}
	c := t.conn
	n += int(c.sock.sent - c.paidUp)
	c.paidUp += int64(n)
	return t.pay(n, true)
}

// payDown waits until what was read is paid for.
func (t *transfer) payDown() error {
	c := t.conn
	n := int(c.sock.received - c.paidDown)
	c.paidDown += int64(n)
	return t.pay(n, false)
}

// pay waits for the throttle and gives the site the time that took.
func (t *transfer) pay(n int, up bool) error {
	if n == 0 {
		return nil // TLS had more decrypted than was asked for
	}
	begin := time.Now()
	if err := t.wait(n, up); err != nil {
		return err
	}
	return t.grant(time.Since(begin))
}

// grant gives the site time that it was made to wait.
func (t *transfer) grant(waited time.Duration) error {
	t.waited += waited
	t.window = t.window.Add(waited)
	t.until = t.until.Add(waited)
	if t.latest.Before(t.until) {
		t.until = t.latest
	}
	return t.setDeadline()
}
