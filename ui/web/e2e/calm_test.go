package e2e

import (
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"github.com/forage-net/forage/app/api"
)

// While the node rests the Ring shows the sites it visited, one after the other, by their names.
func TestRing_RemembersVisitsAtRest(t *testing.T) {
	s := newStandIn(t)
	x := &standing{atWork(s.start), atFull()}
	x.status.State, x.status.Sentence = api.StatePaused, "Resting while you use the computer."
	s.stand.Store(x)
	l := &lab{t: t}
	p := l.openWith(s.URL+"/#/now", "en", func(tab *rod.Page) {
		tab.MustEvalOnNewDocument(`(() => {
			window.written = [];
			const write = CanvasRenderingContext2D.prototype.fillText;
			CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { window.written.push(text); return write.call(this, text, ...at); };
		})()`)
	})
	p.see("header.paused", "")
	p.MustWait(`() => window.written.some((text) => /^site\d+\.example$/.test(text))`)
	p.picture("ghost")
	p.sound()
}

// The chart tells value and day where the pointer is, sums up, and compares with the period before.
func TestChart_TellsComparesAndSums(t *testing.T) {
	s := newStandIn(t)
	p := s.show()
	p.visit("mine")
	point := func() { // at the last bar
		t.Helper()
		chart := p.see(".chart .u-over", "")
		chart.MustScrollIntoView()
		box := chart.MustShape().Box()
		p.Mouse.MustMoveTo(box.X+box.Width*0.4, box.Y+box.Height/2)
		p.Mouse.MustMoveTo(box.X+box.Width-6, box.Y+box.Height/2)
	}
	point()
	p.see(".chart-tip", ": 29,000")
	p.click(".chart-how label", "Compare")
	p.see(".chart figcaption", "Before")
	if n := p.count(".chart thead th"); n != 3 {
		t.Errorf("the table has %d columns, want those of both periods", n)
	}
	p.click(".chart-how label", "Cumulative")
	point()
	p.see(".chart-tip", ": 435,000")
	p.accessible("compared and summed")
	p.picture("compared")
	p.sound()
}

// A list of sites is sorted by each of its columns, whole, however long it is.
func TestSites_SortByEachColumn(t *testing.T) {
	s := newStandIn(t)
	p := s.show()
	p.visit("mine")
	p.see("table", domainName(0))
	for _, c := range []struct{ column, first string }{
		{"Pages", "299"}, {"In queue", "49"}, {"Site", domainName(0)}, {"Site", domainName(standInDomains - 1)}, {"State", ""}, {"Received", ""}, {"Next visit", ""},
	} {
		p.click("th .sort", c.column)
		p.see("th[aria-sort]", c.column)
		p.see("tr[aria-rowindex='2']", c.first)
	}
	p.accessible("sorted")
	p.sound()
}

// Beside each archived page there is the live one, and a site has one menu.
func TestLive_BesideArchived(t *testing.T) {
	s := newStandIn(t)
	p := s.show()
	s.tell(t.Context(), 1, 0, "A page")
	p.see(".latest li", "A page")
	to := p.see(".latest .site", "").MustProperty("href").Str()
	if !strings.HasPrefix(to, "http://site") {
		t.Errorf("the live page is %q", to)
	}
	if n := p.count(".visits .link"); n > 0 {
		t.Errorf("%d buttons beside the menus", n)
	}
	p.see(".visits .dots", "").MustClick()
	p.see("[role=menuitem]", "Open the live site")
	p.see("[role=menuitem]", "Never visit")
	p.picture("menu")
	proto.EmulationSetDeviceMetricsOverride{Width: 390, Height: 844, DeviceScaleFactor: 1}.Call(p)
	p.accessible("a menu that is open")
	p.sound()
}
