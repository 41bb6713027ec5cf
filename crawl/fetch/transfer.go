package fetch

import (
	"errors"
	"os"
	"time"
)

// transfer reads from a connection under the limits of time and rate. Rate is
// judged when the deadline of the socket has passed, which is that of the
// current window, so that reading costs no look at the clock.
type transfer struct {
	conn   *conn
	limits Limits
	// until is when the exchange has to be over. What the Pacer holds back moves
	// it, at most to latest.
	until, latest time.Time
	window        time.Time // when the current window ends
	inWindow      int       // bytes that came in it
	begun         bool      // something has come
	judged        bool      // it had when the window began
	// held is how long the connection had been held back when that was last
	// looked at.
	held time.Duration
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
	for {
		n, err := t.conn.rw.Read(p)
		granted, cut := t.grant()
		switch {
		case cut != nil:
			return n, cut
		case n > 0:
			t.begun = true
			t.inWindow += n
			return n, err
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return 0, err
		case granted && t.inTime(time.Now()):
			continue // the window has just been moved
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
	case t.inTime(now):
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

// inTime reports whether neither the window nor the exchange has to be over.
func (t *transfer) inTime(now time.Time) bool { return now.Before(t.window) && now.Before(t.until) }

// grant gives the site the time that the Pacer has held the connection back
// since it was last looked at, and reports whether there was any.
func (t *transfer) grant() (bool, error) {
	waited := t.conn.sock.held() - t.held
	if waited <= 0 {
		return false, nil
	}
	t.held += waited
	t.window = t.window.Add(waited)
	t.until = t.until.Add(waited)
	if t.latest.Before(t.until) {
		t.until = t.latest
	}
	return true, t.setDeadline()
}
