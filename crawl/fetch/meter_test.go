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
	"strings"
	"sync/atomic"
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

type throttle struct {
	up, down int
	block    bool
}

func (th *throttle) Wait(ctx context.Context, n int, up bool) error {
	if th.block {
		<-ctx.Done()
		return ctx.Err()
	}
	if n <= 0 {
		return fmt.Errorf("Wait for %d bytes", n)
	}
	if up {
		th.up += n
	} else {
		th.down += n
	}
	return nil
}

func TestMeter_ThrottleIsToldEveryByte(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, strings.Repeat("page ", 20_000))
	}))
	s.Config.ErrorLog = quietLog()
	s.StartTLS()
	defer s.Close()
	th := &throttle{}
	meter := &Meter{Throttle: th}
	c := newLab(t, Config{Meter: meter, RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs})
	for range 3 {
		get(t, c, request(t, s.URL)).Release()
	}
	if int64(th.down) != meter.Received() || meter.Received() < 300_000 {
		t.Errorf("throttle was told %d bytes down, meter %d", th.down, meter.Received())
	}
	// What TLS adds to the last request is told with the next.
	if d := meter.Sent() - int64(th.up); d < 0 || d > 100 {
		t.Errorf("throttle was told %d bytes up, meter %d", th.up, meter.Sent())
	}
	ctx, cancel := context.WithCancel(t.Context())
	th.block = true
	defer time.AfterFunc(time.Millisecond, cancel).Stop()
	if _, err := c.Get(ctx, request(t, s.URL)); !errors.Is(err, context.Canceled) {
		t.Errorf("Get that waits for the throttle = %v, want canceled", err)
	}
}
