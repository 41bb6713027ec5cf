package app

import (
	"context"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/storage"
)

// crash takes the power from a node. What is on its disk at this moment is what
// its next run will find.
func (s *simSwarm) crash(x *simNode) {
	s.t.Helper()
	s.net.Cut(x.host, true)
	x.plug.pull()
	x.crashed, x.cut, s.changed = true, time.Now(), time.Now()
	s.copyHome(x, x.home+"+")
	x.cancel() // what is left of the run reaches nobody
}

// revive starts a crashed node again, with what was on its disk.
func (s *simSwarm) revive(x *simNode, know ...*simNode) *simNode {
	s.t.Helper()
	host, err := s.net.Again(x.host)
	if err != nil {
		s.t.Fatal(err)
	}
	x.disk = nil
	return s.startAt(host, x.name+"+", x.home+"+", know)
}

// copyHome copies what a node has on its disk.
func (s *simSwarm) copyHome(x *simNode, to string) {
	s.t.Helper()
	err := filepath.WalkDir(x.home, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, x.home))
		switch {
		case e.IsDir():
			return os.MkdirAll(target, 0o700)
		case e.Name() == "forage.db":
			return x.node.db.View(func(tx *storage.Tx) error { return tx.CopyFile(target, 0o600) })
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o600)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// cutBetween cuts all lines between the nodes of two sides, or joins them again.
func (s *simSwarm) cutBetween(one, other []*simNode, off bool) {
	for _, a := range one {
		for _, b := range other {
			s.net.CutBetween(a.host, b.host, off)
		}
	}
	if off {
		s.split = true
	}
}

// heal ends what cutBetween began: some time later all must agree again.
func (s *simSwarm) heal(one, other []*simNode, within time.Duration) {
	s.cutBetween(one, other, false)
	s.run(within)
	s.split, s.met, s.changed = false, time.Now(), time.Now()
}

// sides divides the nodes: a third of them, and the others.
func (s *simSwarm) sides() (few, most []*simNode) {
	for i, x := range s.members() {
		if i%3 == 1 {
			few = append(few, x)
		} else {
			most = append(most, x)
		}
	}
	return few, most
}

// checkRate makes sure that no site had more than four requests in the time of three
// gaps, counted over any window, and logs by how much it was more than one a gap.
func (s *simSwarm) checkRate(from, to time.Time, window, gap time.Duration) {
	s.t.Helper()
	byDomain := make(map[string][]time.Time)
	for _, r := range s.web.requests() {
		if r.begin.After(from) && r.begin.Before(to) {
			byDomain[r.domain] = append(byDomain[r.domain], r.begin)
		}
	}
	// Each side may begin a window with a request, and with robots.txt.
	most := float64(window)/float64(gap)*4/3 + 4
	worst := 0
	for d, list := range byDomain {
		slices.SortFunc(list, time.Time.Compare)
		high, at := 0, 0
		for i, first := 0, 0; i < len(list); i++ {
			for list[i].Sub(list[first]) > window {
				first++
			}
			if i-first+1 > high {
				high, at = i-first+1, first
			}
		}
		worst = max(worst, high)
		if float64(high) > most {
			s.t.Errorf("%s had %d requests in %v from %v on, want %.0f at most", d, high, window, list[at].Sub(s.origin), most)
		}
	}
	s.t.Logf("at most %d requests of a site in %v, where %d would be without a partition", worst, window, int(window/gap))
}

// names returns the names of nodes, for people.
func names(list []*simNode) (text []string) {
	for _, x := range list {
		text = append(text, x.name)
	}
	return text
}

// nameOf returns what a peer is called here.
func (s *simSwarm) nameOf(p string) string {
	name := peer.ID(p).String()
	for _, x := range s.nodes {
		if string(x.host.ID()) == p {
			name = x.name
		}
	}
	return name
}

// simClock are the clocks of one computer.
type simClock struct {
	mu     sync.Mutex
	since  time.Time
	step   time.Duration // that the wall clock was set by
	frozen time.Time     // since when the computer is suspended; zero while it is not
	slept  time.Duration // before that
}

func newSimClock() *simClock { return &simClock{since: time.Now()} }

func (c *simClock) now() time.Time {
	if !c.frozen.IsZero() {
		return c.frozen
	}
	return time.Now()
}

func (c *simClock) wall() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now().Add(c.step)
}

func (c *simClock) boot() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now().Sub(c.since)
}

// set sets the wall clock.
func (c *simClock) set(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.step += by
}

func (c *simClock) freeze(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if on {
		c.frozen = time.Now()
		return
	}
	c.slept += time.Since(c.frozen)
	c.frozen = time.Time{}
}

func (c *simClock) awake() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now().Sub(c.since) - c.slept
}

func (c *simClock) isFrozen() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.frozen.IsZero()
}

// suspend puts a computer to sleep: it sends nothing, hears nothing, and its clocks stand
// until resume, when they know how long that was. Timers that do not ask them run on, which those of a
// computer would not: what they give up it would have given up later.
func (s *simSwarm) suspend(x *simNode) {
	s.net.Cut(x.host, true)
	x.clock.freeze(true)
	x.plug.hold(true)
}

// resume wakes it up: first what it waited for goes on.
func (s *simSwarm) resume(x *simNode) {
	x.clock.freeze(false)
	x.plug.hold(false)
	s.net.Cut(x.host, false)
}

// hold lets nothing through to sites until it is let go.
func (p *simPlug) hold(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case on && p.held == nil:
		p.held = make(chan struct{})
	case !on && p.held != nil:
		close(p.held)
		p.held = nil
	}
}

// wait waits while nothing goes through.
func (p *simPlug) wait(ctx context.Context) error {
	p.mu.Lock()
	held := p.held
	p.mu.Unlock()
	if held == nil {
		return nil
	}
	select {
	case <-held:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// heldConn is a connection to a site that stands still while its computer sleeps.
type heldConn struct {
	net.Conn
	plug *simPlug
}

// Read returns what came once the computer is awake: one that sleeps cannot note when that was.
func (c heldConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	_ = c.plug.wait(context.Background()) // ends by resume alone
	return n, err
}

func (c heldConn) Write(b []byte) (int, error) {
	if err := c.plug.wait(context.Background()); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
