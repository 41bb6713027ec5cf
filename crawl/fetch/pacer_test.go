package fetch

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// slowPacer holds back each read for a while, as far as the deadline lets it.
type slowPacer struct {
	each     time.Duration
	prepared atomic.Int64
}

func (p *slowPacer) Prepare(syscall.RawConn) { p.prepared.Add(1) }

func (p *slowPacer) Wrap(c net.Conn) net.Conn { return &slowConn{Conn: c, each: p.each} }

type slowConn struct {
	net.Conn
	each     time.Duration
	held     time.Duration
	deadline time.Time
	left     time.Duration
}

func (c *slowConn) SetDeadline(t time.Time) error {
	c.deadline = t
	return c.Conn.SetDeadline(t)
}

func (c *slowConn) Held() time.Duration { return c.held }

func (c *slowConn) Read(p []byte) (int, error) {
	if c.left == 0 {
		c.left = c.each
	}
	wait := min(c.left, time.Until(c.deadline))
	if wait > 0 {
		time.Sleep(wait)
		c.held += wait
		c.left -= wait
	}
	if c.left > 0 {
		return 0, os.ErrDeadlineExceeded
	}
	return c.Conn.Read(p[:min(len(p), 1000)])
}

// The site is not blamed for the rate that our user allows, nor is its page cut.
func TestPacer_HeldBackTimeIsNotTheSites(t *testing.T) {
	page := strings.Repeat("page ", 1000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, page)
	}))
	defer s.Close()
	p := &slowPacer{each: 30 * time.Millisecond}
	c := newLab(t, Config{Pacer: p, Limits: Limits{Window: 20 * time.Millisecond, Rate: 1 << 20, Total: 300 * time.Millisecond}})
	r := get(t, c, request(t, s.URL))
	if string(r.Payload) != page || r.Truncated != "" {
		t.Errorf("got %d bytes of %d, truncated %q", len(r.Payload), len(page), r.Truncated)
	}
	if r.Took > 100*time.Millisecond {
		t.Errorf("Took = %v with what our own user's rate took", r.Took)
	}
	if p.prepared.Load() != 1 {
		t.Errorf("%d sockets were prepared, want 1", p.prepared.Load())
	}
	if m := c.conf.Meter; m.Received() != r.Received || m.Received() < int64(len(page)) {
		t.Errorf("meter says %d bytes, response %d", m.Received(), r.Received)
	}
}
