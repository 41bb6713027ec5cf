package statistics

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/desktest"
	"github.com/forage-net/forage/ui/desktop/shown"
	"github.com/forage-net/forage/ui/desktop/speech"
	"github.com/forage-net/forage/ui/desktop/texts"
)

// aMonth is a series of days with a weekend at rest now and then.
func aMonth() api.Series {
	s := api.Series{Unit: api.UnitDay}
	for i := range 30 {
		at := time.Date(2026, 5, 14, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i-29)
		if at.Weekday() == time.Sunday {
			continue
		}
		pages := int64(200 + 900*math.Abs(math.Sin(float64(i)/4)))
		p := api.Point{Start: at}
		p.Pages, p.Firsts, p.HelpedS = pages, pages/3, pages*9
		p.BytesReceived, p.BytesSent, p.PeerReceived, p.PeerSent = pages*41_000, pages*700, pages*3_000, pages*5_000
		s.Points = append(s.Points, p)
		s.Totals.Pages += pages
	}
	t := &s.Totals
	t.Firsts, t.Domains, t.Links, t.BytesReceived, t.HelpedS = 6_120, 412, 1_203_441, 780_000_000, 91*3600
	t.BytesSent, t.PeerReceived, t.PeerSent, t.Unchanged, t.Duplicates, t.Gone, t.Failed = 13_000_000, 57_000_000,
		95_000_000, 311, 204, 96, 41
	t.Languages = map[string]int64{"en": 9_000, "de": 4_100, "is": 812, "fr": 350, "other": 640, "pt-BR": 12,
		"tlh": 3, "ja": 77, "xx-nonsense-": 2}
	return s
}

func aBest() api.Best {
	return api.Best{
		FirstPage: &api.FirstPage{Time: time.Date(2026, 3, 2, 20, 15, 0, 0, time.UTC),
			URL: "https://brauð.is/sourdough?x=1&y=2", Title: "Baking sourdough in Reykjavík"},
		BusiestDay: &api.BusiestDay{Start: time.Date(2026, 5, 9, 0, 0, 0, 0, time.UTC), Pages: 1_099},
		DaysHelped: 61, StreakDays: 4,
	}
}

// openStatistics shows the page in a window of a size, with what the node answers.
func openStatistics(t *testing.T, b *desktest.Bench, w, h float32) (*Page, fyne.Window) {
	t.Helper()
	p := New(b.Desk, b.Node)
	win := desktest.NewPageWindow(t, p, w, h)
	p.Shown(true)
	t.Cleanup(func() { p.Shown(false) })
	b.Until(t, "all answers", func() bool {
		return p.had && p.figures["count.pages"].Value.Text != "–" && len(p.best.Objects) > 0
	})
	return p, win
}

func TestStatistics_Looks(t *testing.T) {
	for _, c := range []struct {
		name, lang, theme, stored string
		w, h                      float32
	}{
		{"light", "en", "light", "statistics", 700, 900},
		{"dark-de", "de", "dark", "", 920, 840},
		{"narrow-de", "de", "light", "", 540, 1180},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := desktest.NewBench(t, c.lang, c.theme)
			b.Node.Is.Series, b.Node.Is.Best = aMonth(), aBest()
			_, win := openStatistics(t, b, c.w, c.h)
			win.Content().Refresh()
			desktest.PictureOf(t, c.stored, win.Canvas(), c.theme == "dark")
		})
	}
}

