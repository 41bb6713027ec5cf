package fetch

import (
	"context"
	"net/netip"
	"sync"
	"time"
)

// pool keeps connections: at most one for each site (scheme, host and port),
// at most max in all, idle ones at most for idleTime. A site's connection is
// used by one request at a time; the others wait.
type pool struct {
	idleTime time.Duration

	mu      sync.Mutex
	max     int
	closed  bool
	sites   map[string]*site // those with a connection or a user
	idle    []*site          // longest idle first
	open    int              // permits out: connections, and dials under way
	waiting []chan struct{}  // who wants a permit; buffered, one element
	reaper  *time.Timer      // set while idle connections may have to be closed
}

// site is what the pool knows of one origin. Its fields but turn belong to
// pool.mu.
type site struct {
	origin string
	users  int           // who holds turn or waits for it
	turn   chan struct{} // one element while somebody uses the site
	conn   *conn         // the open connection, idle or in use
	since  time.Time     // when it became idle
	isIdle bool
}

func newPool(maxConns int, idleTime time.Duration) *pool {
	return &pool{max: maxConns, idleTime: idleTime, sites: make(map[string]*site)}
}

// enter waits for the turn of the origin's site. leave must follow.
func (p *pool) enter(ctx context.Context, origin string) (*site, *Error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed()
	}
	s := p.sites[origin]
	if s == nil {
		s = &site{origin: origin, turn: make(chan struct{}, 1)}
		p.sites[origin] = s
	}
	s.users++
	p.mu.Unlock()
	select {
	case s.turn <- struct{}{}:
		return s, nil
	case <-ctx.Done():
		p.mu.Lock()
		defer p.mu.Unlock()
		p.quit(s)
		return nil, stopped(ctx)
	}
}

// leave gives the turn up. A connection still in use is closed.
func (p *pool) leave(s *site) {
	p.drop(s)
	<-s.turn
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quit(s)
}

// quit counts a user out. p.mu is held.
func (p *pool) quit(s *site) {
	s.users--
	p.forget(s)
}

// forget removes a site that is of no use. p.mu is held.
func (p *pool) forget(s *site) {
	if s.users == 0 && s.conn == nil {
		delete(p.sites, s.origin)
	}
}

// take returns the kept connection of a site whose turn the caller has, or
// nil. It is in use from then on.
func (p *pool) take(s *site) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !s.isIdle {
		return nil
	}
	p.unidle(s)
	return s.conn
}

// permit waits until a connection may be opened, closing the longest idle
// one of another site if need be. Each permit ends in adopt or in refund.
func (p *pool) permit(ctx context.Context) *Error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return errClosed()
	}
	if p.open < p.max {
		p.open++
		p.mu.Unlock()
		return nil
	}
	if len(p.idle) > 0 {
		p.evict(p.idle[0]) // its permit is ours now
		p.mu.Unlock()
		return nil
	}
	given := make(chan struct{}, 1)
	p.waiting = append(p.waiting, given)
	p.mu.Unlock()
	select {
	case <-given:
		if p.isClosed() {
			p.refund()
			return errClosed()
		}
		return nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, w := range p.waiting {
		if w == given {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			return stopped(ctx)
		}
	}
	p.giveBack() // it was given while ctx ended
	return stopped(ctx)
}

// setMax changes how many connections there may be. What is too many is closed, the longest idle first; what is
// in use when its request has ended.
func (p *pool) setMax(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.max = n
	for p.open > p.max && len(p.idle) > 0 {
		p.evict(p.idle[0])
		p.giveBack()
	}
	for p.open < p.max && len(p.waiting) > 0 {
		p.open++
		p.pass()
	}
}

// refund returns a permit that led to no connection.
func (p *pool) refund() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.giveBack()
}

// giveBack passes a permit on, if it is not one too many. p.mu is held.
func (p *pool) giveBack() {
	if len(p.waiting) == 0 || p.open > p.max {
		p.open--
		return
	}
	p.pass()
}

// pass gives a permit to who has waited longest. p.mu is held.
func (p *pool) pass() {
	p.waiting[0] <- struct{}{}
	p.waiting = p.waiting[1:]
}

// adopt makes c, opened with a permit, the connection of s, in use. It
// reports false, having closed c, if the pool is closed.
func (p *pool) adopt(s *site, c *conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.close()
		p.giveBack()
		return false
	}
	s.conn = c
	return true
}

// keep makes the connection in use idle, unless somebody waits for a permit or it is one too many.
func (p *pool) keep(s *site) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.conn == nil || p.closed || len(p.waiting) > 0 || p.open > p.max {
		p.close(s)
		return
	}
	s.isIdle, s.since = true, time.Now()
	p.idle = append(p.idle, s)
	if p.reaper == nil {
		p.reaper = time.AfterFunc(p.idleTime, p.reap)
	}
}

// drop closes the connection in use, if there is one.
func (p *pool) drop(s *site) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !s.isIdle {
		p.close(s)
	}
}

// close closes the connection of s and returns its permit. p.mu is held.
func (p *pool) close(s *site) {
	if s.conn == nil {
		return
	}
	s.conn.close()
	s.conn = nil
	p.giveBack()
	p.forget(s)
}

// evict closes an idle connection and leaves its permit to the caller. p.mu
// is held.
func (p *pool) evict(s *site) {
	p.unidle(s)
	s.conn.close()
	s.conn = nil
	p.forget(s)
}

// unidle takes s off the list of the idle. p.mu is held.
func (p *pool) unidle(s *site) {
	s.isIdle = false
	for i, other := range p.idle {
		if other == s {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			return
		}
	}
}

// reap closes what has been idle for too long and comes back for the rest.
func (p *pool) reap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for len(p.idle) > 0 && now.Sub(p.idle[0].since) >= p.idleTime {
		p.evict(p.idle[0])
		p.giveBack()
	}
	p.reaper = nil
	if len(p.idle) > 0 {
		p.reaper = time.AfterFunc(p.idleTime-now.Sub(p.idle[0].since), p.reap)
	}
}

// address returns where the connection of an origin leads, if one is open.
func (p *pool) address(origin string) (netip.AddrPort, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sites[origin]
	if s == nil || s.conn == nil {
		return netip.AddrPort{}, false
	}
	return s.conn.addr, true
}

// closeIdle closes all idle connections.
func (p *pool) closeIdle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle) > 0 {
		p.evict(p.idle[0])
		p.giveBack()
	}
}

// shut closes all connections, cuts those in use, and lets nobody in.
func (p *pool) shut() {
	p.closeIdle()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, s := range p.sites {
		if s.conn != nil {
			s.conn.close() // its user finds out and gives the permit back
		}
	}
	if p.reaper != nil {
		p.reaper.Stop()
	}
}

// isClosed reports whether shut was called.
func (p *pool) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}
