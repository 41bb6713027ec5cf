package e2e

import (
	"strings"
	"testing"
	"time"
)

// From the first screen to the first page in at most five clicks; nothing leaves before the last one.
func TestFirstRun(t *testing.T) {
	l := newLab(t)
	l.start("127.0.0.1:0", "--await-consent", "--lab-limits", "--gap", "1s")
	p := l.open(strings.TrimSpace(l.forage("dashboard", "--print")), "en")
	begun := time.Now()
	p.see("h1", "Lend your quiet hours")
	p.picture("1")
	p.accessible("screen 1")
	p.click("button", "Continue")
	p.see("h1", "What others see")
	p.picture("2")
	p.accessible("screen 2")
	p.clicks++
	p.MustElement("input[type=checkbox]").MustClick()
	p.click("button", "I agree")
	p.see("h1", "When")
	p.picture("3")
	p.accessible("screen 3")
	p.click("button", "Continue")
	if n := len(l.web.Served()); n != 0 {
		t.Errorf("%d requests before consent", n)
	}
	p.picture("4")
	p.accessible("screen 4")
	p.click("button", "Start helping now")
	p.see(".ring-spot", "known site") // the ring is there, and not empty
	p.see("main", "Your first page")
	t.Logf("the first page came after %d clicks and %.1f s", p.clicks, time.Since(begun).Seconds())
	p.picture("5")
	p.accessible("screen 5")
	if p.clicks > 5 {
		t.Errorf("%d clicks to the first page", p.clicks)
	}
	if s := l.status(); !s.Consent {
		t.Error("the node does not know of the consent")
	}
	p.sound()
}
