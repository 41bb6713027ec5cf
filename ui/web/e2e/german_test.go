package e2e

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api/client"
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

// What the node itself says, and what is wrong with what it is asked, is German too.
func TestGerman_WhatTheNodeSays(t *testing.T) {
	t.Parallel() // it waits half a minute for a day of limits
	l := newLab(t)
	l.crawl()
	l.await("some domains have been visited", func() bool { return l.status().Pages > 5 })
	c := l.client()
	if _, err := c.Never(t.Context(), "never.example", false); err != nil {
		t.Fatal(err)
	}
	p := l.dashboard("de")
	p.see("nav", "Einstellungen")
	for _, name := range pages {
		p.visit(name)
		p.settle()
		text := p.text()
		for _, sentence := range l.saysInEnglish(c) {
			if strings.Contains(text, sentence) {
				t.Errorf("page %s says %q", name, sentence)
			}
		}
	}

	p.visit("swarm")
	p.see(".reach", "Die anderen Computer dieses Testnetzes erreichen diesen unter 127.0.0.1:")
	p.visit("neighbour")
	p.see(".never-add input", "").MustInput("no site")
	p.click(".never-add button", "")
	p.see(".toast", "ist weder eine Domain")
	if err := os.WriteFile(filepath.Join(l.home, "config.toml"), []byte("key = banana\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.see(".fault", "dieser Name ist keine Einstellung")
	p.sound()
}

// saysInEnglish returns the sentences that the node has for those who ask in English.
func (l *lab) saysInEnglish(c *client.Client) []string {
	l.t.Helper()
	ctx := context.Background()
	peers, err := c.Peers(ctx)
	l.must(err)
	status, err := c.Status(ctx)
	l.must(err)
	never, err := c.NeverList(ctx)
	l.must(err)
	history, err := c.LimitHistory(ctx)
	l.must(err)
	domains, err := c.Domains(ctx, "", 1000)
	l.must(err)
	list := append(history.Summary, peers.Reachability, status.Sentence, status.Health.Sentence)
	list = append(list, status.Reasons...)
	for _, b := range never.Builtin {
		list = append(list, b.Reason)
	}
	for _, d := range domains {
		if strings.Contains(d.Reason, " ") { // one word may be a name
			list = append(list, d.Reason)
		}
	}
	var said []string
	for _, text := range list {
		if text != "" {
			said = append(said, text)
		}
	}
	return said
}

func (l *lab) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// pages are the pages of the dashboard.
var pages = []string{"now", "mine", "swarm", "neighbour", "log", "settings"}
