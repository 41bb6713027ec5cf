package overview

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/desktest"
	"github.com/forage-net/forage/ui/desktop/layouts"
	"github.com/forage-net/forage/ui/desktop/shown"
)

// busy makes the node one that has much to tell.
func busy(s *desktest.StandIn) {
	soon, later := desktest.Noon.Add(9500*time.Millisecond), desktest.Noon.Add(72*time.Second)
	s.Is.Visits = []api.Visit{
		{Domain: "brauð.is", URL: "https://brauð.is/uppskriftir/súrdeig", Busy: true},
		{Domain: "weather-diary-4.test", URL: "http://weather-diary-4.test/2026/05/wind", Next: &soon},
		{Domain: "a-rather-long-name-of-a-site-that-nobody-would-type-by-hand.example",
			URL: "http://x.example/a/rather/long/path/that/goes/on/and/on/until/it/is/cut?q=1", Next: &later,
			Owner: "12D3KooWQvA9bCdEfGh"},
	}
	s.Is.Limits.Budgets = []api.LimitBudget{
		{Name: "cpu_percent", Limit: 25, Now: 3.4}, {Name: "down_kbit", Limit: 4000, Now: 1234},
		{Name: "up_kbit", Limit: -1, Now: 12},
		{Name: "sockets", Limit: 60, Now: 61}, {Name: "fetchers", Limit: 4, Now: -1},
		{Name: "secret", Limit: 1, Now: 1},
	}
	s.Is.Limits.Quotas = []api.LimitQuota{{Name: "data.month", Used: 7_300_000_000, Limit: 20_000_000_000},
		{Name: "disk", Used: 512_000_000, Limit: 2_000_000_000}}
	s.Is.History.Breaches = []api.LimitBreach{{Name: "sockets", Start: desktest.Noon.Add(-time.Hour), LengthS: 7, Limit: 60,
		Worst: 64, Cause: "A site sent\nmore than was asked for."}}
	s.Is.Series.Totals = api.Tally{Counts: api.Counts{Pages: 1234, Firsts: 987}}
	s.Is.Status.BytesReceived = 123_456_789
	s.Is.Ring = someRing()
}

// someRing is a ring of three members.
func someRing() api.Ring {
	last := desktest.Noon.Add(-time.Hour)
	r := api.Ring{Self: "me", Version: "1", Exact: true, Fill: 0.12, Members: []api.RingMember{
		{ID: "12D3KooWme", Self: true, Share: 0.5}, {ID: "12D3KooWnear", Connected: true, Share: 0.3, AwayMs: -1},
		{ID: "12D3KooWfar", Share: 0.2, AwayMs: -1},
	}}
	r.Arcs = []api.RingArc{{From: 0, To: 0.5, Member: 0}, {From: 0.5, To: 0.8, Member: 1},
		{From: 0.8, To: 1, Member: 2}}
	for i := range 24 {
		r.Domains = append(r.Domains, api.RingDomain{At: float64(i)/50 + 0.01,
			Domain: "site-" + string(rune('a'+i)) + ".test", Fetched: int64(i * i), Last: &last,
			Language: []string{"en", "de", "en", "fr", "", "ja"}[i%6]})
	}
	return r
}

// somePages are events of pages.
func somePages() []api.Event {
	return []api.Event{
		{ID: 1, Time: desktest.Noon.Add(-9 * time.Second), Kind: api.KindPage, Code: api.CodeFetched,
			Domain: "weather-diary-4.test", URL: "http://weather-diary-4.test/wind", At: 0.2,
			Title: "Wind — A Weather Diary", Bytes: 4100},
		{ID: 2, Time: desktest.Noon.Add(-4 * time.Second), Kind: api.KindRobots, Code: api.CodeForbidden,
			Domain: "quiet.test", URL: "http://quiet.test/secret", At: 0.4},
		{ID: 3, Time: desktest.Noon.Add(-2 * time.Second), Kind: api.KindPage, Code: api.CodeFetched, Domain: "brauð.is",
			URL: "https://brauð.is/", At: 0.3, Title: "Baking\tsourdough \u202ein\nReykjavík", Bytes: 23_000},
	}
}

