package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/forage-net/forage/app/api"
)

func TestPauseAndResume(t *testing.T) {
	l := newLab(t)
	l.crawl("--lab-limits")
	l.forage("resume", "--for", "1h")
	p := l.dashboard("en")
	p.see("header.status", "")
	l.await("the node works", func() bool { return l.status().Pages > 0 })
	p.click(".acts button", "Pause")
	p.click("[role=menuitem]", "For 1 hour")
	p.see("header.paused .sentence", "ause")
	p.MustWait("() => document.activeElement.textContent === 'Resume'") // whoever uses the keyboard is not lost
	if s := l.status(); s.State != api.StatePaused || s.ResumeAt == nil {
		t.Errorf("after a pause of an hour: %s until %v", s.State, s.ResumeAt)
	}
	p.click(".acts button", "Resume")
	l.await("the pause is over", func() bool { return l.status().ResumeAt == nil })
	p.sound()
}

// The header says when the node works, changes it, and is as high in each state.
func TestRunModes(t *testing.T) {
	l := newLab(t)
	l.crawl("--lab-limits")
	p := l.dashboard("en")
	high := func() int { return p.MustEval("() => document.querySelector('header.status').offsetHeight").Int() }
	p.see(".modes [aria-pressed=true]", "When I'm away")
	p.see(".keep", "Keep going while I watch")
	at := high()
	p.click(".keep button", "Always")
	p.see(".modes [aria-pressed=true]", "Always")
	p.gone(".keep", "Keep going")
	if now := high(); now != at {
		t.Errorf("the header is %d high, was %d", now, at)
	}
	p.click(".modes button", "Off")
	p.see(".modes [aria-pressed=true]", "Off")
	p.see(".acts button", "Resume")
	if now := high(); now != at {
		t.Errorf("the header is %d high, was %d", now, at)
	}
	l.forage("mode", "away")
	p.see(".modes [aria-pressed=true]", "When I'm away")
	p.sound()
}

// The header is as high in each state, however much there is to say, wide and narrow: what stands below does not move.
func TestHeader_IsAsHighInEachState(t *testing.T) {
	s := newStandIn(t)
	p := s.show()
	in := time.Now().Add(time.Hour)
	for _, width := range []int{1280, 390} {
		proto.EmulationSetDeviceMetricsOverride{Width: width, Height: 844, DeviceScaleFactor: 1}.Call(p)
		want := 0
		for _, state := range []struct {
			name  string
			shows string // when it is there
			mood  string
			set   func(*standing)
		}{
			{"at work", "at work", "working", func(*standing) {}},
			{"between visits", "Giving sites a break", "working", func(x *standing) {
				x.status.State, x.status.Sentence = api.StateWaiting, "Giving sites a break. Next visit in 3 s."
			}},
			{"nothing to do", "Nothing is due", "waiting", func(x *standing) {
				x.status.State, x.status.PagesPerS, x.status.Sentence = api.StateWaiting, 0, "Nothing is due."
			}},
			{"at rest while somebody is there", "Keep going while I watch", "paused", func(x *standing) {
				x.status.State, x.status.Sentence = api.StatePaused, "Resting while you use the computer. Starts 5 minutes after you stop."
				x.limits.HelpNow, x.limits.Changes = true, &in
			}},
			{"paused", "Resume", "paused", func(x *standing) {
				x.status.State, x.limits.Mode, x.status.Sentence = api.StatePaused, "off", "Paused by you."
			}},
			{"a fault", "line 3", "problem", func(x *standing) { x.limits.Fault = "line 3: " + strings.Repeat("a word that nobody knows, ", 9) }},
			{"much to say", "of a reason", "working", func(x *standing) { x.status.Sentence = strings.Repeat("Resting because of a reason. ", 12) }},
		} {
			x := &standing{atWork(s.start), atFull()}
			x.status.Sentence = state.name
			state.set(x)
			s.stand.Store(x)
			p.see("header.status."+state.mood, state.shows)
			high := p.MustEval("() => document.querySelector('header.status').offsetHeight").Int()
			if want == 0 {
				want = high
			}
			if high != want {
				t.Errorf("%d wide, %s: the header is %d high, else %d", width, state.name, high, want)
			}
			p.accessible(state.name)
		}
	}
	p.sound()
}
