package domains

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/book"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/desktest"
	"github.com/forage-net/forage/ui/desktop/shown"
)

// someSites are domains with all there is to be said of one.
func someSites() []api.Domain {
	in := func(d time.Duration) *time.Time { at := desktest.Noon.Add(d); return &at }
	return []api.Domain{
		{Domain: "brauð.is", State: "being visited", Title: "Baking sourdough in Reykjavík", Fetched: 213,
			Queued: 1180, Failed: 3, Bytes: 5_300_000},
		{Domain: "fjall.example", State: "waiting", Title: "Mountains, and how to leave them alone", Fetched: 12,
			Queued: 40, Bytes: 410_000, NextVisit: in(90 * time.Minute), CrawlDelayS: 10, Refusals: 2, Backoffs: 1},
		{Domain: "gone.example", State: "given up for now",
			Reason: "kept failing (no answer), next try on 2 June 2026", Failed: 17,
			NextVisit: in(19 * 24 * time.Hour)},
		{Domain: "karten.example", State: "done", Title: "Alte Karten", Fetched: 1_204, Duplicates: 31,
			Bytes: 88_000_000},
		{Domain: "mill.example", State: "asked us to wait, or failed",
			Title:   "The mill by the river, its miller, his cat and everything else that was ever ground there",
			Fetched: 7, Queued: 2, NextVisit: in(-time.Second)},
		{Domain: "quiet.example", State: "not visited", Reason: "it is on your list"},
	}
}

func manySites(n int) []api.Domain {
	list := make([]api.Domain, n)
	for i := range list {
		list[i] = api.Domain{Domain: fmt.Sprintf("site%05d.example", i), State: "due", Fetched: int64(i),
			Title: fmt.Sprintf("Title %d", i)}
	}
	return list
}

// openDomains shows the page in a window of a size, with what the node answers.
func openDomains(t *testing.T, b *desktest.Bench, w, h float32) (*Page, fyne.Window) {
	t.Helper()
	p := New(b.Desk, b.Node)
	win := desktest.NewPageWindow(t, p, w, h)
	p.Told(desk.Live{Status: b.Node.Is.Status, Reachable: true, Known: true})
	p.Shown(true)
	t.Cleanup(func() { p.Shown(false) })
	b.Until(t, "an answer", func() bool { return p.begun && !p.asking })
	return p, win
}

func TestDomains_Looks(t *testing.T) {
	for _, c := range []struct {
		name, lang, theme, stored string
		w                         float32
		chosen                    int
	}{
		{"light", "en", "light", "domains", 920, 1},
		{"dark-de", "de", "dark", "", 920, 2},
		{"narrow-de", "de", "light", "", 540, 4},
		{"narrow", "en", "dark", "", 540, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := desktest.NewBench(t, c.lang, c.theme)
			b.Node.Is.Domains = someSites()
			p, win := openDomains(t, b, c.w, 600)
			if c.chosen >= 0 {
				p.choose(c.chosen)
			}
			desktest.PictureOf(t, c.stored, win.Canvas(), c.theme == "dark")
		})
	}
}

// Where there is nothing, the page says why.
func TestDomains_Empty(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	b.Node.Err = api.ErrNotRunning
	p := New(b.Desk, b.Node)
	if p.empty.Text != "One moment …" {
		t.Errorf("it begins with %q", p.empty.Text)
	}
	p.Shown(true)
	defer p.Shown(false)
	p.Told(desk.Live{Known: true})
	if p.empty.Text != "Forage does not answer." || !p.empty.Visible() || p.count.Text != "" {
		t.Errorf("without a node it says %q, %q", p.empty.Text, p.count.Text)
	}
	desktest.Picture(t, "", p.Content(), false, 700, 400)
	b.Until(t, "the failure", func() bool { return !p.asking })
	b.Node.Change(func(s *desktest.StandIn) { s.Err = nil })
	p.Told(desk.Live{Known: true, Reachable: true})
	b.Until(t, "the answer", func() bool { return p.begun })
	if p.empty.Text != "None yet. Sites arrive by themselves." {
		t.Errorf("of no site it says %q", p.empty.Text)
	}
}

