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
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestGet_CapturesBothWaysExactly(t *testing.T) {
	const response = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n" +
		"HTTP/1.1 200\r\nx-lower: 1\r\nETag:   \"q\"\r\ncontent-TYPE: Text/HTML; charset=utf-8\r\n" +
		"Transfer-Encoding:  chunked\r\nno colon here\r\nX-Fold: a\r\n   b\r\n\r\n" +
		"5;name=\"v\"\r\nhello\r\n1 ; x\r\n \r\n0005\r\nworld\r\n0\r\nX-Trailer: t\r\n\r\n"
	var heads []string
	url := rawServer(t, func(c net.Conn, request func() string) {
		for head := request(); head != ""; head = request() {
			heads = append(heads, head)
			for _, b := range []byte(response) { // as torn as it can come
				c.Write([]byte{b})
			}
		}
	})
	c := newLab(t, Config{})
	req := request(t, url+"/a/b?c=d")
	req.IfNoneMatch, req.IfModifiedSince = `"q"`, "Sat, 01 Jan 2028 00:00:00 GMT"
	for range 3 {
		r := get(t, c, req)
		wantBytes(t, "ResponseBytes", r.ResponseBytes, []byte(response))
		wantBytes(t, "RequestBytes", r.RequestBytes, []byte(heads[len(heads)-1]))
		wantBytes(t, "Payload", r.Payload, []byte("hello world"))
		if head := string(r.ResponseBytes[:r.HeadLen]); !strings.HasSuffix(head, "   b\r\n\r\n") {
			t.Errorf("HeadLen = %d, cuts at %q", r.HeadLen, head)
		}
		if r.Status != 200 || r.MediaType != "text/html" || !r.TextType || r.Truncated != "" {
			t.Errorf("response = %d %q %v %q", r.Status, r.MediaType, r.TextType, r.Truncated)
		}
		if r.Header.Get("Etag") != `"q"` || r.Header.Get("X-Lower") != "1" || r.Header.Get("X-Fold") != "a b" || r.Header["X-Trailer"] != nil {
			t.Errorf("Header = %q", r.Header)
		}
		if r.Sent != int64(len(r.RequestBytes)) || r.Received != int64(len(response)) {
			t.Errorf("Sent, Received = %d, %d, want %d, %d", r.Sent, r.Received, len(r.RequestBytes), len(response))
		}
		r.Release()
	}
	want := "GET /a/b?c=d HTTP/1.1\r\nHost: " + req.Addr.String() + "\r\nUser-Agent: " + c.conf.UserAgent +
		"\r\nAccept: " + DefaultAccept + "\r\nAccept-Encoding: gzip, br, zstd\r\nIf-None-Match: \"q\"\r\n" +
		"If-Modified-Since: Sat, 01 Jan 2028 00:00:00 GMT\r\n\r\n"
	if heads[0] != want {
		t.Errorf("request = %q, want %q", heads[0], want)
	}
}

func TestGet_UnsafeFieldsAreNotSent(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") != "" || r.Header.Get("Evil") != "" || r.Header.Get("Accept") != DefaultAccept {
			t.Errorf("Header = %q", r.Header)
		}
	})
	req := request(t, url)
	req.IfNoneMatch, req.Accept = "\"q\"\r\nEvil: 1", "x\nEvil: 2"
	get(t, newLab(t, Config{}), req).Release()
}

func TestGet_KeepsConnection(t *testing.T) {
	var dials atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/204":
			w.WriteHeader(204)
		case "/304":
			w.WriteHeader(304)
		case "/404":
			w.WriteHeader(404)
			io.WriteString(w, strings.Repeat("not found ", 1000))
		case "/png":
			w.Header().Set("Content-Type", "image/png")
			w.Header().Set("Content-Length", "16000")
			w.Write(make([]byte, 16000))
		case "/unlabelled.gif":
			w.Header()["Content-Type"] = nil
			io.WriteString(w, "GIF89a"+strings.Repeat("\x00", 500))
		default:
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintf(w, "page %s", r.URL.Path)
		}
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			dials.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	meter := &Meter{}
	c := newLab(t, Config{Meter: meter})
	for range 20 {
		for _, path := range []string{"/", "/204", "/a", "/304", "/404", "/png", "/unlabelled.gif", "/b"} {
			r := get(t, c, request(t, s.URL+path))
			if r.Truncated == TruncatedUnspecified && (len(r.Payload) > 0 || len(r.ResponseBytes) != r.HeadLen) {
				t.Errorf("%s: %d bytes of a body that is not wanted", path, len(r.ResponseBytes)-r.HeadLen)
			}
			if wantText := path != "/png" && path != "/unlabelled.gif" && path != "/204" && path != "/304"; r.TextType != wantText {
				t.Errorf("%s: TextType = %v, want %v", path, r.TextType, wantText)
			}
			r.Release()
		}
	}
	if n := dials.Load(); n != 1 {
		t.Errorf("server saw %d connections, want 1", n)
	}
	if meter.Sockets() != 1 || meter.Sent() == 0 || meter.Received() < 20*26_000 {
		t.Errorf("meter: %d sockets, %d sent, %d received", meter.Sockets(), meter.Sent(), meter.Received())
	}
	c.CloseIdle()
	if meter.Sockets() != 0 {
		t.Errorf("%d sockets open after CloseIdle", meter.Sockets())
	}
}