// The mouse and the keys tell each value; the text below says the same as the chart.
func TestStatistics_Tells(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	b.Node.Is.Series, b.Node.Is.Best = aMonth(), aBest()
	p, win := openStatistics(t, b, 900, 800)
	if want := "Pages from 15 Apr to 14 May: 19,503."; !strings.HasPrefix(p.twin.Text, want) ||
		!strings.HasSuffix(p.twin.Text, "Highest: 1,099 (4 May).") {
		t.Errorf("it says %q", p.twin.Text)
	}
	win.Canvas().Capture() // it is drawn
	win.Canvas().Focus(p.chart)
	key := func(name fyne.KeyName) string {
		p.chart.TypedKey(&fyne.KeyEvent{Name: name})
		return p.chart.told()
	}
	for _, c := range []struct {
		key  fyne.KeyName
		want string
	}{
		{fyne.KeyLeft, "14 May: 940"}, {fyne.KeyLeft, "13 May: 791"}, {fyne.KeyRight, "14 May: 940"},
		{fyne.KeyRight, "14 May: 940"},
		{fyne.KeyHome, "15 Apr: 200"}, {fyne.KeyRight, "16 Apr: 422"}, {fyne.KeyEnd, "14 May: 940"},
		{fyne.KeyEscape, ""},
	} {
		if got := key(c.key); got != c.want {
			t.Errorf("%s tells %q, want %q", c.key, got, c.want)
		}
	}
	win.Canvas().Capture() // drawn as it is now
	p.chart.MouseIn(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(450, 60)}})
	if got := p.chart.told(); !strings.HasSuffix(got, "29 Apr: 515") {
		t.Errorf("the middle of the chart tells %q", got)
	}
	win.Content().Refresh()
	desktest.PictureOf(t, "", win.Canvas(), false)
	p.chart.MouseOut()
	win.Canvas().Focus(nil)
	if p.chart.told() != "" || p.chart.focused {
		t.Error("it goes on to tell")
	}
}

// What is chosen is asked for, and shown.
func TestStatistics_Choices(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	b.Node.Is.Series, b.Node.Is.Best = aMonth(), aBest()
	p, win := openStatistics(t, b, 900, 800)
	chosen := selects(p.Content())
	chosen[0].SetSelected("Data")
	if want := "Data from 15 Apr to 14 May: 969\u00a0MB. Highest: 54.6\u00a0MB (4 May)."; p.twin.Text != want {
		t.Errorf("it says %q, want %q", p.twin.Text, want)
	}
	p.chart.tell(2)
	if want := "17 Apr: 31.4\u00a0MB (Received 27.8\u00a0MB, Sent 3.6\u00a0MB)"; p.chart.told() != want {
		t.Errorf("it tells %q, want %q", p.chart.told(), want)
	}
	win.Content().Refresh()
	desktest.PictureOf(t, "", win.Canvas(), false)
	year := api.Series{Unit: api.UnitYear, Points: []api.Point{{Start: time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC)},
		{Start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}}}
	year.Points[0].HelpedS, year.Points[1].HelpedS = 3600, 5400
	b.Node.Change(func(s *desktest.StandIn) { s.Is.Series = year })
	chosen[1].SetSelected("By year")
	if p.twin.Text != "One moment …" {
		t.Errorf("before it knows it says %q", p.twin.Text)
	}
	chosen[0].SetSelected("Hours helped")
	b.Until(t, "the years", func() bool { return p.had })
	if want := "Hours helped from 2019 to 2026: 2.5 h. Highest: 1.5 h (2026)."; p.twin.Text != want {
		t.Errorf("it says %q, want %q", p.twin.Text, want)
	}
	b.Node.Change(func(s *desktest.StandIn) { s.Is.Series = api.Series{} })
	chosen[1].SetSelected("Last 48 hours")
	b.Until(t, "the hours", func() bool { return p.had })
	if p.twin.Text != "Nothing yet." || !p.save.Disabled() {
		t.Errorf("of nothing it says %q; it can be saved: %v", p.twin.Text, !p.save.Disabled())
	}
	win.Content().Refresh()
	desktest.PictureOf(t, "", win.Canvas(), false)
}

func selects(in fyne.CanvasObject) []*widget.Select {
	var list []*widget.Select
	for _, o := range desktest.Within(in) {
		if s, ok := o.(*widget.Select); ok {
			list = append(list, s)
		}
	}
	return list
}

func TestStatistics_Lost(t *testing.T) {
	b := desktest.NewBench(t, "de", "light")
	b.Node.Err = errors.New("away")
	p := New(b.Desk, b.Node)
	p.Shown(true)
	defer p.Shown(false)
	p.Told(desk.Live{Known: true})
	if p.twin.Text != "Forage antwortet nicht." {
		t.Errorf("without a node it says %q", p.twin.Text)
	}
	desktest.Picture(t, "", p.Content(), false, 700, 900)
}

func TestStatistics_FirstPageLeadsToTheArchive(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	b.Node.Is.Series, b.Node.Is.Best = aMonth(), aBest()
	p, _ := openStatistics(t, b, 900, 800)
	for _, o := range desktest.Within(p.best) {
		if l, ok := o.(*widget.Hyperlink); ok {
			l.OnTapped()
		}
	}
	if want := []string{"mine?url=https%3A%2F%2Fbrau%C3%B0.is%2Fsourdough%3Fx%3D1%26y%3D2"}; !slices.Equal(b.Routes,
		want) {
		t.Errorf("the dashboard opens at %q, want %q", b.Routes, want)
	}
}

