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