func TestGet_WaitsForItsTurn(t *testing.T) {
	arrived, proceed := make(chan bool, 8), make(chan bool)
	var active, most atomic.Int64
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		most.Store(max(most.Load(), active.Add(1)))
		arrived <- true
		<-proceed
		active.Add(-1)
	})
	c := newLab(t, Config{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { get(t, c, request(t, url)).Release() })
	}
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Get(ctx, request(t, url)); !errors.Is(err, context.Canceled) {
		t.Errorf("Get that waits = %v, want canceled", err)
	}
	for range 4 {
		proceed <- true
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d requests at once to one host, want 1", most.Load())
	}
}

func TestGet_DialsAnewWhenKeptConnectionIsDead(t *testing.T) {
	const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi"
	for _, c := range []struct {
		name string
		// second handles a connection after its first response; the request was read.
		second func(c net.Conn)
	}{
		{"reset at the second request", func(c net.Conn) { c.(*net.TCPConn).SetLinger(0) }},
		{"closed at the second request", func(net.Conn) {}},
	} {
		var requests atomic.Int64
		url := rawServer(t, func(conn net.Conn, request func() string) {
			request()
			requests.Add(1)
			io.WriteString(conn, page)
			request()
			requests.Add(1)
			c.second(conn)
		})
		client := newLab(t, Config{})
		for range 3 {
			r := get(t, client, request(t, url))
			wantBytes(t, c.name, r.Payload, []byte("hi"))
			r.Release()
		}
		if n := requests.Load(); n != 5 {
			t.Errorf("%s: server saw %d requests, want 5", c.name, n)
		}
	}
}

// A connection on which something was said out of turn must not be used:
// what was said would be taken for the next response.
func TestGet_UnsolicitedBytes(t *testing.T) {
	const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi"
	const extra = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nevil"
	said := make(chan bool)
	for _, late := range []bool{false, true} {
		url := rawServer(t, func(c net.Conn, request func() string) {
			request()
			if !late {
				io.WriteString(c, page+extra)
				said <- true
				return
			}
			io.WriteString(c, page)
			<-said
			io.WriteString(c, extra)
			said <- true
			request()
		})
		c := newLab(t, Config{})
		for range 2 {
			var r *Response
			if late {
				r = get(t, c, request(t, url))
				said <- true
				<-said
			} else {
				go func() { <-said }()
				r = get(t, c, request(t, url))
			}
			wantBytes(t, "ResponseBytes", r.ResponseBytes, []byte(page))
			r.Release()
		}
	}
}

func TestGet_OtherAddressMeansOtherConnection(t *testing.T) {
	page := func(text string) string {
		return answers(t, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(text), text))
	}
	one, two := request(t, page("one")), request(t, page("two"))
	c := newLab(t, Config{})
	two.URL = one.URL
	for range 2 {
		for _, x := range []struct {
			req  Request
			want string
		}{{one, "one"}, {one, "one"}, {two, "two"}} {
			r := get(t, c, x.req)
			wantBytes(t, "Payload", r.Payload, []byte(x.want))
			if r.Addr != x.req.Addr {
				t.Errorf("Addr = %v, want %v", r.Addr, x.req.Addr)
			}
			r.Release()
			if n := c.conf.Meter.Sockets(); n != 1 {
				t.Errorf("%d sockets, want 1", n)
			}
		}
	}
}

