package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

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

// Fewer connections are kept once fewer may be, and who waits has one once there may be more.
func TestClient_SetMaxConns(t *testing.T) {
	c := newLab(t, Config{MaxConns: 3})
	for range 3 {
		get(t, c, request(t, answers(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))).Release()
	}
	if n := c.conf.Meter.Sockets(); n != 3 {
		t.Fatalf("%d sockets, want 3", n)
	}
	c.SetMaxConns(1)
	if n := c.conf.Meter.Sockets(); n != 1 {
		t.Errorf("%d sockets, want 1", n)
	}
	c.SetMaxConns(3)
	arrived, proceed := make(chan bool), make(chan bool)
	busy := func() string {
		return serve(t, func(http.ResponseWriter, *http.Request) {
			arrived <- true
			<-proceed
		})
	}
	var all sync.WaitGroup
	for range 2 {
		url := busy()
		all.Go(func() { get(t, c, request(t, url)).Release() })
		<-arrived
	}
	c.SetMaxConns(1) // two are in use: nothing is cut, and nothing begins
	url := busy()
	all.Go(func() { get(t, c, request(t, url)).Release() })
	proceed <- true
	select {
	case <-arrived:
		t.Error("a connection was opened beside one, where one may be")
	case proceed <- true: // the second ends, and its permit is passed on
		<-arrived
	}
	proceed <- true
	all.Wait()
	if n := c.conf.Meter.Sockets(); n != 1 {
		t.Errorf("%d sockets, want 1", n)
	}
	c.SetMaxConns(0)
	get(t, c, request(t, answers(t, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))).Release()
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

func TestGet_ReusesWhereTheHeadAllows(t *testing.T) {
	for _, c := range []struct {
		head string // and a body of two bytes
		kept bool
	}{
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n", true},
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n", true},
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n", false},
		{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: Upgrade, Close\r\n", false},
		{"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n", false},
		{"HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: Keep-Alive\r\n", true},
		{"HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n", true},
		{"HTTP/1.1 301 Moved\r\nLocation: /x\r\nContent-Length: 2\r\n", true},
		{"HTTP/1.1 204 None\r\n", false}, // the body should not be there
	} {
		client := newLab(t, Config{})
		get(t, client, request(t, answers(t, c.head+"\r\nhi"))).Release()
		if got := client.conf.Meter.Sockets() == 1; got != c.kept {
			t.Errorf("%q: kept %v, want %v", c.head, got, c.kept)
		}
	}
}
