//go:build unix

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/demo"
)

// swarmGap is between two requests to a domain of the swarms here, whichever node
// makes them.
const swarmGap = 100 * time.Millisecond

// crowd is nodes that share the crawl of a practice web, each a process of its
// own.
type crowd struct {
	*lab
	dir     string
	nodes   []*member
	domains int // of the web
}

// member is a node of a crowd.
type member struct {
	*process
	t    *testing.T
	home string
	api  *client.Client
	left bool // it was asked to end
	// checks is how many pages others fetched again for it, to see whether what it was told of them is true.
	checks int
}

func newCrowd(t *testing.T, o demo.Options) *crowd {
	t.Helper()
	c := &crowd{lab: newLab(t, o), dir: t.TempDir(), domains: o.Sites + 1}
	t.Cleanup(c.keep)
	return c
}

// homeOf is the home of the node with a name.
func (c *crowd) homeOf(name string) string { return filepath.Join(c.dir, name) }

// enter starts a node and waits until it answers. Leases last as long as they do
// elsewhere: on a busy machine those of a lab lapse, and so do requests.
func (c *crowd) enter(name string, flags ...string) *member {
	c.t.Helper()
	m := &member{t: c.t, home: c.homeOf(name)}
	m.process = startForage(c.t, slices.Concat([]string{
		"run", "--home", m.home, "--accept", "--lab", "--hosts", c.hosts, "--api", "127.0.0.1:0", "--no-tray", "--seeds", c.web.StartURL(),
		"--gap", swarmGap.String(), "--fetchers", "16", "--no-limits", "--lab-times", "real", "--verbose",
		"--depth", "64", // what travels between members may be found by a longer way first
	}, flags)...)
	m.awaitUp(m.home)
	node, err := client.Dial(filepath.Join(m.home, "state"))
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", m.home, err, tail(m.stderr.String()))
	}
	m.api = node
	c.nodes = append(c.nodes, m)
	return m
}

// gather starts nodes that find each other by way of the first, and waits until
// they have. The crawl goes on meanwhile.
func (c *crowd) gather(n int) {
	c.t.Helper()
	door := c.enter("1").door()
	for i := 2; i <= n; i++ {
		c.enter(fmt.Sprint(i), "--bootstrap", door)
	}
	c.agree(int64(n))
}

// agree waits until all nodes that have not left know of so many members.
func (c *crowd) agree(members int64) {
	c.t.Helper()
	for _, m := range c.here() {
		until(c.t, fmt.Sprintf("%d members at %s", members, m.home), func() bool { return m.status().Members == members })
	}
}

// here returns the nodes that were not asked to end.
func (c *crowd) here() []*member {
	return slices.DeleteFunc(slices.Clone(c.nodes), func(m *member) bool { return m.left })
}

// settle waits until nobody has had anything to do for a while.
func (c *crowd) settle() {
	c.t.Helper()
	const enough = 3 * time.Second / lookAtLeast // looks; domains that move are nobody's for a moment
	quiet, begun := time.Duration(0), false
	until(c.t, "everything to be fetched", func() bool {
		quiet++
		for _, m := range c.here() {
			s := m.status()
			if begun = begun || s.Known > 0; s.Queued+s.Leases+s.InFlight+s.Waiting > 0 {
				quiet = 0
			}
		}
		return begun && quiet >= enough // newcomers know nothing before others have vouched for them
	})
}

// end asks the nodes to end, one after the other, and waits for each.
func (c *crowd) end() {
	c.t.Helper()
	for _, m := range c.here() {
		m.leave()
	}
}

// leave ends a node as Ctrl-C does.
func (m *member) leave() {
	m.t.Helper()
	for _, p := range m.peers().Peers {
		m.checks += int(p.Checks)
	}
	m.left = true
	m.signal(syscall.SIGINT)
	m.succeed()
}

// ask asks a node.
func ask[T any](m *member, question func(*client.Client, context.Context) (T, error)) T {
	m.t.Helper()
	answer, err := question(m.api, context.Background())
	if err != nil {
		m.t.Fatalf("%s: %v\n%s", m.home, err, tail(m.stderr.String()))
	}
	return answer
}

func (m *member) status() api.Status { m.t.Helper(); return ask(m, (*client.Client).Status) }

func (m *member) peers() api.Peers { m.t.Helper(); return ask(m, (*client.Client).Peers) }

// connects waits until the node has met one other, and is connected to it.
func (m *member) connects() {
	m.t.Helper()
	until(m.t, "a connection to another node", func() bool {
		p := m.peers()
		return !p.Alone && len(p.Peers) == 1 && p.Peers[0].Connection == "direct"
	})
}

// door is what others are given as --bootstrap.
func (m *member) door() string {
	m.t.Helper()
	p := m.peers()
	if len(p.Addrs) == 0 || !strings.HasSuffix(p.Addrs[0], "/p2p/"+p.ID) {
		m.t.Fatalf("%s is at %q", m.home, p.Addrs)
	}
	return p.Addrs[0]
}

// domains returns the domains that the node owns.
func (m *member) domains() []api.Domain {
	m.t.Helper()
	return ask(m, func(c *client.Client, ctx context.Context) ([]api.Domain, error) { return c.Domains(ctx, "", 1000) })
}

// judge fails the test unless the web saw one right crawl: everything fetched,
// nothing twice, nothing that is forbidden, and every domain left alone between
// two requests.
func (c *crowd) judge() {
	c.t.Helper()
	v := c.visits()
	v.complete(c.t, c.web)
	checks := 0
	for _, m := range c.nodes {
		checks += m.checks
	}
	v.onlyChecks(c.t, checks)
	keepsGapEverywhere(c.t, v, swarmGap)
	if c.t.Failed() {
		c.explain(v)
	}
}

