package demo

import (
	"context"
	"net/http"
	"time"
)

// statusGone is what nginx logs for a request that the client gave up.
const statusGone = 499

// hold waits, and reports whether the client did too.
func hold(ctx context.Context, d time.Duration) bool {
	if d == 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// answerWriter notes when the last bytes of an answer were about to be sent.
type answerWriter struct {
	http.ResponseWriter
	bytes int64
	last  time.Time
	gone  bool // the client was, before all was sent
}

// end returns what Hit.End is of an answer to a request that was read at start.
func (w *answerWriter) end(start time.Time) time.Time {
	if w.gone || w.last.IsZero() {
		return start
	}
	return w.last
}

// atOnce is how much of a long answer is sent between two looks at the clock.
// It is less than what a socket holds, so the last piece never waits for long.
const atOnce = 64 << 10

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) {
	w.last = time.Now()
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *answerWriter) Write(b []byte) (int, error) {
	written := 0
	for {
		w.last = time.Now()
		piece := b[written:min(written+atOnce, len(b))]
		n, err := w.ResponseWriter.Write(piece)
		written += n
		w.bytes += int64(n)
		w.gone = w.gone || err != nil
		if err != nil || written == len(b) {
			return written, err
		}
	}
}

// Unwrap lets http.ResponseController flush.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
