//go:build unix

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
)

// Without a terminal the demo says now and then how it stands, ends by itself,
// and leaves three homes that other commands understand.
func TestDemo_EndsByItself(t *testing.T) {
	t.Parallel()
	thorough(t)
	home := filepath.Join(t.TempDir(), "home")
	p := startForage(t, "demo", "--home", home).succeed()
	out := p.stdout.String()
	for _, want := range []string{
		"A practice web of 5,000 pages on 61 domains", "The dashboard of node 1 is here, a link that works once:\nhttp://127.0.0.1:",
		"forage peers --home " + home + "/2\n", "; node 3 owns ", "All 5,000 pages were fetched in ",
		"\nEvery page was fetched once: ", " links travelled from", " in 1/data/warc\n", " in 3/data/warc\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the demo does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "\n0 links travelled") {
		t.Error("no link travelled")
	}
	if strings.Contains(out, "\x1b") || strings.Contains(out, "\r") {
		t.Errorf("there are control characters where there is no terminal: %q", tail(out))
	}
	if complaints := p.stderr.String(); complaints != "" {
		t.Errorf("it complains:\n%s", tail(complaints))
	}
	var pages int64
	for i := range 3 {
		node := fmt.Sprint(home, "/", i+1)
		s := parseJSON[api.Stats](t, startForage(t, "stats", "--json", "--home", node).succeed().stdout.String())
		if pages += s.Totals.Pages; s.Totals.Pages == 0 {
			t.Errorf("%s fetched nothing", node)
		}
		if len(captures(readArchive(t, filepath.Join(node, "data", "warc")))) == 0 {
			t.Errorf("%s archived nothing", node)
		}
	}
	if pages < 5000 {
		t.Errorf("the nodes count %d pages, want 5000 at least", pages)
	}
}

func TestDemo_TakesNothingElse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"demo", "now"}, 2, "no argument"},
		{[]string{"demo", "--nodes", "4"}, 2, "forage help demo"},
		{[]string{"demo", "--api", "0.0.0.0:0"}, 1, "127.0.0.1"},
	} {
		p := startForage(t, c.args...)
		if code := p.wait(); code != c.code || !strings.Contains(p.stderr.String(), c.says) {
			t.Errorf("%q ended with %d: %s", c.args, code, p.stderr.String())
		}
	}
}
