package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/fetch/guard"
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
	for i := range 3 {
		r := get(t, c, req)
		if (r.Connect > 0) != (i == 0) {
			t.Errorf("request %d took %v to connect: the first alone does", i, r.Connect)
		}
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
		"\r\nAccept: " + DefaultAccept + "\r\nAccept-Encoding: gzip, br\r\nIf-None-Match: \"q\"\r\n" +
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

// A connection on which something was said out of turn must not be used:

// what was said would be taken for the next response.

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
	if !errors.Is(err, guard.ErrBlocked) || kindOf(err) != KindBlocked || err.Error() != "address not allowed: neither private nor loopback, which a lab requires" {
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

// What users read must be short, and nothing a site or the system has said.

func TestKind_Words(t *testing.T) {
	for k := KindNoName; k <= KindRequest; k++ {
		if w := k.String(); w == "" || w == "unknown" || len(w) > 30 {
			t.Errorf("Kind(%d) = %q", k, w)
		}
	}
	if w := Kind(200).String(); w != "unknown" {
		t.Errorf("Kind(200) = %q, want unknown", w)
	}
	if got, want := (guard.Guard{World: Public}).Check(netip.MustParseAddrPort("10.0.0.1:80")).Error(), "address not allowed: 10.0.0.1:80 is private"; got != want {
		t.Errorf("BlockedError = %q, want %q", got, want)
	}
	long := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New(strings.Repeat("no route to host ", 50))}
	for _, err := range []error{dialError(long), tlsError(long), writeError(long), dead(long), dialError(context.DeadlineExceeded), dialError(syscall.EMFILE)} {
		if w := err.Error(); len(w) > 60 {
			t.Errorf("error %q is long", w)
		}
	}
}