// A node that counts badly, or texts that want more than their line, break nothing.
func TestStatistics_Hostile(t *testing.T) {
	b := desktest.NewBench(t, "en", "dark")
	s := aMonth()
	s.Points[0].Pages, s.Points[1].Pages, s.Points[2].Pages = -1<<63, 1<<62, 1<<62
	s.Points = append(s.Points, api.Point{Start: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)}, api.Point{})
	s.Points = append(s.Points, s.Points...)
	s.Totals.Pages, s.Totals.BytesReceived, s.Totals.HelpedS = 1<<63-1, -5, -1<<63
	s.Totals.Languages = map[string]int64{"\u202een\n": 1 << 62, "de": 1 << 62, "": -3, strings.Repeat("x", 1<<20): 5}
	b.Node.Is.Series = s
	b.Node.Is.Best = aBest()
	b.Node.Is.Best.FirstPage.Title = "\u202eevil\n" + strings.Repeat("long ", 1000)
	b.Node.Is.Best.BusiestDay.Pages, b.Node.Is.Best.DaysHelped = -7, 1<<63-1
	p, win := openStatistics(t, b, 700, 1100)
	for _, text := range texts.Of(p.best.Objects) {
		if strings.ContainsAny(text, "\n\u202e") || len(text) > shown.Most+80 {
			t.Errorf("it says %.300q", text)
		}
	}
	win.Content().Refresh()
	desktest.PictureOf(t, "", win.Canvas(), true)
}

func TestMost_LeavesOutWhatIsNone(t *testing.T) {
	got := most(map[string]int64{"en": 1 << 62, "de": 1 << 62, "fr": -1, "is": 0})
	if len(got) != 2 || got[0].code != "de" || got[0].share != 0.5 || got[1].share != 0.5 {
		t.Errorf("got %+v", got)
	}
}

func TestTongue(t *testing.T) {
	for code, want := range map[string]string{"de": "Deutsch", "pt-BR": "Brasilianisches Portugiesisch",
		"other": "andere oder unbekannte", "": "andere oder unbekannte", "a\u202eb!": "ab!"} {
		if got := (speech.Speech{Lang: "de"}).Tongue(code); got != want {
			t.Errorf("tongue(%q) = %q, want %q", code, got, want)
		}
	}
}

func TestPeriod(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 30, 0, 0, time.FixedZone("", 3600)) // the last of February, by UTC
	for _, c := range []struct {
		p    period
		n    int
		want string
	}{
		{periods[0], 0, "2026-02-28T23:00:00Z"}, {periods[0], 47, "2026-02-27T00:00:00Z"},
		{periods[2], 0, "2026-02-28T00:00:00Z"}, {periods[2], 29, "2026-01-30T00:00:00Z"},
		{periods[4], 1, "2025-01-01T00:00:00Z"},
	} {
		if got := c.p.back(now, c.n).Format(time.RFC3339); got != c.want {
			t.Errorf("%s, %d back: %s, want %s", c.p.name, c.n, got, c.want)
		}
	}
}

// Beside the period before, each value tells that one too; summed up, each holds all before it.
func TestStatistics_ComparesAndSumsUp(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	s := api.Series{Unit: api.UnitDay}
	for i := range 60 {
		p := api.Point{Start: time.Date(2026, 3, 16, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i)}
		p.Pages = int64(i)
		s.Points = append(s.Points, p)
	}
	b.Node.Is.Series, b.Node.Is.Best = s, aBest()
	p, win := openStatistics(t, b, 900, 800)
	for _, c := range []struct{ tap, first, last, twin string }{
		{"", "15 Apr: 30", "14 May: 59", "Pages from 15 Apr to 14 May: 1,335. Highest: 59 (14 May)."},
		{"Compare with the period before", "15 Apr: 30, 16 Mar: 0", "14 May: 59, 14 Apr: 29",
			"Pages from 15 Apr to 14 May: 1,335. Highest: 59 (14 May)."},
		{"Cumulative", "15 Apr: 30, 16 Mar: 0", "14 May: 1,335, 14 Apr: 435", "Pages from 15 Apr to 14 May: 1,335."},
	} {
		for _, o := range desktest.Within(p.Content()) {
			if check, ok := o.(*widget.Check); ok && check.Text == c.tap {
				test.Tap(check)
			}
		}
		p.chart.tell(0)
		first := p.chart.told()
		p.chart.tell(29)
		if last := p.chart.told(); first != c.first || last != c.last || p.twin.Text != c.twin {
			t.Errorf("%q: it tells %q and %q, and says %q", c.tap, first, last, p.twin.Text)
		}
	}
	win.Content().Refresh()
	desktest.PictureOf(t, "statistics-compared", win.Canvas(), false)
}

