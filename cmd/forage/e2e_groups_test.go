//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/demo"
)

// whole waits until every shard is kept by three nodes that have all of it, and no
// node leads another's.
func (c *crowd) whole() {
	c.t.Helper()
	n := int64(len(c.here()))
	said := make(map[string]string)
	defer func() {
		if c.t.Failed() {
			c.t.Logf("%d nodes say of their shards: %v", n, said)
		}
	}()
	until(c.t, "all shards to be whole", func() bool {
		var shards, whole, follows int64
		for _, m := range c.here() {
			s := m.status()
			said[m.name()] = fmt.Sprintf("%d members, leads %d, %d of them whole, keeps %d others", s.Members, s.Leads, s.Whole, s.Follows)
			if s.Members != n || s.Leads != 1 {
				return false
			}
			shards, whole, follows = shards+s.Leads, whole+s.Whole, follows+s.Follows
		}
		return shards == n && whole == n && follows == n*min(n-1, 2)
	})
}

// labTimes are the flags of nodes that miss each other soon.
var labTimes = []string{"--lab-times", "lab"}

// group starts so many nodes that miss each other soon, and waits until their logs are
// whole. The crawl goes on meanwhile.
func (c *crowd) group(n int) {
	c.t.Helper()
	door := c.enter("1", labTimes...).door()
	for i := 2; i <= n; i++ {
		c.enter(fmt.Sprint(i), append([]string{"--bootstrap", door}, labTimes...)...)
	}
	c.agree(int64(n))
	c.whole()
}

// kill ends a node without a word.
func (m *member) kill() {
	m.t.Helper()
	m.left = true
	m.signal(syscall.SIGKILL)
	m.wait()
}

// name is what the crowd calls a node.
func (m *member) name() string { return filepath.Base(m.home) }

// again starts a killed node again in its home, or in an empty one.
func (c *crowd) again(m *member, name string, empty bool, flags ...string) *member {
	c.t.Helper()
	if empty {
		if err := os.RemoveAll(m.home); err != nil {
			c.t.Fatal(err)
		}
	}
	var door string
	for _, other := range c.here() {
		door = other.door()
	}
	return c.enter(name, append([]string{"--bootstrap", door}, flags...)...)
}

// judgeKills is judge for a crawl during which nodes were killed: what was in flight then, and
// what an empty disk has lost, may have been fetched again.
func (c *crowd) judgeKills(kills int) {
	c.t.Helper()
	c.judgeFaults(func(pages int) int {
		return max(pages/100, 4*kills)
	})
}

// judgeFaults is judge for a crawl in which so many requests may have been repeated.
func (c *crowd) judgeFaults(most func(pages int) int) {
	c.t.Helper()
	v := c.visits()
	v.complete(c.t, c.web)
	keepsGapEverywhere(c.t, v, swarmGap)
	pages, repeats := len(v.pages().fetched()), len(v.repeats())
	c.t.Logf("%d pages, %d requests repeated", pages, repeats)
	if repeats > most(pages) {
		c.t.Errorf("%d of %d pages were requested again, want at most %d", repeats, pages, most(pages))
	}
	if c.t.Failed() {
		c.explain(v)
	}
}

// Nodes are killed without a word, one after the other, and come back; one of
// them with an empty disk. Nothing is lost, and no site sees two crawlers.
func TestSwarm_KilledNodesComeBack(t *testing.T) {
	t.Parallel()
	kills, every := sized(2, 4, 16), sized(time.Second, 3*time.Second, 20*time.Second)
	c := newCrowd(t, sized(sixty(), sixty(), demo.Options{Sites: 300, Pages: 12_000}))
	c.group(sized(3, 5, 5))
	for i := range kills {
		empty := (kills-i)%4 == 1
		m := c.here()[0]
		t.Logf("kill %d: %s", i, m.home)
		m.kill()
		time.Sleep(every / 4)
		c.again(m, m.name(), empty, labTimes...)
		if empty {
			c.whole()
		}
		time.Sleep(every * 3 / 4)
	}
	c.settle()
	c.whole()
	c.shared()
	c.end()
	c.judgeKills(kills)
}

// Two of the three nodes that keep every log are killed at the same moment, so that no log
// has a majority. When they are back, nothing is lost.
func TestSwarm_TwoOfThreeKeepersAreKilledAtOnce(t *testing.T) {
	thorough(t)
	c := newCrowd(t, sixty())
	c.group(3)
	both := c.here()[:2]
	for _, m := range both {
		m.signal(syscall.SIGKILL)
	}
	for _, m := range both {
		m.kill()
	}
	time.Sleep(sized(0, time.Second, 10*time.Second))
	for _, m := range both {
		c.again(m, m.name(), false, labTimes...)
	}
	c.settle()
	c.whole()
	c.shared()
	c.end()
	c.judgeKills(len(both))
}

// A node that stands still, as a computer asleep does, until others have taken over from it,
// goes on with nothing that is theirs by then.
func TestSwarm_StoppedLeaderGoesOn(t *testing.T) {
	thorough(t)
	c := newCrowd(t, sixty())
	c.group(3)
	stopped, others := c.nodes[0], c.nodes[1:]
	since := time.Now()
	stopped.signal(syscall.SIGSTOP)
	until(t, "the others to act for it", func() bool { return others[0].status().Leads+others[1].status().Leads == 3 })
	if os.Getenv("FORAGE_LONG") != "" {
		time.Sleep(30*time.Second - time.Since(since)) // its leases are long over, and it is out or about to be
	}
	stopped.signal(syscall.SIGCONT)
	c.settle()
	c.whole()
	c.shared()
	c.end()
	// What it had fetched and not brought home when it stopped, others have fetched since.
	c.judgeFaults(func(int) int { return 4 * 16 })
}
