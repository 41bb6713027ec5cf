package e2e

import (
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"github.com/forage-net/forage/app/api"
)

// A screen reader hears of the state when that changes, and not of each page; a title names each page; while nothing
// may be fetched, what is used stands beside no limit.
func TestHeader_IsHeardWhenTheStateChanges(t *testing.T) {
	s := newStandIn(t)
	p := s.show()
	for _, c := range []struct {
		state       api.State
		level       string
		shows, hear string
		used        string
	}{
		{api.StateWorking, "full", "Working. 34 pages in the last minute.", "Working.", "3% of 10%"},
		{api.StateWorking, "full", "Working. 35 pages in the last minute.", "Working.", "3% of 10%"},
		{api.StateWaiting, "full", "Giving sites a break. Next visit in 3 s.", "Working.", "3% of 10%"},
		{api.StatePaused, "off", "Resting on battery. Resumes 1 minute after you plug in.", "Resting on battery. Resumes 1 minute after you plug in.", "3% now"},
	} {
		x := &standing{atWork(s.start), atFull()}
		x.status.State, x.status.Sentence, x.limits.Level = c.state, c.shows, c.level
		x.status.Setting = "pause.battery"
		s.stand.Store(x)
		p.see(".sentence", c.shows)
		if got := p.see("header [role=status]", "").MustText(); got != c.hear {
			t.Errorf("while %q is shown, %q is heard, want %q", c.shows, got, c.hear)
		}
		p.see(".meter", c.used)
	}
	if to := p.see("header a", "Change this").MustAttribute("href"); *to != "#/settings?key=pause.battery" { // rest is no dead end
		t.Errorf("what keeps it from work is changed at %s", *to)
	}
	for name, title := range map[string]string{"now": "Now · Forage", "swarm": "Swarm · Forage"} {
		p.visit(name)
		p.MustWait("title => document.title === title", title)
	}
	p.sound()
}

// On a phone the page is as wide as the screen, in each language and while there is most to press.
func TestHeader_FitsOnAPhone(t *testing.T) {
	s := newStandIn(t)
	x := &standing{atWork(s.start), atFull()}
	x.status.State, x.status.Sentence, x.limits.HelpNow, x.limits.Run = api.StatePaused, "Visiting sites", true, api.RunAway
	s.stand.Store(x)
	for _, lang := range []string{"en", "de"} {
		p := (&lab{t: t}).openWith(s.URL+"/#/now", lang, func(*rod.Page) {})
		for _, width := range []int{390} {
			proto.EmulationSetDeviceMetricsOverride{Width: width, Height: 844, DeviceScaleFactor: 1}.Call(p)
			p.see("header.paused", "Visiting sites")
			if got := p.MustEval("() => document.documentElement.scrollWidth").Int(); got > width {
				t.Errorf("%s: the page is %d wide on a screen of %d", lang, got, width)
			}
		}
		p.sound()
	}
}