// Days are those of the reader, and today is one of them.
func TestPeriod_DaysOfTheReader(t *testing.T) {
	t.Cleanup(func() { time.Local = time.UTC })
	now := time.Date(2026, 3, 1, 3, 30, 0, 0, time.UTC)
	for offset, want := range map[int]string{-8: "2026-02-28T00:00:00Z", 0: "2026-03-01T00:00:00Z",
		9: "2026-03-01T00:00:00Z", 22: "2026-03-02T00:00:00Z"} {
		time.Local = time.FixedZone("", offset*3600)
		if got := periods[2].start(now).Format(time.RFC3339); got != want || periods[2].query(now).Zone != time.Local {
			t.Errorf("%d hours from UTC today starts at %s, want %s", offset, got, want)
		}
		if got := periods[2].earlier(periods[2].start(now), 1); got != periods[2].back(now, 1) {
			t.Errorf("%d hours from UTC the day before today is %v", offset, got)
		}
	}
}

// A date keeps its name wherever its reader lives; an hour is told by the clock there.
func TestMoment_ZonesOfTheReader(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	day, hour := time.Date(2026, 5, 9, 0, 0, 0, 0, time.UTC), time.Date(2026, 5, 9, 23, 0, 0, 0, time.UTC)
	t.Cleanup(func() { time.Local = time.UTC })
	for offset, want := range map[int]string{-11: "9 May, 12:00", 0: "9 May, 23:00", 14: "10 May, 13:00"} {
		time.Local = time.FixedZone("", offset*3600)
		if got := momentText(b.Desk, periods[2], day); got != "9 May" {
			t.Errorf("%d hours from UTC the day is %q", offset, got)
		}
		if got := momentText(b.Desk, periods[0], hour); got != want {
			t.Errorf("%d hours from UTC the hour is %q, want %q", offset, got, want)
		}
	}
}

// The picture that is saved is one, and says what it shows.
func TestStatistics_Saves(t *testing.T) {
	t.Setenv("HOME", t.TempDir()) // which is looked into
	b := desktest.NewBench(t, "de", "light")
	b.Node.Is.Series, b.Node.Is.Best = aMonth(), aBest()
	p, win := openStatistics(t, b, 900, 800)
	var to closer
	p.saveTo(&to, "forage.png")
	b.Until(t, "the picture", func() bool { return len(b.Said) > 0 })
	img, err := png.Decode(&to.Buffer)
	if err != nil || !to.closed || b.Said[0] != "Bild gespeichert als forage.png." {
		t.Fatalf("it says %q; closed %v; %v", b.Said[0], to.closed, err)
	}
	desktest.PictureIs(t, "", img, false)
	test.Tap(p.save)
	if win.Canvas().Overlays().Top() == nil {
		t.Error("nobody asks where to")
	}
}

// closer is a file that knows whether it was closed.
type closer struct {
	bytes.Buffer
	closed bool
}

func (c *closer) Close() error { c.closed = true; return nil }

// asks is a node that tells when it is asked what stands out.
type asks struct {
	*desktest.StandIn
	asked chan struct{}
}

func (a asks) Best(context.Context, *time.Location) (api.Best, error) {
	a.asked <- struct{}{}
	return api.Best{}, nil
}

// A page that nobody looks at asks nothing.
func TestStatistics_AsksOnlyWhileLookedAt(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	asked := make(chan struct{}, 10)
	p := New(b.Desk, asks{b.Node, asked})
	p.Told(desk.Live{Reachable: true, Known: true})
	p.turn(periods[0])
	if p.series.Running() || p.totals.Running() || len(asked) > 0 {
		t.Error("it asks")
	}
	p.Shown(true)
	<-asked
	p.Shown(false)
	if p.series.Running() || p.totals.Running() || p.stands.Running() {
		t.Error("it goes on to ask")
	}
}
