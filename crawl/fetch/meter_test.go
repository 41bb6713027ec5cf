package fetch

import (
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
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestGet_TLS(t *testing.T) {
	var resumed, all atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		all.Add(1)
		if r.TLS.DidResume {
			resumed.Add(1)
		}
		if r.ProtoMajor != 1 || r.TLS.ServerName != "example.com" || r.TLS.NegotiatedProtocol == "h2" {
			t.Errorf("server saw %s, name %q, ALPN %q", r.Proto, r.TLS.ServerName, r.TLS.NegotiatedProtocol)
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "secret page")
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = quietLog()
	s.StartTLS()
	defer s.Close()
	roots := s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	c := newLab(t, Config{RootCAs: roots})
	addr := netip.MustParseAddrPort(s.Listener.Addr().String())
	req := Request{URL: parseURL(t, fmt.Sprintf("https://example.com:%d/", addr.Port())), Addr: addr}
	for range 3 {
		r := get(t, c, req)
		wantBytes(t, "Payload", r.Payload, []byte("secret page"))
		if !strings.HasPrefix(string(r.RequestBytes), "GET / HTTP/1.1\r\n") || !strings.HasPrefix(string(r.ResponseBytes), "HTTP/1.1 200 OK\r\n") {
			t.Errorf("captured %q, %q, want plaintext", r.RequestBytes, r.ResponseBytes)
		}
		if r.Sent <= int64(len(r.RequestBytes)) || r.Received <= int64(len(r.ResponseBytes)) {
			t.Errorf("Sent, Received = %d, %d: without what TLS adds", r.Sent, r.Received)
		}
		r.Release()
	}
	if n := c.conf.Meter.Sockets(); n != 1 {
		t.Errorf("%d sockets, want 1", n)
	}
	c.CloseIdle()
	get(t, c, req).Release()
	if resumed.Load() != 1 {
		t.Errorf("%d of %d requests came over resumed sessions, want the last", resumed.Load(), all.Load())
	}

	for _, x := range []struct {
		name, url string
		conf      Config
		want      string
	}{
		{"unknown authority", req.URL.String(), Config{}, "TLS certificate problem: unknown authority"},
		{"other name", fmt.Sprintf("https://other.example:%d/", addr.Port()), Config{RootCAs: roots}, "TLS certificate problem: for another name"},
		{"expired", req.URL.String(), Config{RootCAs: roots, Now: func() time.Time { return time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC) }},
			"TLS certificate problem: expired or not yet valid"},
	} {
		_, err := newLab(t, x.conf).Get(t.Context(), Request{URL: parseURL(t, x.url), Addr: addr})
		if kindOf(err) != KindCertificate || err.Error() != x.want {
			t.Errorf("%s: %v, want %s", x.name, err, x.want)
		}
	}
	plain := request(t, rawServer(t, func(c net.Conn, request func() string) {
		io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		request()
	}))
	_, err := c.Get(t.Context(), Request{URL: parseURL(t, "https://"+plain.Addr.String()+"/"), Addr: plain.Addr})
	if kindOf(err) != KindTLS {
		t.Errorf("TLS to a plain server: %v, want a TLS failure", err)
	}
}

// tally is a Pacer that counts what passes, and that may hold it back for good.
type tally struct {
	up, down atomic.Int64
	// block, where set, is called by writes that are held back until they are cut.
	block func()
}

func (p *tally) Prepare(syscall.RawConn) {}

func (p *tally) Wrap(c net.Conn) net.Conn {
	return &tallyConn{Conn: c, tally: p, cut: make(chan struct{})}
}

type tallyConn struct {
	net.Conn
	tally   *tally
	cutOnce sync.Once
	cut     chan struct{} // closed when the deadline is moved into the past
}

func (c *tallyConn) SetDeadline(t time.Time) error {
	if t.Before(time.Now()) {
		c.cutOnce.Do(func() { close(c.cut) })
	}
	return c.Conn.SetDeadline(t)
}

func (c *tallyConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.tally.down.Add(int64(n))
	return n, err
}

func (c *tallyConn) Write(p []byte) (int, error) {
	if c.tally.block != nil {
		c.tally.block()
		<-c.cut
		return 0, os.ErrDeadlineExceeded
	}
	n, err := c.Conn.Write(p)
	c.tally.up.Add(int64(n))
	return n, err
}

func TestMeter_CountsWhatThePacerLetsPass(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, strings.Repeat("page ", 20_000))
	}))
	s.Config.ErrorLog = quietLog()
	s.StartTLS()
	defer s.Close()
	p, meter := &tally{}, &Meter{}
	c := newLab(t, Config{Meter: meter, Pacer: p, RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs})
	var sent, received int64
	for range 3 {
		r := get(t, c, request(t, s.URL))
		sent, received = sent+r.Sent, received+r.Received
		r.Release()
	}
	if down := p.down.Load(); down != meter.Received() || down != received || down < 300_000 {
		t.Errorf("%d bytes came through the pacer, %d by the meter, %d by the responses", down, meter.Received(), received)
	}
	if up := p.up.Load(); up != meter.Sent() || up != sent || up == 0 {
		t.Errorf("%d bytes went through the pacer, %d by the meter, %d by the responses", up, meter.Sent(), sent)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p.block = cancel
	if _, err := c.Get(ctx, request(t, s.URL)); !errors.Is(err, context.Canceled) {
		t.Errorf("Get that waits for the pacer = %v, want canceled", err)
	}
	if meter.Sent() != sent {
		t.Errorf("%d bytes counted that were never sent", meter.Sent()-sent)
	}
}
