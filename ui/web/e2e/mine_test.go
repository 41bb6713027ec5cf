package e2e

import (
	"context"
	"net/url"
	"testing"

	"github.com/go-rod/rod/lib/input"
)

// What was crawled is found by a word of its title, and can be read.
func TestSearchFindsACrawledPage(t *testing.T) {
	l := newLab(t)
	l.crawl()
	var title, address string
	l.await("a page with a title is fetched", func() bool {
		page, err := l.client().Events(context.Background(), "", 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Events {
			if e.Kind == "page" && e.Title != "" {
				title, address = e.Title, e.URL
			}
		}
		return title != ""
	})
	p := l.dashboard("en")
	p.visit("mine")
	p.see("label", "Search for").MustEval("() => document.getElementById('search').focus()")
	p.MustInsertText(title)
	p.MustElement("#search").MustType(input.Enter)
	p.see(".found a", title)
	p.visit("mine?url=" + url.QueryEscape(address))
	p.see(".reader-head h1", title)
	p.see(".reader-head .note", address)
	p.sound()
}

// A site that the user does not want disappears from the engine, not from the screen alone.
func TestNeverVisitRemovesASite(t *testing.T) {
	l := newLab(t)
	l.crawl()
	var site string
	l.await("a site waits", func() bool {
		list, err := l.client().Domains(context.Background(), "", 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if d.Queued > 20 {
				site = d.Domain
			}
		}
		return site != ""
	})
	p := l.dashboard("en")
	p.visit("mine")
	p.see("table tr", site).MustElement(".dots").MustClick()
	p.accessible("the menu of a site")
	p.click("[role=menuitem]", "Never visit")
	l.await("it is on the list", func() bool {
		never, err := l.client().NeverList(context.Background())
		return err == nil && len(never.Sites) == 1 && never.Sites[0] == site
	})
	p.click(".toast button", "Undo")
	l.await("it is off the list again", func() bool {
		never, err := l.client().NeverList(context.Background())
		return err == nil && len(never.Sites) == 0
	})
	p.sound()
}
