package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// A link that is put into the page that asks for one lets in, and leaves no key behind.
func TestLinkIntoAnOpenPage(t *testing.T) {
	l := newLab(t)
	l.crawl()
	p := l.open("http://"+l.addr()+"/", "en")
	p.see("h1", "new here")
	p.MustNavigate(strings.TrimSpace(l.forage("dashboard", "--print")) + "&to=mine%3Fq%3Dbread")
	p.see("nav a[aria-current]", "Mine")
	if at := p.MustEval("() => location.href").Str(); strings.Contains(at, "key=") || !strings.HasSuffix(at, "#/mine?q=bread") {
		t.Errorf("the address is %s", at)
	}
	p.sound()
}

// Who watches the work is not asked to stop it, and a node that finishes ends by itself.
func TestWatchAndFinish(t *testing.T) {
	l := newLab(t)
	l.crawl("--lab-limits")
	l.forage("set", "idle.unknown_is=away")
	l.forage("set", "pause.other_cpu=100")
	p := l.dashboard("en")
	p.click(".acts button", "Pause")
	p.click("[role=menuitem]", "Help now for 2 minutes")
	p.see(".acts button:not(.main)", "Back to my limits")
	p.sound()
	p.click(".acts button", "Pause")
	p.click("[role=menuitem]", "Finish, then quit")
	<-l.ended
	l.node = nil
}

// After everything was erased the page says so, and waits for nothing.
func TestErase(t *testing.T) {
	l := newLab(t)
	l.crawl()
	l.await("pages are fetched", func() bool { return l.status().Pages > 2 })
	p := l.dashboard("en")
	p.visit("mine")
	p.see(".erase input", "").MustInput("erase")
	p.click(".erase button", "Erase everything")
	p.see("h1", "being erased")
	<-l.ended
	l.node = nil
	if files, err := filepath.Glob(filepath.Join(l.home, "data", "warc", "*")); err != nil || len(files) > 0 {
		t.Errorf("the archive still has %q, %v", files, err)
	}
	p.sound()
}