// explain tells when things were requested again, and what the nodes said.
func (c *crowd) explain(v visits) {
	for url, hits := range v.pages().byURL() {
		for _, h := range hits {
			if len(hits) > 1 && hits[0].Status < 400 {
				c.t.Logf("%s  %s  %d to %s", h.Start.Format("15:04:05.000"), url, h.Status, h.Client)
			}
		}
	}
	for _, m := range c.nodes {
		c.t.Logf("%s says:\n%s", m.home, tail(m.stderr.String()))
	}
}

// shared waits until each domain of the web belongs to exactly one node. One that led it a moment ago forgets it a little
// later.
func (c *crowd) shared() {
	c.t.Helper()
	until(c.t, "each domain to belong to one node", func() bool {
		owners := make(map[string]string)
		doubled := false
		for _, m := range c.here() {
			for _, d := range m.domains() {
				_, is := owners[d.Domain]
				doubled = doubled || is
				owners[d.Domain] = m.home
			}
		}
		return !doubled && len(owners) == c.domains
	})
}

// sixty returns a web of as many domains and a start page, big enough for members
// to come and go while it is crawled.
func sixty() demo.Options { return demo.Options{Sites: 60, Pages: sized(1200, 3000, 3000)} }

func TestSwarm_FiveNodesCrawlEveryPageOnce(t *testing.T) {
	t.Parallel()
	thorough(t)
	web := sixty()
	web.Pages *= 2 // on a busy machine those who come last find the half of it done
	c := newCrowd(t, web)
	c.gather(5)
	c.settle()
	c.shared()
	var pages int64
	for _, m := range c.nodes {
		s := m.status()
		if pages += s.PagesSession; s.PagesSession == 0 || s.Domains == 0 {
			t.Errorf("%s owns %d domains and fetched %d pages, want a share", m.home, s.Domains, s.PagesSession)
		}
	}
	c.end()
	c.judge()
	if fetched := len(c.visits().pages().fetched()); pages != int64(fetched) {
		t.Errorf("the nodes count %d pages, the web %d", pages, fetched)
	}
}

func TestSwarm_OneComesAndOneGoesMeanwhile(t *testing.T) {
	thorough(t) // a domain that moves while it is lent may wait for the end of that lease: two minutes in real times
	t.Parallel()
	c, n := newCrowd(t, sixty()), sized(3, 5, 5)
	c.gather(n)
	last := c.enter(fmt.Sprint(n+1), "--bootstrap", c.nodes[1].door())
	c.agree(int64(n + 1))
	until(t, "domains of the node that came", func() bool { return last.status().Domains > 0 })
	third := c.nodes[2]
	third.leave()
	c.agree(int64(n))
	if out := third.stderr.String(); strings.Contains(out, "level=WARN") {
		t.Errorf("the node that left complains:\n%s", tail(out))
	}
	c.settle()
	c.shared()
	c.settle() // what came last to its new owner
	c.end()
	c.judge()
}

// A node that comes back finds those it knew, with nothing said about them.
func TestSwarm_KnownPeersAreRemembered(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, demo.Options{Sites: 2, Pages: 80})
	c.gather(2)
	first, second := c.nodes[0], c.nodes[1]
	id := second.peers().ID
	c.settle()
	second.leave()
	c.agree(1)
	again := c.enter("2")
	c.agree(2)
	again.connects()
	if p := again.peers(); p.ID != id || len(p.Peers) != 1 || p.Peers[0].ID != first.peers().ID {
		t.Errorf("%s knows %+v, want %s with the node it knew", p.ID, p.Peers, id)
	}
	c.settle()
	c.end()
	c.judge()
}

// A bootstrap node brings others together, and has no part in what they do.
func TestSwarm_MeetsThroughABootstrapNode(t *testing.T) {
	thorough(t)
	c := newCrowd(t, demo.Options{Sites: 10, Pages: 300})
	writeConfig(t, c.homeOf("door"), "role = \"bootstrap\"\n")
	door := c.enter("door", "--lab-times", "lab")
	for i := range int64(3) {
		c.enter(fmt.Sprint(i+1), "--bootstrap", door.door(), "--lab-times", "lab") // they compare notes more often
		c.agree(i + 1)
	}
	c.settle()
	c.shared()
	s, p := door.status(), door.peers()
	if s.Domains+s.PagesSession+s.Known+s.BytesReceived != 0 || s.Share != 0 || p.Share != 0 {
		t.Errorf("the bootstrap node owns %d domains and %.0f %% of the ring, and fetched %d pages", s.Domains, 100*s.Share, s.PagesSession)
	}
	if len(p.Peers) != 3 {
		t.Errorf("the bootstrap node knows %d nodes, want 3: %+v", len(p.Peers), p.Peers)
	}
	for _, m := range c.nodes[1:] {
		if p := m.peers(); len(p.Peers) != 3 { // two members and the door
			t.Errorf("%s knows %d nodes, want 3: %+v", m.home, len(p.Peers), p.Peers)
		}
	}
	c.end()
	c.judge()
}

// Newcomers that meet nobody but a bootstrap node wait a moment for each other:
// else each would take the whole web for its own.
func TestSwarm_NewcomersOfTheSameMomentShare(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, demo.Options{Sites: 10, Pages: 300})
	writeConfig(t, c.homeOf("door"), "role = \"bootstrap\"\n")
	door := c.enter("door")
	for i := range 3 {
		c.enter(fmt.Sprint(i+1), "--bootstrap", door.door())
	}
	c.agree(3)
	c.settle()
	c.shared()
	c.end()
	c.judge()
}
