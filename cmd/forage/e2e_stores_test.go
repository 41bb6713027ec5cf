//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/config"
)

// store is where a node has its store.
func (m *member) store() string { return config.Paths{State: filepath.Join(m.home, "state")}.Store() }

// forgotten is how many pages may be fetched again where a store is lost: what was fetched and not yet committed when the node was
// killed, which is more on a busy computer: so these tests are among the long ones. Its archive is there, but nothing says which pages to look for.
func forgotten(pages int) int { return pages / 10 }

// judgeStores waits for the end of a crawl in which stores were lost, and judges it.
func (c *crowd) judgeStores() {
	c.t.Helper()
	c.settle()
	c.whole()
	c.shared()
	c.end()
	c.judgeFaults(forgotten)
}

// Stores are lost, while keys and archives are there: the others give the nodes their logs back.
func TestLong_KilledNodesLoseTheirStores(t *testing.T) {
	long(t)
	c := newCrowd(t, sixty())
	c.group(3)
	for range 6 {
		m := c.here()[0]
		m.kill()
		if err := os.Remove(m.store()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		c.again(m, m.name(), false, labTimes...)
		c.whole()
	}
	c.judgeStores()
}

// A store is set back to what it was before, as by a backup or a snapshot of a whole disk. Of two nodes, the other one has lost its
// majority by that, and begin again with the logs of both.
func TestLong_StoreIsSetBack(t *testing.T) {
	long(t)
	for _, nodes := range []int{3, 2} {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			c := newCrowd(t, sixty())
			c.group(nodes)
			m := c.here()[0]
			m.kill()
			old, err := os.ReadFile(m.store())
			if err != nil {
				t.Fatal(err)
			}
			m = c.again(m, m.name(), false, labTimes...)
			c.whole()
			time.Sleep(3 * time.Second) // the store gets further behind, if there is anything left to fetch
			m.kill()
			if err := os.WriteFile(m.store(), old, 0o600); err != nil {
				t.Fatal(err)
			}
			c.again(m, m.name(), false, labTimes...)
			c.whole()
			c.judgeStores()
		})
	}
}

// A home is copied, and both nodes run. The one that came later sees that it speaks for a member that is there, and ends;
// the other goes on.
func TestSwarm_CopyOfAHomeGivesWay(t *testing.T) {
	thorough(t)
	c := newCrowd(t, sixty())
	c.group(3)
	m := c.here()[0]
	m.kill()
	copied := c.homeOf("copy")
	if err := os.CopyFS(copied, os.DirFS(m.home)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	c.again(m, m.name(), false, labTimes...)
	c.whole()
	time.Sleep(20*time.Second - time.Since(began)) // it was there before the other
	door := c.here()[0].door()
	other := startForage(t, append([]string{
		"run", "--home", copied, "--accept", "--lab", "--hosts", c.hosts, "--api", "127.0.0.1:0", "--no-tray", "--gap", swarmGap.String(), "--fetchers", "16", "--no-limits",
		"--bootstrap", door, "--verbose",
	}, labTimes...)...)
	if code := other.wait(); code == 0 || !strings.Contains(other.stderr.String(), "another computer runs as this node") {
		t.Errorf("it ended with %d\n%s", code, tail(other.stderr.String()))
	}
	c.whole()
	c.settle()
	c.whole()
	c.shared()
	c.end()
	c.judgeKills(2)
}
