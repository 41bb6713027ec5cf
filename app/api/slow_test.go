package api

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener on loopback whose connections are pipes, so that they know no time but the test's.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7707} }

func (p *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	p.conns <- theirs
	return ours
}

// served runs a test against a server in a time of its own.
func served(t *testing.T, test func(t *testing.T, s *Server, ln *pipes)) {
	synctest.Test(t, func(t *testing.T) {
		ln, s := newPipes(), New(Config{Node: newTestNode("ab"), Token: "t", BootID: "ab"})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(ctx, ln) }()
		test(t, s, ln)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
}

// Whoever sends slowly is cut off in time, whatever it is that comes slowly.
func TestServe_CutsOffSlowCallers(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want time.Duration
	}{
		"headers without end": {"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:7707\r\nX: " + strings.Repeat("x",
			1000), headerTimeout},
		"nothing": {"", headerTimeout},
		"a body": {"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1:7707\r\nContent-Type: " +
			"application/json\r\nContent-Length: 1000\r\n\r\n" +
			strings.Repeat(" ", 1000), readTimeout},
		"a body in parts": {"POST /api/session HTTP/1.1\r\nHost: 127.0.0.1:7707\r\nContent-Type: " +
			"application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
			strings.Repeat("1\r\n \r\n", 200), readTimeout},
	} {
		served(t, func(t *testing.T, _ *Server, ln *pipes) {
			conn := ln.dial()
			begun := time.Now()
			var sender sync.WaitGroup
			defer sender.Wait()
			defer conn.Close()
			sender.Go(func() {
				head := strings.Index(c.text, "\r\n\r\n") + 4
				if head == 3 {
					head = 0
				}
				io.WriteString(conn, c.text[:head])
				for _, b := range []byte(c.text[head:]) { // 100 ms a byte
					if _, err := conn.Write([]byte{b}); err != nil {
						return
					}
					time.Sleep(100 * time.Millisecond)
				}
			})
			io.Copy(io.Discard, conn)
			if took := time.Since(begun); took > c.want+time.Second {
				t.Errorf("%s: cut off after %v, want %v", name, took, c.want)
			}
		})
	}
}

// As many slow callers as there are connections keep others waiting for a moment only.
func TestServe_SlowCallersGiveWay(t *testing.T) {
	served(t, func(t *testing.T, s *Server, ln *pipes) {
		for range s.conns {
			conn := ln.dial()
			defer conn.Close()
			go io.WriteString(conn, "GET / HTTP/1.1\r\nHo")
			go io.Copy(io.Discard, conn) // a pipe, unlike a socket, takes nothing that is not read
		}
		begun := time.Now()
		conn := ln.dial()
		defer conn.Close()
		go io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:7707\r\n\r\n")
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("beside slow callers: %v, %v", resp, err)
		}
		if took := time.Since(begun); took > headerTimeout+time.Second {
			t.Errorf("beside slow callers it took %v, want %v", took, headerTimeout)
		}
	})
}

// A caller that does not read its answer is cut off, and so is one that says nothing more.
func TestServe_CutsOffWhoDoesNotRead(t *testing.T) {
	served(t, func(t *testing.T, _ *Server, ln *pipes) {
		conn := ln.dial()
		defer conn.Close()
		begun := time.Now()
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: 127.0.0.1:7707\r\n\r\n")
		time.Sleep(writeTimeout + idleTimeout)
		if _, err := conn.Write([]byte("G")); err == nil {
			t.Errorf("after %v the connection is still open", time.Since(begun))
		}
	})
	served(t, func(t *testing.T, _ *Server, ln *pipes) {
		conn := ln.dial()
		defer conn.Close()
		go io.WriteString(conn, "GET / HTTP/1.1\r\nHost: 127.0.0.1:7707\r\n\r\n")
		begun := time.Now()
		io.Copy(io.Discard, conn)
		if took := time.Since(begun); took > idleTimeout+time.Second {
			t.Errorf("an idle connection was open for %v, want %v", took, idleTimeout)
		}
	})
}

// Another user of this computer opens 200 connections and says nothing, or half of a call. The owner's calls
// are answered, and a stream that the owner has open goes on.
func TestServe_StrangersGiveWay(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	lines, shut := r.open(t, "", "")
	defer shut()
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	b := r.enter(t)
	for i := range 200 {
		c, err := net.Dial("tcp", r.desc.Addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if i%2 == 0 {
			c.Write([]byte("GET / HTTP/1.1\r\nHo"))
		}
	}
	for range 10 {
		for who, headers := range map[string]string{"the token": "Authorization: Bearer TOKEN\n",
			"a session": b.headers()} {
			if resp, body := r.ask(t, http.MethodGet, "/api/status", headers, ""); resp.StatusCode != 200 {
				t.Fatalf("with %s: %d %.100s", who, resp.StatusCode, body)
			}
		}
	}
	r.enter(t)
	r.node.publish(1)
	ids(t, lines, 1)
}