func TestGet_MaxConnsClosesLongestIdle(t *testing.T) {
	const page = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	c := newLab(t, Config{MaxConns: 2})
	reqs := []Request{request(t, answers(t, page)), request(t, answers(t, page)), request(t, answers(t, page))}
	for range 3 {
		for _, req := range reqs {
			get(t, c, req).Release()
			if n := c.conf.Meter.Sockets(); n > 2 {
				t.Errorf("%d sockets, want at most 2", n)
			}
		}
	}
	if _, ok := c.conns.address(reqs[0].URL.Origin()); ok {
		t.Error("the longest idle connection was kept")
	}
	if _, ok := c.conns.address(reqs[1].URL.Origin()); !ok {
		t.Error("a younger idle connection was closed")
	}
}

func TestGet_MaxConnsWaitsWhileAllAreBusy(t *testing.T) {
	arrived, proceed := make(chan bool), make(chan bool)
	url := serve(t, func(http.ResponseWriter, *http.Request) {
		arrived <- true
		<-proceed
	})
	other := answers(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	c := newLab(t, Config{MaxConns: 1})
	var all sync.WaitGroup
	all.Go(func() { get(t, c, request(t, url)).Release() })
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Get(ctx, request(t, other)); !errors.Is(err, context.Canceled) {
		t.Errorf("Get without a free connection = %v, want canceled", err)
	}
	for range 3 {
		all.Go(func() { get(t, c, request(t, other)).Release() })
	}
	proceed <- true
	all.Wait()
	if n := c.conf.Meter.Sockets(); n != 1 {
		t.Errorf("%d sockets, want 1", n)
	}
}

func TestClient_IdleTimeout(t *testing.T) {
	closed := make(chan bool)
	url := rawServer(t, func(c net.Conn, request func() string) {
		request()
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		request()
		closed <- true
	})
	c := newLab(t, Config{IdleTimeout: 20 * time.Millisecond})
	get(t, c, request(t, url)).Release()
	<-closed
}

func TestGet_CancelCutsAtOnce(t *testing.T) {
	for _, c := range []struct{ name, begin string }{
		{"before the head", ""},
		{"in the head", "HTTP/1.1 200 OK\r\nContent-"},
		{"in the body", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nabc"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		url := rawServer(t, func(conn net.Conn, request func() string) {
			request()
			io.WriteString(conn, c.begin)
			cancel()
			request()
		})
		client := newLab(t, Config{})
		_, err := client.Get(ctx, request(t, url))
		if !errors.Is(err, context.Canceled) || kindOf(err) != KindStopped {
			t.Errorf("%s: error = %v, want stopped, canceled", c.name, err)
		}
	}
}

func TestClose_CutsRequestsInFlight(t *testing.T) {
	var c *Client
	url := rawServer(t, func(conn net.Conn, request func() string) {
		request()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nabc")
		c.Close()
		request()
	})
	c = newLab(t, Config{})
	for range 2 {
		if _, err := c.Get(t.Context(), request(t, url)); !errors.Is(err, ErrClosed) {
			t.Errorf("Get = %v, want ErrClosed", err)
		}
	}
}

func TestGet_DialFailures(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	c := newLab(t, Config{})
	_, err = c.Get(t.Context(), request(t, url))
	if kindOf(err) != KindRefused || err.Error() != "connection refused" {
		t.Errorf("closed port: %v, want connection refused", err)
	}
	_, err = c.Get(t.Context(), Request{URL: parseURL(t, url), Addr: netip.MustParseAddrPort("8.8.8.8:80")})
	if !errors.Is(err, ErrBlocked) || kindOf(err) != KindBlocked || err.Error() != "address not allowed: neither private nor loopback, as a lab requires" {
		t.Errorf("public address in a lab: %v, want blocked", err)
	}
	if _, err := c.Get(t.Context(), Request{}); kindOf(err) != KindRequest {
		t.Errorf("no URL: %v, want %v", err, KindRequest)
	}
}

func TestGet_ConnectTimesOut(t *testing.T) {
	// Accepts TLS connections and never says a word.
	url := rawServer(t, func(_ net.Conn, request func() string) { request() })
	c := newLab(t, Config{Limits: Limits{Connect: 30 * time.Millisecond}})
	_, err := c.Get(t.Context(), request(t, strings.Replace(url, "http:", "https:", 1)))
	if kindOf(err) != KindConnectTimeout {
		t.Errorf("Get = %v, want connect timed out", err)
	}
	if e, _ := errors.AsType[*Error](err); e.Sent == 0 {
		t.Error("the bytes of the handshake were not counted")
	}
}

func TestGet_IgnoresProxies(t *testing.T) {
	proxy := rawServer(t, func(_ net.Conn, request func() string) {
		t.Error("the proxy was used")
		request()
	})
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, proxy)
	}
	get(t, newLab(t, Config{}), request(t, answers(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))).Release()
}

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

