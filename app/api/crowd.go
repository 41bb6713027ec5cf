package api

import (
	ordered "container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// crowd bounds the connections of all listeners together. Where there are too many, the stranger who came first gives way, so that
// another user of this computer who opens many keeps its owner out for no longer than a call takes. Who has shown a token or a session is no
// stranger any more.
type crowd struct {
	most int

	mu        sync.Mutex
	open      int
	strangers *ordered.List // of *guest, who came first at the front
}

func newCrowd(most int) *crowd { return &crowd{most: most, strangers: ordered.New()} }

// guest is a connection in a crowd.
type guest struct {
	net.Conn
	in      *crowd
	leave   func()           // if not nil, is called once when it is closed
	place   *ordered.Element // among the strangers; nil for others
	outside bool
}

// enter lets a connection in. It returns nil if all that are open are known.
func (c *crowd) enter(conn net.Conn, leave func()) *guest {
	c.mu.Lock()
	var first *guest
	if c.open >= c.most {
		if c.strangers.Len() == 0 {
			c.mu.Unlock()
			return nil
		}
		first = c.strangers.Remove(c.strangers.Front()).(*guest)
		first.place = nil
	}
	g := &guest{Conn: conn, in: c, leave: leave}
	g.place = c.strangers.PushBack(g)
	c.open++
	c.mu.Unlock()
	if first != nil {
		first.Close()
	}
	return g
}

// known takes a connection out of the strangers.
func (g *guest) known() {
	g.in.mu.Lock()
	defer g.in.mu.Unlock()
	if g.place != nil {
		g.in.strangers.Remove(g.place)
		g.place = nil
	}
}

// Close closes the connection and makes room.
func (g *guest) Close() error {
	g.known()
	g.in.mu.Lock()
	again := g.outside
	if !again {
		g.outside = true
		g.in.open--
	}
	g.in.mu.Unlock()
	if !again && g.leave != nil {
		g.leave()
	}
	return g.Conn.Close()
}

// guarded is a listener that tells this computer's own connections, which are plain, from those of others, which are by TLS. Without
// doors there are no others.
type guarded struct {
	net.Listener
	room  *crowd
	doors *doors // nil for none
}

// Accept waits for a connection that may come in.
func (l *guarded) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		var leave func()
		own := l.doors == nil || isOwn(c)
		if !own {
			from := addrOf(c.RemoteAddr())
			if !l.doors.take(from) {
				c.Close()
				continue
			}
			leave = func() { l.doors.leave(from) }
		}
		g := l.room.enter(c, leave)
		switch {
		case g == nil:
			c.Close()
			if leave != nil {
				leave()
			}
		case own:
			return g, nil
		default:
			return tls.Server(g, l.doors.tls), nil
		}
	}
}

// guestKey is that of a context's *guest.
type guestKey struct{}

// withGuest lets calls find the connection that they come by.
func withGuest(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, guestKey{}, c)
}

// greet says that the caller is known.
func greet(r *http.Request) {
	if g, ok := r.Context().Value(guestKey{}).(*guest); ok {
		g.known()
	}
}
