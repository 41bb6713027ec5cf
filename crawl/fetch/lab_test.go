package fetch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// newLab returns a client of a lab.
func newLab(t testing.TB, conf Config) *Client {
	t.Helper()
	conf.World, conf.UserAgent = Lab, crawl.UserAgent(true)
	c, err := New(conf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if n := c.conf.Meter.Sockets(); n != 0 {
			t.Errorf("%d sockets are open after Close", n)
		}
		if n := len(c.conns.sites); n != 0 {
			t.Errorf("%d sites are remembered after Close", n)
		}
		if n := c.conns.open; n != 0 {
			t.Errorf("%d permits are out after Close", n)
		}
	})
	return c
}

func parseURL(t testing.TB, s string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// request returns a request for a URL whose host is an address.
func request(t testing.TB, url string) Request {
	t.Helper()
	u := parseURL(t, url)
	addrs, err := newAddrs(u)
	if err != nil {
		t.Fatal(err)
	}
	return Request{URL: u, Addr: addrs}
}

func newAddrs(u crawl.URL) (netip.AddrPort, error) {
	return netip.ParseAddrPort(net.JoinHostPort(u.Hostname(), u.Port()))
}

// get fetches a page that must be there.
func get(t testing.TB, c *Client, req Request) *Response {
	t.Helper()
	r, err := c.Get(context.Background(), req)
	if err != nil {
		t.Fatalf("Get(%v): %v (%v)", req.URL, err, errors.Unwrap(err))
	}
	return r
}

func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// rawServer serves each connection with handle, which is given the heads it
// has to wait for by calling its argument. It returns the URL.
func rawServer(t testing.TB, handle func(c net.Conn, request func() string)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var conns []net.Conn
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns = append(conns, c)
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				handle(c, func() string { return readHead(r) })
			}()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
		for _, c := range conns {
			c.Close()
		}
	})
	return "http://" + l.Addr().String()
}

// readHead reads a request head, "" at the end of the connection.
func readHead(r *bufio.Reader) string {
	var head strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return ""
		}
		head.WriteString(line)
		if line == "\r\n" {
			return head.String()
		}
	}
}

// answers serves every request on a connection with the same bytes.
func answers(t testing.TB, response string) string {
	return rawServer(t, func(c net.Conn, request func() string) {
		for request() != "" {
			io.WriteString(c, response)
		}
	})
}

// answersAndCloses serves one request per connection.
func answersAndCloses(t testing.TB, response string) string {
	return rawServer(t, func(c net.Conn, request func() string) {
		if request() != "" {
			io.WriteString(c, response)
		}
	})
}

func kindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return 0
}

func wantBytes(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s = %.300q, want %.300q", what, got, want)
	}
}

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }
