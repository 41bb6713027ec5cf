//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/config"
)

// killer kills the nodes of a lab.
type killer struct {
	*lab
	random  *rand.Rand
	healthy time.Duration // how long doctor takes
}

// healthyDoctor returns how long "forage doctor" takes for a crawl that is
// complete.
func healthyDoctor(t *testing.T, l *lab) time.Duration {
	t.Helper()
	start := time.Now()
	l.forage("doctor")
	return time.Since(start)
}

// plan draws when to kill, in order: half the kills at random moments or
// starts, half at the others.
func (k *killer) plan(n int, total int64) []kill {
	list := make([]kill, n)
	for i := range list {
		list[i].at = 1 + k.random.Int64N(total*8/10)
	}
	slices.SortFunc(list, func(a, b kill) int { return int(a.at - b.at) })
	for i := range list {
		list[i].moment = [...]moment{atRandom, atRotation, inDoctor, atCommit, atRandom, atStart}[i%6]
	}
	return list
}

// kill kills a node when the web has served as many requests as planned and
// the moment has come, and returns when it did.
func (k *killer) kill(p *process, what kill) time.Time {
	k.t.Helper()
	switch what.moment {
	case atStart:
		p.awaitUp(k.home)
		return k.killNow(p)
	case atRotation:
		k.awaitServed(p, what.at)
		seen := k.newestOpen()
		k.await(p, "a new file of the archive", func() bool { return k.newestOpen() != seen })
		return k.killNow(p)
	case atCommit:
		k.awaitServed(p, what.at)
		// A commit writes pages, syncs, writes a header, and syncs.
		for range 1 + k.random.IntN(2) {
			seen := k.storeState()
			k.await(p, "a commit", func() bool { return k.storeState() != seen })
		}
		return k.killNow(p)
	}
	at := k.killAt(p, what.at, k.random.IntN(2) == 0)
	if what.moment == inDoctor {
		k.killDoctor()
	}
	return at
}

// await looks again and again, faster than until does.
func (k *killer) await(p *process, what string, yes func() bool) {
	k.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for deadline := time.Now().Add(patience); !yes() && time.Now().Before(deadline); {
			select {
			case <-p.ended:
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
	}()
	waitFor(k.t, what, done, p)
}

func (k *killer) awaitServed(p *process, n int64) {
	k.t.Helper()
	due := make(chan struct{})
	k.whenServed(n, func() { close(due) })
	waitFor(k.t, fmt.Sprintf("%d requests to be served", n), due, p)
}

// newestOpen returns the name of the file that is being written.
func (k *killer) newestOpen() string {
	open, err := filepath.Glob(filepath.Join(k.warcDir(), "*.open"))
	if err != nil || len(open) == 0 {
		return ""
	}
	return slices.Max(open)
}

// storeState returns what changes when the store is written.
func (k *killer) storeState() string {
	info, err := os.Stat(config.Paths{State: filepath.Join(k.home, "state")}.Store())
	if err != nil {
		k.t.Error(err)
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

func (k *killer) killNow(p *process) time.Time {
	k.t.Helper()
	at := time.Now()
	p.signal(syscall.SIGKILL)
	if code := p.wait(); code != -1 {
		k.t.Fatalf("the node ended with %d before it was killed\n%s", code, tail(p.stderr.String()))
	}
	return at
}

// killDoctor gives "forage doctor" something to repair and kills it at a random
// moment, or lets it come to its end.
func (k *killer) killDoctor() {
	k.t.Helper()
	if name := k.newestOpen(); name != "" {
		tearTail(k.t, name)
		if k.random.IntN(2) == 0 {
			remove(k.t, strings.TrimSuffix(name, ".warc.gz.open")+".cdxj")
		}
	}
	p := startForage(k.t, "doctor", "--home", k.home)
	select {
	case <-p.ended:
	case <-time.After(time.Duration(k.random.Int64N(int64(k.healthy)))):
		p.signal(syscall.SIGKILL)
	}
	if code := p.wait(); code > 1 || strings.Contains(p.stderr.String(), "goroutine ") {
		k.t.Errorf("doctor ended with %d\n%s", code, p.stderr.String())
	}
}

// tearTail appends the begin of a record, as a power loss may leave it.
func tearTail(t *testing.T, name string) {
	t.Helper()
	file := readFile(t, name)
	writeFile(t, name, string(file)+string(file[:min(100, len(file))])) // a gzip member begins, and no more
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

// removeAside removes what "forage doctor" keeps of what it has cut off: bytes
// that are no record.
func removeAside(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".cut") || strings.Contains(e.Name(), ".damaged") {
			remove(t, filepath.Join(dir, e.Name()))
		}
	}
}

// killAt kills a node when the web has served n requests: while the last of
// them is being answered, or right after. It returns when it did.
func (l *lab) killAt(p *process, n int64, during bool) (at time.Time) {
	l.t.Helper()
	due := make(chan struct{})
	l.whenServed(n, func() {
		if during {
			at = time.Now()
			defer p.signal(syscall.SIGKILL)
		}
		close(due) // before the process ends, which would look like a failure
	})
	waitFor(l.t, fmt.Sprintf("%d requests to be served", n), due, p)
	if at.IsZero() {
		at = time.Now()
		p.signal(syscall.SIGKILL)
	}
	if code := p.wait(); code != -1 {
		l.t.Fatalf("killed at %d requests, the node ended with %d", n, code)
	}
	return at
}
