package limiter

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
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
	*Governor
	t      *testing.T
	engine engine
	mu     sync.Mutex
	told   []string
}

func govern(t *testing.T) *governed {
	g := &governed{t: t, engine: engine{running: true}}
	g.Governor = NewGovernor(&g.engine, func(s api.State, causes []Cause) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.told = append(g.told, fmt.Sprint(s, " ", Reasons(words.English, causes)))
	}, false, limits.Duty)
	return g
}

// said are reasons of limits.
func said(list ...string) (reasons []InLanguages) {
	for _, text := range list {
		reasons = append(reasons, InLanguages{words.English: text})
	}
	return reasons
}

// want checks that words and deeds agree.
func (g *governed) want(when string, state api.State, reasons ...string) {
	g.t.Helper()
	s, causes := g.Why()
	if got := Reasons(words.English, causes); s != state || !slices.Equal(got, reasons) {
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
	g.want("made", api.StatePaused, "Starting")
	g.setLimits(true, false, nil, "")
	g.want("allowed", api.StatePaused, "Starting")
	g.Begin()
	g.want("begun", api.StateWorking)
	if got, want := g.events(), []string{"working []"}; !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestGovernor_AllReasonsMustEnd(t *testing.T) {
	g := govern(t)
	g.Begin()
	g.setLimits(false, false, said("you paused it", "disk full"), "paused disk")
	g.SetTrouble(errors.New("no space"))
	g.want("all", api.StatePaused, "you paused it", "disk full", "Needs a look: Forage cannot save what it learns (no space)")
	g.SetTrouble(nil)
	g.setLimits(false, false, said("disk full"), "disk")
	g.want("one is left", api.StatePaused, "disk full")
	g.setLimits(true, false, nil, "")
	g.want("none is left", api.StateWorking)
	before := len(g.events())
	g.setLimits(true, false, said("gently"), "") // nothing new, nothing told
	g.SetTrouble(nil)
	if n := len(g.events()); n != before {
		t.Errorf("told %d times that nothing changed", n-before)
	}
	g.Stop()
	g.want("stopping", api.StateStopping, "Stopping")
	g.setLimits(true, false, nil, "")
	g.want("stopping stays", api.StateStopping, "Stopping")
}

// Front ends show what events say; they are not told of every byte.
func TestGovernor_TellsWhenTheReasonIsAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := govern(t)
		g.Begin()
		g.setLimits(false, false, said("7 MB are free"), "disk")
		time.Sleep(tellEvery)
		g.setLimits(false, false, said("6 MB are free"), "disk")
		g.want("less is free", api.StatePaused, "6 MB are free")
		g.setLimits(false, false, said("a film"), "film")
		g.setLimits(false, false, said("a film", "and a game"), "film game") // at the same moment
		time.Sleep(tellEvery)
		g.setLimits(false, false, said("you paused it"), "paused")
		g.setLimits(true, false, nil, "")
		want := []string{"working []", "paused [7 MB are free]", "paused [a film]", "paused [you paused it]", "working []"}
		if got := g.events(); !slices.Equal(got, want) {
			t.Errorf("told %q, want %q", got, want)
		}
	})
}

func TestGovernor_ArchiveFailuresBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := govern(t)
		g.Begin()
		fail := func(want time.Duration) {
			t.Helper()
			g.ArchiveFailed(errors.New("first"))
			g.ArchiveFailed(errors.New("second")) // of another fetcher, at the same time
			g.want("failed", api.StatePaused, "Needs a look: Forage cannot write to its archive (first)")
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
		g.ArchiveWorks()
		fail(4 * time.Second)
	})
}

func TestGovernor_ManyAtATime(t *testing.T) {
	g := govern(t)
	g.Begin()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 100 {
				switch i % 4 {
				case 0:
					g.setLimits(false, false, said("paused"), "paused")
				case 1:
					g.setLimits(false, false, said("full"), "full")
				case 2:
					g.SetTrouble(errors.New("no"))
				case 3:
					g.Why()
				}
				g.setLimits(true, false, nil, "")
				g.SetTrouble(nil)
			}
		})
	}
	all.Wait()
	g.want("in the end", api.StateWorking)
}

// Where the footing follows the limits, a node that may work again and is not on duty yet starts. It does not stand by.
func TestGovernor_FootingThatFollows(t *testing.T) {
	g := govern(t)
	g.follows = true
	g.Begin()
	g.setLimits(false, false, said("You are here."), "in_use")
	g.SetFooting(limits.Standby)
	g.want("at rest", api.StatePaused, "You are here.")
	g.setLimits(true, false, nil, "")
	g.want("before its footing", api.StatePaused, "Starting")
	g.SetFooting(limits.Duty)
	g.want("on duty", api.StateWorking)
}
