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
	p.see("h1", "not known")
	p.MustNavigate(strings.TrimSpace(l.forage("dashboard", "--print")))
	p.see("nav a[aria-current]", "")
	if at := p.MustEval("() => location.href").Str(); strings.Contains(at, "key=") {
		t.Errorf("the key stays in the address: %s", at)
	}
	p.sound()
}

// What was finished by hand goes on by hand, and who watches the work is not asked to stop it.
func TestFinishAndWatch(t *testing.T) {
	l := newLab(t)
	l.crawl("--lab-limits")
	l.forage("set", "idle.unknown_is=away")
	l.forage("set", "pause.other_cpu=100")
	p := l.dashboard("en")
	p.click(".acts button", "Pause")
	p.click("[role=menuitem]", "Finish, then rest")
	p.see("header.paused .sentence", "finishing")
	if has, _, _ := p.HasR(".status .next", "Changes"); has {
		t.Error("a time is promised at which nothing changes")
	}
	p.click(".acts button.main", "Resume")
	l.await("nothing is being finished", func() bool { return !strings.Contains(l.status().Sentence, "finishing") })
	p.click(".acts button", "Pause")
	p.click("[role=menuitem]", "Help now for 2 minutes")
	p.see(".acts button:not(.main)", "Back to my limits")
	p.sound()
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
