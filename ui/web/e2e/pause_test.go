package e2e

import (
	"testing"

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
