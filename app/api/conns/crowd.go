package conns

import (
	ordered "container/list"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// Crowd bounds the connections of all listeners together. Where there are too many, the first of those gives way that
// nobody would miss: of strangers, and of known callers whose connection is idle. So another user of this computer who
// opens many keeps its owner out for no longer than a call takes. A caller that has shown a token or a session is
// known.
type Crowd struct {
	most   int
	others *doors // nil where other computers are kept out

	mu    sync.Mutex
	open  int
	spare *ordered.List // of *guest, the first to give way at the front
}

// New returns one of so many connections at most. config lets other computers in, by TLS; nil keeps them out.
func New(most int, config *tls.Config) *Crowd {
	c := &Crowd{most: most, spare: ordered.New()}
	if config != nil {
		c.others = newDoors(config)
	}
	return c
}

// Guard returns a listener of which the connections are of the crowd.
func (c *Crowd) Guard(ln net.Listener) net.Listener { return &guarded{Listener: ln, crowd: c} }

// guest is a connection in a crowd.
type guest struct {
	net.Conn
	in      *Crowd
	leave   func()           // if not nil, is called once when it is closed
	place   *ordered.Element // among those that give way; nil for others
	isKnown bool
	outside bool
}

// enter lets a connection in. It returns nil if all that are open are known and busy.
func (c *Crowd) enter(conn net.Conn, leave func()) *guest {
	c.mu.Lock()
	var first *guest
	if c.open >= c.most {
		if c.spare.Len() == 0 {
			c.mu.Unlock()
			return nil
		}
		first = c.spare.Remove(c.spare.Front()).(*guest)
		first.place = nil
	}
	g := &guest{Conn: conn, in: c, leave: leave}
	g.place = c.spare.PushBack(g)
	c.open++
	c.mu.Unlock()
	if first != nil {
		first.Close()
	}
	return g
}

// known says that the caller is no stranger. Its connection gives way while it is idle, and not now.
func (g *guest) known() {
	g.in.mu.Lock()
	defer g.in.mu.Unlock()
	g.isKnown = true
	g.keep()
}

// keep takes a connection out of those that give way. The crowd's mu is held.
func (g *guest) keep() {
	if g.place != nil {
		g.in.spare.Remove(g.place)
		g.place = nil
	}
}

// Turn is the ConnState of a server: it follows the state of a connection: that of a known caller gives way
// while it is idle.
func Turn(c net.Conn, state http.ConnState) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	g, ok := c.(*guest)
	if !ok {
		return
	}
	g.in.mu.Lock()
	defer g.in.mu.Unlock()
	switch {
	case !g.isKnown || g.outside:
	case state == http.StateIdle && g.place == nil:
		g.place = g.in.spare.PushBack(g)
	case state == http.StateActive:
		g.keep()
	}
}

// Close closes the connection and makes room.
func (g *guest) Close() error {
	g.in.mu.Lock()
	g.keep()
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

// guarded is a listener that tells this computer's own connections, which are plain, from those of others, which are by
// TLS.
type guarded struct {
	net.Listener
	crowd *Crowd
}

// Accept waits for a connection that may come in.
func (l *guarded) Accept() (net.Conn, error) {
	others := l.crowd.others
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		var leave func()
		own := others == nil || isOwn(c)
		if !own {
			from := AddrOf(c.RemoteAddr())
			if !others.take(from) {
				c.Close()
				continue
			}
			leave = func() { others.leave(from) }
		}
		g := l.crowd.enter(c, leave)
		switch {
		case g == nil:
			c.Close()
			if leave != nil {
				leave()
			}
		case own:
			return g, nil
		default:
			return tls.Server(g, others.tls), nil
		}
	}
}

// guestKey is that of a context's *guest.
type guestKey struct{}

// Context is the ConnContext of a server: it lets calls find the connection that they come by.
func Context(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	return context.WithValue(ctx, guestKey{}, c)
}

// Greet says that the caller of a call with this context is known.
func Greet(ctx context.Context) {
	if g, ok := ctx.Value(guestKey{}).(*guest); ok {
		g.known()
	}
}
