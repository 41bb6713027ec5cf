package app

import (
	"strings"
	"testing"

	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/crawl/fetch"
)

// The index that is made while pages are fetched and the one that is made of the archive later have the same pages.
func TestIndex_LiveAndFromTheArchive(t *testing.T) {
	web, err := demo.Start(demo.Options{Sites: 12, Pages: sized(600, 300)})
	if err != nil {
		t.Fatal(err)
	}
	defer web.Close()
	hosts, err := fetch.ParseHosts(strings.NewReader(web.Hosts()))
	if err != nil {
		t.Fatal(err)
	}
	o := labOptions(t, t.TempDir(), hosts, web.StartURL())
	n := newNode(t, o)
	serveUntilIdle(t, n)
	closeNode(t, n)
	cfg := library.IndexConfig(o.Paths, o.Config)
	live, err := find.Examine(cfg, true)
	if err != nil || live.Fault != nil {
		t.Fatal(err, live.Fault)
	}
	again, err := find.Remake(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if live.Status.Pages != again.Pages || live.Status.Pages < 100 {
		t.Errorf("%d pages while they were fetched, %d of the archive", live.Status.Pages, again.Pages)
	}
}
