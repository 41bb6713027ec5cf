//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/demo"
)

// whole waits until every log is kept by three nodes that have all of it, and no
// node leads another's.
func (c *crowd) whole() {
	c.t.Helper()
	n := int64(len(c.here()))
	until(c.t, "all logs to be whole", func() bool {
		var logs, whole, copies int64
		for _, m := range c.here() {
			s := m.status()
			if s.Members != n || s.Logs != 1 {
				return false
			}
			logs, whole, copies = logs+s.Logs, whole+s.LogsWhole, copies+s.Copies
		}
		return logs == n && whole == n && copies == n*min(n-1, 2)
	})
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
// what had not reached who owns it, may have been fetched again.
func (c *crowd) judgeKills(kills int) {
	c.t.Helper()
	v := c.visits()
	v.complete(c.t, c.web)
	keepsGapEverywhere(c.t, v, swarmGap)
	pages, repeats := len(v.pages().fetched()), len(v.repeats())
	c.t.Logf("%d pages, %d requests repeated after %d kills", pages, repeats, kills)
	if most := max(pages/100, 4*kills); repeats > most {
		c.t.Errorf("%d of %d pages were requested again, want at most %d", repeats, pages, most)
	}
	if c.t.Failed() {
		c.explain(v)
	}
}

// Nodes are killed without a word, one after the other, and come back; one of
// them with an empty disk. Nothing is lost, and no site sees two crawlers.
func TestSwarm_KilledNodesComeBack(t *testing.T) {
	o, kills, every := sixty, 4, 3*time.Second
	if os.Getenv("FORAGE_LONG") != "" {
		o, kills, every = demo.Options{Sites: 300, Pages: 12_000}, 16, 20*time.Second
	}
	c := newCrowd(t, o)
	lab := []string{"--lab-times", "lab"}
	c.enter("1", lab...)
	for _, name := range []string{"2", "3", "4", "5"} {
		c.enter(name, append([]string{"--bootstrap", c.nodes[0].door()}, lab...)...)
	}
	c.agree(5)
	c.whole()
	for i := range kills {
		m := c.here()[0]
		t.Logf("kill %d: %s", i, m.home)
		m.kill()
		time.Sleep(every / 4)
		c.again(m, m.name(), i%4 == 3, lab...)
		if i%4 == 3 {
			c.whole()
		}
		time.Sleep(every * 3 / 4)
	}
	c.settle()
	c.whole()
	c.shared(o.Sites + 1)
	c.end()
	c.judgeKills(kills)
}