// newOverviewIn makes the page in a window, and waits until it has all answers.
func newOverviewIn(t *testing.T, b *desktest.Bench, w, h float32) (*Page, fyne.Window) {
	t.Helper()
	p := New(b.Desk, b.Node)
	win := desktest.NewPageWindow(t, p, w, h)
	p.Told(desk.Live{Status: b.Node.Is.Status, Limits: b.Node.Is.Limits, Known: true, Reachable: true})
	p.Shown(true)
	t.Cleanup(func() { p.Shown(false) })
	b.Until(t, "all answers", func() bool {
		return p.ring.list != nil && p.visiting.known && p.promises.history != nil && p.today.day != nil
	})
	p.update(desktest.Noon)
	return p, win
}

// seenIn are the texts of what is visible in an object.
func seenIn(o fyne.CanvasObject) string {
	var all []string
	desktest.Visit(o, func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *widget.Label:
			all = append(all, o.Text)
		case *widget.Hyperlink:
			all = append(all, o.Text)
		case *meter:
			all = append(all, o.name+": "+o.text)
		}
	})
	return strings.Join(all, "\n")
}

func TestOverview_TellsWhatTheNodeTells(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	busy(b.Node)
	p, _ := newOverviewIn(t, b, 900, 1200)
	p.Happened(somePages(), false)
	p.update(desktest.Noon)
	text := seenIn(p.Content())
	for _, want := range []string{
		"brauð.is", "visiting", "Last: Baking sourdough in Reykjavík\u200e  23\u00a0kB",
		"weather-diary-4.test", "next in 10 seconds", "Last: Wind — A Weather Diary\u200e  4.1\u00a0kB",
		"next in 1 minute 12 seconds", "Fetched for helper Fair Beaver …CdEfGh",
		"Processor: 3.4% of 25%", "Download: 1.2\u00a0Mbit/s of 4\u00a0Mbit/s", "Upload: 12\u00a0kbit/s, no limit",
		"Requests at once: – of 4",
		"Data this month: 7.3\u00a0GB of 20\u00a0GB",
		"1 limit was exceeded for more than 5 seconds in the last 24 hours.",
		"Connections reached 64 for 7 seconds, your limit is 60. A site sent more than was asked for.",
		"1,234", "987", "12,345", "98,765", "24 known sites. You look after 50% of the ring.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if strings.Contains(text, "secret") {
		t.Error("it speaks of a budget that has no name")
	}
	if m := p.promises.byName["budget.sockets"]; !m.breached || m.share != 1 {
		t.Errorf("the limit that was not kept is drawn as %+v", m)
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestOverview_CountsDown(t *testing.T) {
	b := desktest.NewBench(t, "de", "light")
	busy(b.Node)
	p, _ := newOverviewIn(t, b, 900, 1200)
	now := desktest.Noon
	b.Desk.Now = func() time.Time { return now }
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{0, "weiter in 10 Sekunden"}, {4 * time.Second, "weiter in 6 Sekunden"},
		{9 * time.Second, "weiter in 1 Sekunde"}, {11 * time.Second, "jeden Moment"}} {
		now = desktest.Noon.Add(c.after)
		p.beat()
		p.beat()
		if got := p.visiting.rows[1].turn.Text; got != c.want {
			t.Errorf("after %s it says %q, want %q", c.after, got, c.want)
		}
	}
}

// What is new waits a little for a frame of the Ring, since either has the whole window drawn again.
func TestOverview_ShowsWhatIsNewWithAFrame(t *testing.T) {
	t.Setenv("FORAGE_FRAMES", "1")
	b := desktest.NewBench(t, "en", "light")
	busy(b.Node)
	p, _ := newOverviewIn(t, b, 900, 1200)
	now := desktest.Noon
	b.Desk.Now = func() time.Time { return now }
	p.ring.happened(somePages(), false)
	p.beat()
	p.ring.view.draw(300, 300) // which takes place at noon
	begun := desktest.Noon.Add(-20 * time.Millisecond)
	p.updated = begun
	if at, ok := p.ring.next(now); !ok || at != desktest.Noon.Add(time.Second) {
		t.Fatalf("the next frame is due at %v, %v", at, ok)
	}
	told := false
	b.Soon(func() { told = true })
	now = begun.Add(time.Second)
	if wait := p.beat(); p.updated != begun || told || wait != 20*time.Millisecond {
		t.Errorf("before the frame everything is drawn (%v), news shown (%v), the next beat in %v",
			p.updated != begun, told, wait)
	}
	now = begun.Add(1050 * time.Millisecond)
	if p.beat(); p.updated != now || !told || p.ring.view.asked != now {
		t.Errorf("with the frame everything was drawn at %v, the frame asked for at %v, news shown: %v; want both "+
			"at %v", p.updated, p.ring.view.asked, told, now)
	}
	now = begun.Add(2 * time.Second) // the window is away: no frame is drawn
	p.beat()
	now = begun.Add(3050 * time.Millisecond)
	if p.beat(); p.updated != now {
		t.Errorf("without frames everything was drawn at %v, want %v", p.updated, now)
	}
}

// While nothing may be fetched there is no limit to be near to, and whoever rests is still a helper.
func TestOverview_AtRest(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	busy(b.Node)
	b.Node.Is.Limits.Level, b.Node.Is.Status.Members = "off", 0
	p, _ := newOverviewIn(t, b, 900, 1200)
	p.update(desktest.Noon)
	text := seenIn(p.Content())
	for _, want := range []string{"Processor: 3.4% now", "Data this month: 7.3\u00a0GB of 20\u00a0GB"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if got := p.today.members.Value.Text; got != "1" {
		t.Errorf("%s helpers", got)
	}
}

func TestOverview_NeverVisitAsksNothingAndIsUndone(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	busy(b.Node)
	p, win := newOverviewIn(t, b, 900, 1200)
	acts := p.visiting.rows[1].acts()
	acts[len(acts)-1].Action()
	if win.Canvas().Overlays().Top() != nil {
		t.Error("something lies over the window")
	}
	b.Until(t, "the answer", func() bool { return len(b.Said) > 0 })
	if got := b.Node.Did(); !slices.Equal(got, []string{"never weather-diary-4.test"}) ||
		b.Said[0] != "weather-diary-4.test will not be visited again." {
		t.Errorf("the node was told %q, the user %q", got, b.Said)
	}
	if len(b.Offers) != 1 {
		t.Fatal("it cannot be undone")
	}
	b.Offers[0]()
	b.Until(t, "the answer", func() bool { return len(b.Said) > 1 })
	if got := b.Node.Did(); got[1] != "undo never weather-diary-4.test" ||
		b.Said[1] != "weather-diary-4.test may be visited again." {
		t.Errorf("the node was told %q, the user %q", got, b.Said)
	}
}

func TestSettled(t *testing.T) {
	visits := func(names string) (list []api.Visit) {
		for _, name := range strings.Fields(names) {
			list = append(list, api.Visit{Domain: name})
		}
		return list
	}
	for _, c := range []struct{ before, list, want string }{
		{"", "a b c", "a b c"},
		{"a b c", "c b d", "d b c"},
		{"a b c d", "d c", "d c"},
		{"a b c d", "d b", "d b"},
		{"a", "b a c", "a b c"},
		{"a b", "a a b", "a b a"},
		{"a b", "", ""},
	} {
		var got []string
		for _, v := range settled(visits(c.before), visits(c.list)) {
			got = append(got, v.Domain)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("after %q, %q stands as %q, want %q", c.before, c.list, got, c.want)
		}
	}
}

func TestOverview_LeadsOn(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	p, _ := newOverviewIn(t, b, 900, 1200)
	p.Happened(somePages(), false)
	p.update(desktest.Noon)
	p.latest.rows[0].title.OnTapped()
	if want := []string{"mine?url=https%3A%2F%2Fbrau%C3%B0.is%2F"}; !slices.Equal(b.Routes, want) {
		t.Errorf("a title leads to %q, want %q", b.Routes, want)
	}
}

// A page that nobody looks at asks nothing, and one that is looked at again asks at once.
func TestOverview_AsksWhileItIsSeen(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	busy(b.Node)
	p, _ := newOverviewIn(t, b, 900, 1200)
	p.Shown(false)
	b.Node.Change(func(s *desktest.StandIn) { s.Is.Visits = nil })
	if p.ticker.Running() || p.visiting.poll.Running() || p.ring.poll.Running() || p.promises.poll.Running() ||
		p.today.poll.Running() {
		t.Error("it goes on")
	}
	p.Told(desk.Live{Status: b.Node.Is.Status, Known: true, Reachable: true})
	p.Happened(somePages(), true)
	p.Shown(true)
	b.Until(t, "a new answer", func() bool { return len(p.visiting.list) == 0 })
}

// What is lost, empty or odd is said, and breaks nothing.
func TestOverview_States(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	busy(b.Node)
	p, _ := newOverviewIn(t, b, 900, 1200)
	p.Told(desk.Live{Status: b.Node.Is.Status, Limits: b.Node.Is.Limits, Known: true, Lost: desktest.Noon})
	p.update(desktest.Noon)
	if got := p.visiting.empty; !got.Visible() || got.Text != "Forage does not answer." ||
		p.visiting.rows[0].box.Visible() {
		t.Errorf("of a lost node it says %q", got.Text)
	}
	if got := p.ring.rest(); got != "Forage does not answer." {
		t.Errorf("the Ring says %q", got)
	}
	p.visiting.list = nil
	paused := b.Node.Is.Status
	paused.State, paused.Sentence = api.StatePaused, "Paused until 18:00."
	p.Told(desk.Live{Status: paused, Known: true, Reachable: true})
	p.update(desktest.Noon)
	if got := p.visiting.empty.Text; got != "No visits right now." {
		t.Errorf("of a paused node it says %q", got)
	}
	if got := p.ring.rest(); got != "Paused until 18:00." {
		t.Errorf("the Ring says %q", got)
	}
}

func TestOverview_BearsOddAnswers(t *testing.T) {
	long := strings.Repeat("ü\n\u202e", 5000)
	odd := time.Time{}
	b := desktest.NewBench(t, "en", "dark")
	b.Node.Change(func(s *desktest.StandIn) {
		s.Is.Visits = slices.Repeat([]api.Visit{{Domain: long, Owner: long, URL: "%zz" + long, Next: &odd}}, 100)
		s.Is.Limits.Budgets = slices.Repeat([]api.LimitBudget{{Name: "cpu_percent", Limit: 1e308, Now: -1e308},
			{Name: "sockets", Limit: -1e308, Now: 1e308}}, 1000)
		s.Is.Limits.Quotas = slices.Repeat([]api.LimitQuota{{Name: "disk", Used: -1 << 63, Limit: 1<<63 - 1}}, 1000)
		s.Is.History.Breaches = slices.Repeat([]api.LimitBreach{{Name: long, LengthS: 1e308, Limit: -1, Worst: 1e308,
			Cause: long}}, 5000)
		s.Is.Series.Points = []api.Point{{}}
		s.Is.Status.BytesReceived, s.Is.Status.Pages = -1<<63, 1<<63-1
		s.Is.Ring = api.Ring{
			Members: slices.Repeat([]api.RingMember{{ID: long, Self: true, Share: -1e308}}, 300),
			Arcs: []api.RingArc{{From: -1, To: 2, Member: 7}, {From: 0, To: 1, Member: 1 << 40},
				{From: 0.2, To: 0.1, Member: -1}},
			Domains: slices.Repeat([]api.RingDomain{{At: 1e308, Domain: long, Fetched: -1 << 63, Last: &odd}},
				3000), Fill: 1e308,
		}
	})
	p, win := newOverviewIn(t, b, 900, 1200)
	p.Happened(slices.Repeat([]api.Event{{Kind: api.KindPage, Code: "what?", Domain: long, URL: long, At: -1e308,
		Title: long, Bytes: -1, Count: -1}}, 2000), true)
	p.Happened([]api.Event{{Kind: api.KindSwarm, Code: api.CodeLinksSent, Peer: long, At: 1e308, Count: 1 << 62}},
		false)
	p.update(desktest.Noon)
	p.ring.told.toggle()
	p.ring.view.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	p.ring.view.point(fyne.NewPos(-1e9, 1e9))
	win.Canvas().Capture()
	if len(p.promises.byName) != 3 || len(p.latest.list) > mostLatest || len(p.visiting.last) > mostLast {
		t.Errorf("%d meters, %d pages, %d sites", len(p.promises.byName), len(p.latest.list), len(p.visiting.last))
	}
	for _, text := range strings.Split(seenIn(p.Content()), "\n") {
		if strings.ContainsRune(text, '\u202e') || len([]rune(text)) > 3*shown.Most {
			t.Errorf("it shows %d runes: %.60q", len([]rune(text)), text)
		}
	}
}

func TestPathOf(t *testing.T) {
	for in, want := range map[string]string{
		"http://a.test": "/", "http://a.test/b%20c?q=%C3%BC&r=1": "/b c?q=ü&r=1", "http://a.test/?%zz": "/?%zz",
		"::": "::", "http://a.test/%0a%00x": "/ x",
	} {
		if got := shown.Path(in); got != want {
			t.Errorf("shown.Path(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestOverview_Looks(t *testing.T) {
	for _, c := range []struct {
		lang, theme, stored string
		w, h                float32
	}{{"en", "light", "overview", 900, 1010}, {"en", "dark", "", 900, 1010}, {"de", "light", "", 900, 1060},
		{"de", "dark", "", 520, 1900}} {
		t.Run(c.lang+"-"+c.theme, func(t *testing.T) {
			b := desktest.NewBench(t, c.lang, c.theme)
			busy(b.Node)
			p, win := newOverviewIn(t, b, c.w, c.h)
			p.Happened(somePages(), false)
			p.beat()
			p.update(desktest.Noon)
			win.Resize(fyne.NewSize(c.w, c.h+1))
			desktest.PictureOf(t, c.stored, win.Canvas(), c.theme == "dark")
		})
	}
	t.Run("lost", func(t *testing.T) {
		b := desktest.NewBench(t, "en", "light")
		b.Node.Is.Ring = someRing()
		p, win := newOverviewIn(t, b, 900, 800)
		p.Told(desk.Live{Status: b.Node.Is.Status, Limits: b.Node.Is.Limits, Known: true, Lost: desktest.Noon})
		p.beat()
		p.update(desktest.Noon)
		win.Resize(fyne.NewSize(900, 801))
		desktest.PictureOf(t, "", win.Canvas(), false)
	})
}

// Who comes back sees what was fetched meanwhile, opens a page of it, and is done with it.
func TestOverview_WhileAway(t *testing.T) {
	b := desktest.NewBench(t, "en", "dark")
	since, until := desktest.Noon.Add(-9*time.Hour), desktest.Noon
	b.Node.Is.Away = api.Away{
		Since: &since, Until: &until, Sentence: "312 pages from 41 sites in 9 languages", Pages: 312,
		First:    &api.AwayPage{URL: "http://new.example/", Domain: "new.example"},
		Farthest: &api.AwaySite{Domain: strings.Repeat("far.", 60) + "example", Ms: 284},
		Milestones: []api.Milestone{{Kind: "pages", Count: 1000}, {Kind: "language", Language: "fi"},
			{Kind: "later", Count: 5}},
		Shown: []api.Find{{SearchResult: api.SearchResult{
			ID: "7", URL: "http://b.example/p", Domain: strings.Repeat("long.", 40) + "example",
			Title: "The lighthouse keeper's library", Language: "en",
		}}},
	}
	w := newWhileAway(b.Desk, b.Node)
	w.look(false)
	b.Until(t, "the card", w.box.Visible)
	win := test.NewTempWindow(t, container.NewVScroll(container.New(layouts.Pile{Gap: 0}, w.box)))
	win.SetPadded(false)
	win.Resize(fyne.NewSize(520, 420))
	desktest.Settle(win)
	desktest.PictureOf(t, "away", win.Canvas(), true)
	var links []*widget.Hyperlink
	desktest.Visit(w.box, func(o fyne.CanvasObject) {
		if l, ok := o.(*widget.Hyperlink); ok {
			links = append(links, l)
		}
	})
	for _, l := range links {
		if l.OnTapped != nil {
			l.OnTapped()
		}
	}
	if got, want := strings.Join(b.Routes, " "), "mine?url=http%3A%2F%2Fnew.example%2F mine?id=7"; got != want {
		t.Errorf("the pages lead to %q, want %q", got, want)
	}
	if live := links[len(links)-1].URL; live == nil || live.String() != "http://b.example/p" {
		t.Errorf("the live page is %v", live)
	}
	w.look(true)
	b.Until(t, "the end of the card", func() bool { return !w.box.Visible() })
	if !slices.Contains(b.Node.Did(), "seen") {
		t.Errorf("the node was told %q", b.Node.Did())
	}
}
