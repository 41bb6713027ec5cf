//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/demo"
)

// What was fetched is found and read beside the node and without it, and the
// node erases it when its API is told to.
func TestLibrary_FindReadAndErase(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{Sites: 3, Pages: 200})
	node := l.start("--gap", "10ms", "--fetchers", "4", "--no-limits")
	node.awaitUp(l.home)
	until(t, "a hundred requests", func() bool { return l.served.Load() >= 100 })
	type found struct{ Results []api.SearchResult }
	look := func() {
		t.Helper()
		var all found
		until(t, "something to be found", func() bool {
			all = parseJSON[found](t, l.forage("find", ".test", "--limit", "5", "--json"))
			return len(all.Results) > 0
		})
		first := all.Results[0]
		if out := l.forage("find", first.URL); !strings.Contains(out, first.URL) {
			t.Errorf("find of a URL says\n%s", out)
		}
		if out := l.forage("read", first.URL); !strings.Contains(out, first.URL) || strings.Contains(out, "<") {
			t.Errorf("read says\n%s", out)
		}
		page := parseJSON[api.ArchivedPage](t, l.forage("read", first.URL, "--json"))
		if page.Title != first.Title || page.Status != 200 || len(page.Paragraphs) == 0 {
			t.Errorf("read says %+v", page)
		}
	}
	look()
	if p := startForage(t, "read", "http://nowhere.test/", "--home", l.home); p.wait() != 1 || !strings.Contains(p.stderr.String(), "forage find") {
		t.Errorf("read of what is not there says %s", p.stderr.String())
	}
	l.forage("stop")
	node.succeed()
	look()

	node = l.start("--gap", "1s", "--no-limits")
	node.awaitUp(l.home)
	c, err := client.Dial(filepath.Join(l.home, "state"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Erase(t.Context(), api.Erasure{}); err != nil {
		t.Fatal(err)
	}
	if node.succeed(); !strings.Contains(node.stdout.String(), "Erased. Your settings are still in") {
		t.Errorf("the node says %s", node.stdout.String())
	}
	if left, _ := os.ReadDir(l.warcDir()); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

// A node that was told to erase and killed does so at its next start.
func TestErase_SurvivesAKill(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{Sites: 3, Pages: 100})
	l.start(fullSpeed...).succeed()
	before := l.status()
	if err := os.WriteFile(filepath.Join(l.home, "state", "erase"), nil, 0o600); err != nil { // as a kill leaves it
		t.Fatal(err)
	}
	if before.Known == 0 {
		t.Fatalf("nothing was crawled: %+v", before)
	}
	node := l.start("--gap", "1h", "--no-limits")
	node.awaitUp(l.home)
	if s := l.status(); s.Known >= before.Known {
		t.Errorf("%d URLs are known, %d were", s.Known, before.Known)
	}
	l.forage("stop")
	node.succeed()
}
