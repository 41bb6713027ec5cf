package app

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/api"
)

// engine is what a governor starts and stops.
type engine struct {
	mu      sync.Mutex
	running bool
}

func (e *engine) Start() { e.set(true) }
func (e *engine) Stop()  { e.set(false) }

func (e *engine) set(on bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = on
}

func (e *engine) on() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.running
}

// governed is a governor with what it told.
type governed struct {
	*governor
	t      *testing.T
	engine engine
	mu     sync.Mutex
	told   []string
}

func govern(t *testing.T) *governed {
	g := &governed{t: t, engine: engine{running: true}}
	g.governor = newGovernor(&g.engine, func(s api.State, reasons []string) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.told = append(g.told, fmt.Sprint(s, " ", reasons))
	})
	return g
}

// want checks that words and deeds agree.
func (g *governed) want(when string, state api.State, reasons ...string) {
	g.t.Helper()
	s, got, _ := g.state()
	if s != state || !slices.Equal(got, reasons) {
		g.t.Errorf("%s: %s %q, want %s %q", when, s, got, state, reasons)
	}
	if on := g.engine.on(); on != (state == api.StateWorking) {
		g.t.Errorf("%s: the fetchers run: %v", when, on)
	}
}

func (g *governed) events() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.told)
}

func TestGovernor_NothingStartsBeforeBegin(t *testing.T) {
	g := govern(t)
	g.want("made", api.StatePaused, "the node is starting")
	g.setDisk("")
	g.resume()
	g.want("resumed", api.StatePaused, "the node is starting")
	g.begin()
	g.want("begun", api.StateWorking)
	if got, want := g.events(), []string{"working []"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestGovernor_PauseEndsByItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := govern(t)
		g.begin()
		g.pause(time.Hour)
		end := time.Now().Add(time.Hour)
		g.want("paused", api.StatePaused, "you paused it until "+end.Format("15:04:05"))
		if _, _, until := g.state(); !until.Equal(end) {
			t.Errorf("until %v, want %v", until, end)
		}
		time.Sleep(time.Hour - time.Second)
		g.pause(2 * time.Hour) // the first pause no longer ends it
		time.Sleep(time.Hour)
		synctest.Wait()
		if g.engine.on() {
			t.Error("the first pause ended the second")
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		g.want("the time is over", api.StateWorking)
		g.pause(time.Minute)
		g.pause(0)
		time.Sleep(time.Hour)
		synctest.Wait()
		g.want("until resumed", api.StatePaused, "you paused it")
		g.resume()
		g.want("resumed", api.StateWorking)
		g.pause(time.Minute)
		g.resume()
		g.pause(0)
		time.Sleep(time.Hour)
		synctest.Wait()
		g.want("paused after resume", api.StatePaused, "you paused it")
		g.stop()
	})
}

func TestGovernor_AllReasonsMustEnd(t *testing.T) {
	g := govern(t)
	g.begin()
	g.pause(0)
	g.setDisk("disk full")
	g.setTrouble(errors.New("no space"))
	g.want("all", api.StatePaused, "you paused it", "disk full", "cannot write to the store: no space")
	if !g.diskFull() {
		t.Error("diskFull = false")
	}
	g.setTrouble(nil)
	g.resume()
	g.want("one is left", api.StatePaused, "disk full")
	g.setDisk("")
	g.want("none is left", api.StateWorking)
	before := len(g.events())
	g.setDisk("") // nothing new, nothing told
	g.setTrouble(nil)
	if n := len(g.events()); n != before {
		t.Errorf("told %d times that nothing changed", n-before)
	}
	g.stop()
	g.want("stopping", api.StateStopping, "the node is stopping")
	g.resume()
	g.setDisk("")
	g.want("stopping stays", api.StateStopping, "the node is stopping")
}

// Front ends show what events say.
func TestGovernor_TellsWhenTheReasonIsAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := govern(t)
		g.begin()
		g.pause(0)
		g.pause(time.Hour)
		until := time.Now().Add(time.Hour).Format("15:04:05")
		g.resume()
		want := []string{"working []", "paused [you paused it]", "paused [you paused it until " + until + "]", "working []"}
		if got := g.events(); !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
	})
}

func TestGovernor_ArchiveFailuresBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := govern(t)
		g.begin()
		fail := func(want time.Duration) {
			t.Helper()
			g.archiveFailed(errors.New("first"))
			g.archiveFailed(errors.New("second")) // of another fetcher, at the same time
			g.want("failed", api.StatePaused, "cannot write to the archive: first")
			time.Sleep(want - time.Second)
			synctest.Wait()
			if g.engine.on() {
				t.Errorf("tried again before %v", want)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			g.want(fmt.Sprint("after ", want), api.StateWorking)
		}
		for _, s := range []int{4, 8, 16, 32, 64, 128, 256, 300, 300} {
			fail(time.Duration(s) * time.Second)
		}
		g.archiveWorks()
		fail(4 * time.Second)
	})
}

func TestGovernor_ManyAtATime(t *testing.T) {
	g := govern(t)
	g.begin()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				switch i % 4 {
				case 0:
					g.pause(time.Hour)
				case 1:
					g.setDisk("full")
				case 2:
					g.setTrouble(errors.New("no"))
				case 3:
					g.state()
				}
				g.resume()
				g.setDisk("")
				g.setTrouble(nil)
			}
		})
	}
	all.Wait()
	g.want("in the end", api.StateWorking)
}
