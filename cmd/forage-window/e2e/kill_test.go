//go:build linux

package e2e

import (
	"math/rand/v2"
	"testing"
	"time"
)

// A window that is killed, whatever it is at, disturbs nothing; the next one takes its place.
func TestKill_WindowAtAnyMoment(t *testing.T) {
	l := newLab(t)
	l.crawl()
	random := rand.New(rand.NewPCG(8, 0))
	for range 10 {
		p, err := l.launchWindow()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.IntN(1200)) * time.Millisecond)
		p.kill()
	}
	l.works()
	w := l.window()
	w.see("Overview")
	if l.node.gone() {
		t.Error("the node is gone")
	}
	l.judged()
}

// A node that is killed takes nothing with it: the window says that it does not answer, starts it, and shows it
// again; what was set is still set.
func TestKill_Node(t *testing.T) {
	l := newLab(t)
	l.crawl()
	kept := map[string]string{"level.in_use": "gentle", "data.day": "700 MB"}
	for key, value := range kept {
		l.forage("set", key+"="+value)
	}
	w := l.window()
	w.see("Overview")
	l.node.kill()
	w.click("Button", "Start")
	await(t, "the node runs again", l.answers)
	l.works()
	w.gone("Start")
	for key, want := range kept {
		if got := l.setting(key); got != want {
			t.Errorf("%s is %q, was set to %q", key, got, want)
		}
	}
	l.forage("stop")
	w.see("Start")
	l.start("--no-tray") // by somebody else
	w.gone("Start")
	l.works()
}
