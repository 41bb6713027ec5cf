package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// slowPacer holds back each read for a while, as far as the deadline lets it.
type slowPacer struct {
	each     time.Duration
	prepared atomic.Int64
	reached  atomic.Int64 // sockets that could be reached from Wrap
}

func (p *slowPacer) Prepare(syscall.RawConn) { p.prepared.Add(1) }

func (p *slowPacer) Wrap(c net.Conn) net.Conn {
	if raw, err := c.(syscall.Conn).SyscallConn(); err == nil && raw.Control(func(uintptr) {}) == nil {
		p.reached.Add(1)
	}
	return &slowConn{Conn: c, each: p.each}
}

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
	synctest.Test(t, func(t *testing.T) {
		const each, pieces = 3 * time.Second, 15
		page := strings.Repeat("page ", 200*pieces)
		dial := func(context.Context, netip.AddrPort) (net.Conn, error) {
			ours, site := net.Pipe()
			go func() {
				defer site.Close()
				if _, err := http.ReadRequest(bufio.NewReader(site)); err != nil {
					t.Error(err)
				}
				fmt.Fprintf(site, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n", len(page))
				time.Sleep(each + time.Second) // the first of it is held back anyway
				io.WriteString(site, page)
			}()
			return ours, nil
		}
		c := newLab(t, Config{
			Pacer: &slowPacer{each: each}, Dial: dial,
			Limits: Limits{Window: 2100 * time.Millisecond, Rate: 1000, Total: each * pieces * 3 / 4},
		})
		r := get(t, c, request(t, "http://127.0.0.1:80"))
		if string(r.Payload) != page || r.Truncated != "" {
			t.Errorf("got %d bytes of %d, truncated %q", len(r.Payload), len(page), r.Truncated)
		}
		if r.Took != time.Second {
			t.Errorf("Took = %v, want what the site took, a second", r.Took)
		}
		if m := c.conf.Meter; m.Received() != r.Received || m.Received() < int64(len(page)) {
			t.Errorf("meter says %d bytes, response %d", m.Received(), r.Received)
		}
	})
}

func TestPacer_ReachesTheSocket(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	p := &slowPacer{}
	get(t, newLab(t, Config{Pacer: p}), request(t, s.URL)).Release()
	if p.prepared.Load() != 1 || p.reached.Load() != 1 {
		t.Errorf("%d sockets were prepared and %d reached, want 1", p.prepared.Load(), p.reached.Load())
	}
}

// latePacer passes writes on in pieces, before each of which late is called.
type latePacer struct{ late func() }

func (p *latePacer) Prepare(syscall.RawConn) {}

func (p *latePacer) Wrap(c net.Conn) net.Conn { return &lateConn{Conn: c, pacer: p} }

type lateConn struct {
	net.Conn
	pacer *latePacer
}

func (c *lateConn) Write(p []byte) (int, error) {
	for done := 0; ; {
		c.pacer.late()
		n, err := c.Conn.Write(p[done:min(len(p), done+50)])
		if done += n; err != nil || done == len(p) {
			return done, err
		}
	}
}

// While a request waits for the rate, the time for it may end unnoticed by timers.
func TestPacer_WhatMayNoLongerBeSentIsNot(t *testing.T) {
	for _, x := range []struct {
		name   string
		secure bool
		kept   bool
		pieces int64 // that may be sent
	}{
		{name: "new connection"},
		{name: "kept connection", kept: true},
		{name: "kept connection with TLS", kept: true, secure: true},
		{name: "second piece", pieces: 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			var requests atomic.Int64
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				io.WriteString(w, "page")
			}))
			s.Config.ErrorLog = quietLog()
			conf := Config{}
			if x.secure {
				s.StartTLS()
				conf.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
			} else {
				s.Start()
			}
			defer s.Close()
			var pieces int64
			conf.Pacer = &latePacer{late: func() { pieces++ }}
			c := newLab(t, conf)
			before := int64(0)
			if x.kept {
				get(t, c, request(t, s.URL)).Release()
				before = 1
			}
			pieces = 0
			sent := c.conf.Meter.Sent()
			req := request(t, s.URL)
			req.Allowed = func() bool { return pieces <= x.pieces }
			_, err := c.Get(t.Context(), req)
			if kindOf(err) != KindStopped || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Get = %v, want that it was stopped", err)
			}
			if got, want := c.conf.Meter.Sent()-sent, 50*x.pieces; got != want {
				t.Errorf("%d bytes were sent, want %d", got, want)
			}
			if n := requests.Load(); n != before {
				t.Errorf("the site saw %d requests, want %d", n, before)
			}
		})
	}
}
