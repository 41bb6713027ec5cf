package e2e

import (
	"fmt"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
)

// A browser has six connections to a host. More pages than that are all alive, since one of them follows the node for
// all; when that one is closed, another does.
func TestTabs_ShareOneStream(t *testing.T) {
	const tabs = 8
	l := newLab(t)
	l.crawl()
	first := l.dashboard("en")
	window := first.tab.Browser()
	pages := []*rod.Page{first.tab}
	for range tabs - 1 {
		// In a window of its own: of the pages of one window, one is visible.
		tab, err := window.Page(proto.TargetCreateTarget{URL: "http://" + l.addr() + "/#/now", NewWindow: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tab.Close() })
		pages = append(pages, tab)
	}
	l.alive(pages)
	l.streams(pages[0], 1, tabs-1)
	if err := pages[0].Close(); err != nil {
		t.Fatal(err)
	}
	l.alive(pages[1:])
	l.streams(pages[1], 1, tabs-2)
	first.sound()
}

// alive waits until each page has shown pages that were fetched, and then others.
func (l *lab) alive(pages []*rod.Page) {
	l.t.Helper()
	for i, tab := range pages {
		latest := func() string {
			v, err := tab.Timeout(patience).Eval("() => document.visibilityState === 'visible' ? document.querySelector('.latest')?.innerText ?? '' : ''")
			if err != nil {
				l.t.Fatalf("page %d: %v", i, err)
			}
			return v.Value.Str()
		}
		before := ""
		l.await(fmt.Sprintf("page %d of %d shows what was fetched", i, len(pages)), func() bool { before = latest(); return before != "" })
		l.await(fmt.Sprintf("page %d of %d shows what is fetched since", i, len(pages)), func() bool { now := latest(); return now != "" && now != before })
	}
}

// streams waits until so many pages of a browser follow the node, and so many wait to.
func (l *lab) streams(tab *rod.Page, held, pending int) {
	l.t.Helper()
	l.await(fmt.Sprintf("%d pages follow the node and %d wait", held, pending), func() bool {
		v, err := tab.Timeout(patience).Eval("async () => { const q = await navigator.locks.query(); return [q.held.length, q.pending.length]; }")
		if err != nil {
			l.t.Fatal(err)
		}
		list := v.Value.Arr()
		return list[0].Int() == held && list[1].Int() == pending
	})
}
