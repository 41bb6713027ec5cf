//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/demo"
)

// promisedEnd is how long an orderly end may take after the signal, where the
// computer has nothing else to do.
const promisedEnd = 10 * time.Second

// hanging is a node in the middle of a request that is not answered before release.
type hanging struct {
	*process
	site    *site
	release func()
}

func startHanging(t *testing.T) *hanging {
	t.Helper()
	s := newSite(t, "hang.test", map[string]string{"/": `<a href="/a">a</a>`, "/a": "a"})
	answer := make(chan struct{})
	release := sync.OnceFunc(func() { close(answer) })
	t.Cleanup(release) // before the server is closed, which waits for it
	s.whenAsked(2, func() { <-answer })
	h := &hanging{site: s, release: release}
	h.process = s.start(t)
	h.awaitUp(s.home)
	until(t, "the page to be asked for", func() bool { return s.asked.Load() == 2 })
	return h
}

// start starts a node that crawls the site as fast as it can.
func (s *site) start(t *testing.T, flags ...string) *process {
	t.Helper()
	return startForage(t, append([]string{"run", "--home", s.home, "--accept", "--lab", "--hosts", s.hosts, "--api", "127.0.0.1:0",
		"--seeds", s.url("/"), "--gap", "0s", "--no-limits"}, flags...)...)
}

// awaitStopping waits until the node has heard that it shall end.
func (h *hanging) awaitStopping() {
	h.t.Helper()
	node, err := client.Dial(filepath.Join(h.site.home, "state"))
	if err != nil {
		h.t.Fatal(err)
	}
	until(h.t, "the node to stop", func() bool {
		status, err := node.Status(h.t.Context())
		return err != nil || status.State == api.StateStopping
	})
}

// killedBy fails the test unless the process was ended by a signal.
func (p *process) killedBy(want syscall.Signal) {
	p.t.Helper()
	code := p.wait()
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != want {
		p.t.Errorf("it ended with %d, %v; want %s", code, p.cmd.ProcessState, want)
	}
}

// A site that never answers does not hold a node up: nothing is lost, and nobody has to kill it.
func TestSignal_EndsInTime(t *testing.T) {
	t.Parallel()
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			h := startHanging(t)
			sent := time.Now()
			h.signal(s)
			h.succeed()
			if took := time.Since(sent); took > promisedEnd && !testing.Short() {
				t.Errorf("it took %s, want at most %s", took, promisedEnd)
			}
			if isUp(h.site.home) {
				t.Error("the API descriptor is still there")
			}
			if totals := checkStore(t, h.site.home); totals.Queued != 1 {
				t.Errorf("after the end %d URLs are queued, want 1", totals.Queued)
			}
		})
	}
}

// Whoever sends a second signal does not want to wait; the next start makes good what was cut off.
func TestSignal_SecondIsImmediate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ first, second syscall.Signal }{
		{syscall.SIGTERM, syscall.SIGTERM}, {syscall.SIGINT, syscall.SIGINT}, {syscall.SIGTERM, syscall.SIGINT},
	} {
		t.Run(c.first.String()+", "+c.second.String(), func(t *testing.T) {
			t.Parallel()
			h := startHanging(t)
			h.signal(c.first)
			h.awaitStopping()
			h.signal(c.second)
			h.killedBy(c.second)
			h.release()
			h.site.start(t, "--exit-when-idle", "1s").succeed()
			if totals := checkStore(t, h.site.home); totals.Queued != 0 {
				t.Errorf("after the next run %d URLs are queued", totals.Queued)
			}
		})
	}
}

// A second start finds the first, also while that one is ending, and does it no harm.
func TestSignal_SecondStartWhileTheFirstEnds(t *testing.T) {
	t.Parallel()
	h := startHanging(t)
	h.signal(syscall.SIGTERM)
	h.awaitStopping()
	h.signal(syscall.SIGSTOP) // so that the second is not too late
	second := h.site.start(t)
	if code := second.wait(); code != 5 || !strings.Contains(second.stderr.String(), `Forage seems to be running: "forage status" tells`) {
		t.Errorf("the second node ended with %d, want 5, and says:\n%s", code, tail(second.stderr.String()))
	}
	h.signal(syscall.SIGCONT)
	h.release()
	h.succeed()
	h.site.start(t, "--exit-when-idle", "1s").succeed()
}

// Of nodes that are started at once, one runs and the others find it.
func TestStart_ManyAtOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{Sites: 1, Pages: 60})
	var all []*process
	for range 4 {
		all = append(all, l.start("--gap", "1m"))
	}
	var first *process
	until(t, "one node to run and the others to end", func() bool {
		ended := 0
		first = nil
		for _, p := range all {
			select {
			case <-p.ended:
				ended++
			default:
				first = p
			}
		}
		return ended == len(all)-1 || ended == len(all)
	})
	if first == nil {
		t.Fatal("none of them runs")
	}
	first.awaitUp(l.home)
	for _, p := range all {
		if p != first && (p.wait() != 5 || !strings.Contains(p.stderr.String(), "forage status")) {
			t.Errorf("one ended with %d: %s", p.code, tail(p.stderr.String()))
		}
	}
	first.signal(syscall.SIGTERM)
	first.succeed()
}