// Of ten thousand sites only those are made that are seen, however far one scrolls; pages come as they are needed.
func TestDomains_TenThousand(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	b.Node.Is.Domains = manySites(10_000)
	b.Node.Is.Status.Domains = 10_000
	p, _ := openDomains(t, b, 900, 600)
	if got := p.book.Length(); got != book.Page {
		t.Fatalf("%d sites were asked for to begin with", got)
	}
	few := testing.AllocsPerRun(20, scroller(p.list, 50))
	if want := "100 of 10,000 sites, by name. More appear as you scroll."; p.count.Text != want {
		t.Errorf("it says %q, want %q", p.count.Text, want)
	}
	seen := p.list.seen() + 2
	for i := 0; !p.book.Whole; i++ {
		if i > 200 {
			t.Fatalf("after %d steps %d sites are known", i, p.book.Length())
		}
		p.list.ScrollToBottom()
		b.Until(t, "more", func() bool { return !p.asking })
	}
	if p.book.Length() != 10_000 || p.count.Text != "10,000 sites, by name." {
		t.Fatalf("%d sites, %q", p.book.Length(), p.count.Text)
	}
	for y := float32(0); y < 10_000*p.list.pitch(); y += p.list.pitch() * 40.7 {
		p.list.ScrollToOffset(y)
		if got := rowsIn(p.list); got > seen {
			t.Fatalf("at %.0f there are %d rows, %d are seen", y, got, seen)
		}
	}
	p.list.ScrollToBottom()
	first, last := p.list.window()
	if last != 9_999 || last-first > seen {
		t.Errorf("at the end rows %d to %d are seen", first, last)
	}
	if many := testing.AllocsPerRun(20, scroller(p.list, 9_000)); many > 3*few+100 {
		t.Errorf("to scroll takes %.0f allocations among 10,000 sites, and %.0f among 100", many, few)
	}
}

// scroller scrolls back and forth by three rows, near one of them.
func scroller(l *siteList, row float32) func() {
	step := float32(0)
	return func() {
		step = 3 - step
		l.ScrollToOffset((row + step) * l.pitch())
	}
}

func rowsIn(l *siteList) int {
	n := 0
	for _, o := range desktest.Within(l) {
		if _, ok := o.(*siteRow); ok {
			n++
		}
	}
	return n
}

// A filter looks through all sites, also those that were not scrolled to.
func TestDomains_Filter(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	b.Node.Is.Domains = manySites(2_500)
	b.Node.Is.Domains[2_400].Title = "Bread and Butter"
	p, _ := openDomains(t, b, 900, 600)
	test.Type(p.filter, "BREAD")
	b.Until(t, "the one", func() bool { return p.book.Whole })
	if s, _ := p.book.At(0); p.book.Length() != 1 || s.Name != "site02400.example" {
		t.Errorf("%d sites are shown, the first is %q", p.book.Length(), s.Name)
	}
	if want := "1 of 2,500 sites matches."; p.count.Text != want {
		t.Errorf("it says %q, want %q", p.count.Text, want)
	}
	test.Type(p.filter, "!")
	if p.book.Length() != 0 || p.empty.Text != "No site matches." || !p.empty.Visible() {
		t.Errorf("of none it says %q", p.empty.Text)
	}
	p.filter.SetText("")
	if p.book.Length() != 2_500 || p.empty.Visible() {
		t.Errorf("without a filter %d sites are shown", p.book.Length())
	}
}

// What is seen through a filter is asked for again, however far apart it is.
func TestDomains_FilteredStayFresh(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	b.Node.Is.Domains = manySites(900)
	p, _ := openDomains(t, b, 900, 600)
	test.Type(p.filter, "77.")
	b.Until(t, "all", func() bool { return p.book.Whole && !p.again })
	b.Node.Change(func(s *desktest.StandIn) {
		s.Is.Domains = slices.Clone(s.Is.Domains)
		for i := range s.Is.Domains {
			s.Is.Domains[i].Fetched += 50_000
		}
	})
	p.refresh()
	first, last := p.list.window()
	b.Until(t, "what is seen", func() bool {
		for i := first; i <= last; i++ {
			if s, _ := p.book.At(i); s.Fetched < 50_000 {
				return false
			}
		}
		return last > first
	})
}

// What is seen is asked for again; what comes before it moves nothing, and what is chosen stays chosen.
func TestDomains_StayWhereTheyAre(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	b.Node.Is.Domains = manySites(90)
	p, _ := openDomains(t, b, 900, 600)
	p.list.ScrollToOffset(30 * p.list.pitch())
	p.choose(32)
	b.Node.Change(func(s *desktest.StandIn) {
		s.Is.Domains[32].Fetched = 77_000
		s.Is.Domains = slices.Insert(slices.Clone(s.Is.Domains), 31, api.Domain{Domain: "site00030.new"})
	})
	p.refresh()
	b.Until(t, "the answer", func() bool { return !p.again })
	if got := p.detail.facts["domains.fetched"].Text; got != "77,000" {
		t.Errorf("the chosen site has %s pages", got)
	}
	if first, _ := p.list.window(); first != 30 || p.book.Length() != 91 {
		t.Errorf("the first row is %d of %d", first, p.book.Length())
	}
	p.list.ScrollToTop()
	b.Node.Change(func(s *desktest.StandIn) { s.Is.Domains = slices.Delete(slices.Clone(s.Is.Domains), 33, 34) })
	p.refresh()
	b.Until(t, "the end of it", func() bool { return p.detail.gone })
	if !strings.Contains(p.detail.state.Text, "no longer look after") || !p.detail.box.Visible() {
		t.Errorf("of a site that is gone it says %q", p.detail.state.Text)
	}
}

