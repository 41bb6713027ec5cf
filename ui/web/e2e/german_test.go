package e2e

import (
	"regexp"
	"testing"
)

// A browser that prefers German has everything in German.
func TestGerman(t *testing.T) {
	l := newLab(t)
	l.crawl()
	p := l.dashboard("de")
	p.see("nav", "Einstellungen")
	english := regexp.MustCompile(`(?i)\b(the|and|your|this|pages|settings|nothing|waiting)\b`)
	for _, name := range pages {
		p.visit(name)
		p.settle()
		// Titles of pages, and what is marked as English, are not ours to translate.
		text := p.MustEval(`() => {
			const copy = document.getElementById('app').cloneNode(true);
			copy.querySelectorAll('[lang=en], .latest, .visits, .found, .requests, code, .sub, .milestones a').forEach(e => e.remove());
			return copy.textContent;
		}`).Str()
		for _, word := range english.FindAllString(text, 5) {
			t.Errorf("page %s says %q", name, word)
		}
	}
	if got := p.MustEval("() => document.documentElement.lang").Str(); got != "de" {
		t.Errorf("the page's language is %q", got)
	}
	p.sound()
}

// pages are the pages of the dashboard.
var pages = []string{"now", "mine", "swarm", "neighbour", "log", "settings"}
