package e2e

import (
	"strings"
	"testing"
)

// A link lets one browser in, once, and leaves no secret where others could read it.
func TestLinkWorksOnce(t *testing.T) {
	l := newLab(t)
	l.crawl()
	link := strings.TrimSpace(l.forage("dashboard", "--print"))
	p := l.open(link, "en")
	p.see("nav", "Settings")
	if at := p.MustEval("() => location.href").Str(); strings.Contains(at, "key=") {
		t.Errorf("the key stays in the address: %s", at)
	}
	if n := p.MustEval("() => history.length").Int(); n > 2 {
		t.Errorf("%d entries of history", n)
	}
	if cookies := p.MustEval("() => document.cookie").Str(); cookies != "" {
		t.Errorf("scripts can read %q", cookies)
	}
	again := l.open(link, "en")
	again.see("h1", "new here")
	p.MustReload()
	p.see("nav", "Settings") // the session stays
	p.sound()
}