func TestDomains_Keys(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	b.Node.Is.Domains = manySites(90)
	p, win := openDomains(t, b, 900, 600)
	win.Canvas().Focus(p.list)
	key := func(name fyne.KeyName) { p.list.TypedKey(&fyne.KeyEvent{Name: name}) }
	for _, c := range []struct {
		key  fyne.KeyName
		want int
	}{
		{fyne.KeyUp, 0}, {fyne.KeyDown, 1}, {fyne.KeyPageDown, 1 + p.list.seen()}, {fyne.KeyPageUp, 1},
		{fyne.KeyEnd, 89}, {fyne.KeyDown, 89}, {fyne.KeyUp, 88}, {fyne.KeyHome, 0},
	} {
		key(c.key)
		first, last := p.list.window()
		if p.list.mark != c.want || c.want < first || c.want > last {
			t.Errorf("%s leads to %d, want %d; %d to %d are seen", c.key, p.list.mark, c.want, first, last)
		}
	}
	key(fyne.KeyReturn)
	if p.chosen != "site00000.example" || !p.detail.box.Visible() {
		t.Errorf("return chooses %q", p.chosen)
	}
	desktest.PictureOf(t, "", win.Canvas(), false)
	key(fyne.KeyEscape)
	if p.chosen != "" || p.detail.box.Visible() {
		t.Errorf("after escape %q is chosen", p.chosen)
	}
}

func TestDomains_Taps(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	b.Node.Is.Domains = someSites()
	p, win := openDomains(t, b, 900, 640)
	test.TapCanvas(win.Canvas(), fyne.CurrentApp().Driver().AbsolutePositionForObject(p.list).AddXY(60,
		p.list.pitch()*1.5))
	if p.chosen != "fjall.example" {
		t.Fatalf("a tap chooses %q", p.chosen)
	}
	test.Tap(p.detail.never)
	b.Until(t, "never", func() bool { return slices.Contains(b.Said, "fjall.example will not be visited again.") })
	if got := b.Node.Did(); !slices.Equal(got, []string{"never fjall.example"}) {
		t.Errorf("the node was told %q", got)
	}
	desktest.TapButton(t, p.Content(), "Pages in the dashboard")
	p.choose(5)
	desktest.TapButton(t, p.Content(), "Allow again")
	b.Until(t, "allow", func() bool { return slices.Contains(b.Said, "quiet.example may be visited again.") })
	p.choose(1)
	if p.detail.never.Text != "Never visit" {
		t.Errorf("the button is %q", p.detail.never.Text)
	}
	if want := []string{"mine?q=fjall.example"}; !slices.Equal(b.Routes, want) {
		t.Errorf("the dashboard opens at %q, want %q", b.Routes, want)
	}
}

// Whatever a site calls itself, and whatever the node answers, stands in its line and counts from nothing.
func TestDomains_Hostile(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	far := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	b.Node.Is.Domains = []api.Domain{
		{Domain: "a\u202emoc.knab", Title: "line\nline\x1b[31m\u2066" + strings.Repeat("wide ", 10_000),
			State: "no such\tstate", Reason: "\u202e!", Fetched: -5, Queued: 1 << 62, Bytes: -1, NextVisit: &far,
			CrawlDelayS: 1e300},
		{Domain: "b.example", Title: "\u200b\u200b", State: "due", CrawlDelayS: math.NaN()},
		{Domain: "b.example", State: "due"},
		{Domain: "c.example", Title: "Z" + strings.Repeat("\u0321\u0315", 500)},
	}
	p, win := openDomains(t, b, 900, 560)
	if p.book.Length() != 3 {
		t.Errorf("%d sites are shown", p.book.Length())
	}
	p.choose(0)
	if got := p.detail.name.Text; got != "amoc.knab" {
		t.Errorf("it is called %q", got)
	}
	if got := p.detail.title.Text; strings.ContainsAny(got, "\n\x1b\u2066") || len(got) > shown.Most+8 {
		t.Errorf("its title is %q", got)
	}
	if got := p.detail.facts["domains.fetched"].Text; got != "0" {
		t.Errorf("%s pages", got)
	}
	desktest.PictureOf(t, "", win.Canvas(), false)
	test.Tap(p.detail.never)
	b.Until(t, "never", func() bool { return len(b.Node.Did()) > 0 })
	if got := b.Node.Did()[0]; got != "never a\u202emoc.knab" {
		t.Errorf("the node was told %q: not what it calls the site", got)
	}
}
