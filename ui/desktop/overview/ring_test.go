package overview

import (
	"context"
	"errors"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/desktest"
	"github.com/forage-net/forage/ui/desktop/speech"
	"github.com/forage-net/forage/ui/ring"
)

// newCard makes the Ring's card in a window, with its picture drawn once.
func newCard(t *testing.T, b *desktest.Bench) (*ringCard, fyne.Window) {
	t.Helper()
	c := newRingCard(b.Desk, b.Node, func() {})
	win := test.NewTempWindow(t, c.box)
	win.SetPadded(false)
	win.Resize(fyne.NewSize(480, 720))
	c.tellState(desk.Live{Status: b.Node.Is.Status, Known: true, Reachable: true})
	r := someRing()
	c.list = &r
	c.view.ring.List(r)
	c.tell()
	win.Canvas().Capture()
	return c, win
}

func press(v *ringView, keys ...fyne.KeyName) {
	for _, key := range keys {
		v.TypedKey(&fyne.KeyEvent{Name: key})
	}
}

func TestRingCard_KeysGoFromPlaceToPlace(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	c, win := newCard(t, b)
	win.Canvas().Focus(c.view)
	for _, s := range []struct {
		keys []fyne.KeyName
		want string
	}{
		{nil, "24 known sites. You look after 50% of the ring."},
		{[]fyne.KeyName{fyne.KeyRight},
			"site-a.test: looked after by you, 0 pages, last visit 11:00. Language: English."},
		{[]fyne.KeyName{fyne.KeyRight, fyne.KeyUp},
			"site-c.test: looked after by you, 4 pages, last visit 11:00. Language: English."},
		{[]fyne.KeyName{fyne.KeyLeft}, "site-b.test: looked after by you, 1 page, last visit 11:00. Language: German."},
		{[]fyne.KeyName{fyne.KeyPageUp}, "You look after this place, and 50% of the ring in total."},
		{[]fyne.KeyName{fyne.KeyPageUp}, "Clever Ibex …oWnear looks after 30% of the ring. Connected to you."},
		{[]fyne.KeyName{fyne.KeyPageUp}, "Patient Hare …ooWfar looks after 20% of the ring. Not connected now."},
		{[]fyne.KeyName{fyne.KeyEnd},
			"site-x.test: looked after by you, 529 pages, last visit 11:00. Language: Japanese."},
		{[]fyne.KeyName{fyne.KeyHome},
			"site-a.test: looked after by you, 0 pages, last visit 11:00. Language: English."},
		{[]fyne.KeyName{fyne.KeyEscape}, "24 known sites. You look after 50% of the ring."},
	} {
		press(c.view, s.keys...)
		if c.line.Text != s.want {
			t.Errorf("after %v it says %q, want %q", s.keys, c.line.Text, s.want)
		}
	}
	press(c.view, fyne.KeyRight)
	win.Canvas().Unfocus()
	if _, points := c.view.ring.Spot(); points {
		t.Error("it goes on pointing when its user is elsewhere")
	}
}

func TestRingCard_PointerTellsWhatIsThere(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	c, win := newCard(t, b)
	side := c.view.raster.Size().Width
	middle := c.view.raster.Position().AddXY(side/2, side/2)
	at := func(x, y float32) *desktop.MouseEvent {
		return &desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: middle.AddXY(x, y)}}
	}
	c.view.MouseIn(at(side*0.4, 0))
	if want := "You look after this place, and 50% of the ring in total."; c.line.Text != want {
		t.Errorf("on the right it says %q, want %q", c.line.Text, want)
	}
	c.view.MouseMoved(at(-side*0.4, side*0.1))
	if want := "Clever Ibex …oWnear looks after 30% of the ring. Connected to you."; c.line.Text != want {
		t.Errorf("on the left it says %q, want %q", c.line.Text, want)
	}
	c.view.MouseOut()
	if !strings.HasPrefix(c.line.Text, "24 known sites") {
		t.Errorf("outside it says %q", c.line.Text)
	}
	test.TapAt(c.view, middle.AddXY(side*0.4, 0))
	if win.Canvas().Focused() != c.view {
		t.Error("a tap does not bring the keys to it")
	}
}

// Alone, and paused, a share says nothing.
func TestRingSummary_Alone(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	r := api.Ring{Members: []api.RingMember{{ID: "12D3KooWme", Self: true}}, Domains: make([]api.RingDomain, 2)}
	if got, want := ringSummary(b.Desk, &r, ring.ModeRing),
		"2 known sites. You are the first helper here."; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}

func TestRingCard_ChoosesAMode(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	c, _ := newCard(t, b)
	c.view.TypedRune('2')
	if c.mode != ring.ModeSwarm || c.modes[1].Importance != widget.HighImportance ||
		c.modes[0].Importance != widget.LowImportance {
		t.Errorf("the key 2 leads to mode %d", c.mode)
	}
	again, _ := newCard(t, b)
	if again.mode != ring.ModeSwarm {
		t.Error("it is not remembered")
	}
	test.Tap(c.modes[0])
	if c.mode != ring.ModeRing {
		t.Errorf("the button leads to mode %d", c.mode)
	}
}

// Frames are drawn while something moves, as many as the pace allows; few of a node that rests or is lost.
func TestRingCard_DrawsOnlyWhatMoves(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	now := desktest.Noon
	b.Desk.Now = func() time.Time { return now }
	c, _ := newCard(t, b)
	c.pace.fixed = true
	frames := func(seconds int) int {
		n := 0
		for range seconds * 20 {
			now = now.Add(50 * time.Millisecond)
			if c.frame(now) {
				n++
				c.view.draw(120, 120)
			}
		}
		return n
	}
	if n := frames(30); n < 6 || n > 20 {
		t.Errorf("%d frames of names of past visits in half a minute, want 18", n)
	}
	event := func() []api.Event {
		return []api.Event{{Time: now, Kind: api.KindPage, Code: api.CodeFetched, Domain: "site-a.test", At: 0.01,
			Count: 1}}
	}
	most := c.pace.rate()
	c.happened(event(), false)
	if n := frames(1); n < 1 || n > most+1 {
		t.Errorf("%d frames in the second in which a page comes, want %d", n, most)
	}
	frames(5)
	c.away(true)
	for range 10 {
		c.happened(event(), false)
		if n := frames(1); n > 2 {
			t.Errorf("%d frames in a second for who looks elsewhere", n)
		}
	}
	c.away(false)
	frames(5)
	for _, l := range []desk.Live{{Status: api.Status{State: api.StatePaused, Sentence: "Paused."}, Known: true,
		Reachable: true}, {Known: true}} {
		c.tellState(l)
		frames(3)
		c.happened(event(), false)
		if n := frames(10); n > 13 {
			t.Errorf("%d frames of a node that rests: %+v", n, l)
		}
	}
	c.tellState(desk.Live{Status: b.Node.Is.Status, Known: true, Reachable: true})
	c.still(true)
	frames(5)
	n := 0
	for range 30 {
		c.happened(event(), false)
		n += frames(1)
	}
	if n < 3 || n > 7 {
		t.Errorf("%d frames in half a minute where no motion is wanted, want 6", n)
	}
	if !fyne.CurrentApp().Preferences().Bool(stillKey) {
		t.Error("it is not remembered")
	}
}

// A frame that is never drawn, since the window is away, is not asked for again and again.
func TestRingView_WaitsForItsFrame(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	c, _ := newCard(t, b)
	c.view.ring.SetMode(ring.ModeSwarm)
	asked := 0
	for i := range 100 {
		if c.view.frame(desktest.Noon.Add(time.Duration(i) * 100 * time.Millisecond)) {
			asked++
		}
	}
	if asked != 5 {
		t.Errorf("asked %d times in 10 s, want 5", asked)
	}
}

func TestRingCard_AsksSoonAfterAChange(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	c, _ := newCard(t, b)
	for _, s := range []struct {
		events []api.Event
		missed bool
		want   bool
	}{
		{[]api.Event{{Code: api.CodeFetched}}, false, false},
		{[]api.Event{{Code: api.CodeDomainCame}}, false, true},
		{nil, true, true},
	} {
		c.soon = false
		c.happened(s.events, s.missed)
		if c.soon != s.want {
			t.Errorf("after %+v, missed %v: %v, want %v", s.events, s.missed, c.soon, s.want)
		}
	}
}

func TestRingCard_TellsInWords(t *testing.T) {
	b := desktest.NewBench(t, "de", "light")
	c, _ := newCard(t, b)
	c.told.toggle()
	if got := c.told.text.Text; got != "Noch nichts." {
		t.Errorf("it says %q", got)
	}
	c.happened(append(somePages(), api.Event{Time: desktest.Noon, Code: "new", Text: "Something\nnew"}), false)
	c.told.update(desktest.Noon.Add(time.Second))
	if got := c.told.text.Text; got != "Noch nichts." {
		t.Error("it changes while one reads")
	}
	c.told.update(desktest.Noon.Add(toldEvery))
	lines := strings.Split(c.told.text.Text, "\n")
	if len(lines) != 4 || !strings.HasSuffix(lines[0], "Something new") ||
		!strings.HasSuffix(lines[2], "Übersprungen: Die robots.txt von quiet.test verbietet es") {
		t.Errorf("it says %q", lines)
	}
	c.told.toggle()
	if c.told.text.Visible() {
		t.Error("it does not close")
	}
}

func TestRingCard_SavesThePicture(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	b := desktest.NewBench(t, "en", "dark")
	c, _ := newCard(t, b)
	if err := os.WriteFile(filepath.Join(home, "forage-ring-2026-05-14.png"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.save()
	b.Until(t, "the answer", func() bool { return len(b.Said) > 0 })
	path := filepath.Join(home, "forage-ring-2026-05-14-2.png")
	if b.Said[0] != "Picture saved: "+path {
		t.Fatalf("it says %q", b.Said[0])
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.DecodeConfig(f)
	if err = errors.Join(err, f.Close()); err != nil || img.Width != savedSide {
		t.Errorf("it is %d pixels wide, %v", img.Width, err)
	}
	if _, err := savePicture(filepath.Join(home, "none"), c.view.ring, desktest.Noon); err == nil ||
		!strings.HasPrefix(err.Error(), "save the picture: ") {
		t.Errorf("without a directory: %v", err)
	}
}

func TestRingPace(t *testing.T) {
	var used time.Duration
	p := ringPace{most: ring.MostRate, now: firstRate, cpu: func() (time.Duration, bool) { return used, true }}
	now := desktest.Noon
	step := func(share float64) {
		now = now.Add(measureEvery)
		used += time.Duration(share * float64(measureEvery))
		p.measure(now)
	}
	step(0.9) // nothing to compare with
	for range 20 {
		step(0.01)
	}
	if p.rate() != ring.MostRate {
		t.Errorf("with time to spare it is %d", p.rate())
	}
	step(0.030)
	if p.rate() != ring.MostRate {
		t.Errorf("with enough to do it is %d", p.rate())
	}
	for range 20 {
		step(0.3)
	}
	if p.rate() != 1 {
		t.Errorf("with too much to do it is %d", p.rate())
	}
	now = now.Add(time.Hour)
	step(0.01)
	if p.rate() != 1 {
		t.Error("an hour without frames counts")
	}
	p.away = true
	step(0.01)
	step(0.01)
	if p.away = false; p.rate() != 1 {
		t.Error("it rises while its user is elsewhere")
	}
	if used, ok := cpuTime(); !ok || used <= 0 {
		t.Errorf("cpuTime = %v, %v", used, ok)
	}
	t.Setenv("FORAGE_FRAMES", "7")
	if p := newRingPace(); !p.fixed || p.rate() != 7 {
		t.Errorf("what was given is not kept: %+v", p.rate())
	}
}

func TestRingCard_Legend(t *testing.T) {
	b := desktest.NewBench(t, "en", "dark")
	c, win := newCard(t, b)
	c.legend()
	top := win.Canvas().Overlays().Top()
	if top == nil || !strings.Contains(desktest.Seen(top), "Sites you look after (24): bright when just visited") ||
		!strings.Contains(desktest.Seen(top), "12% full") {
		t.Fatal("it does not say what the picture shows")
	}
	later := desktest.Noon.Add(time.Second)
	if c.view.ring.SetMode(ring.ModeSwarm); c.view.frame(later) {
		t.Error("the picture is drawn behind it")
	}
	win.Canvas().Overlays().Remove(top)
	if !c.view.frame(later) {
		t.Error("the picture is not drawn when it was closed")
	}
	desktest.Picture(t, "ring-legend", boxes.NewSurface(theme.ColorNameOverlayBackground, "", 0, c.legendRows()), true, 480, 470)
}

func TestRingCard_Focus(t *testing.T) {
	b := desktest.NewBench(t, "de", "light")
	c, win := newCard(t, b)
	win.Canvas().Focus(c.view)
	c.view.TypedRune('2')
	press(c.view, fyne.KeyPageUp, fyne.KeyPageUp)
	desktest.PictureOf(t, "", win.Canvas(), false)
}

// Whatever the node answers, the picture is drawn.
func FuzzRingCard(f *testing.F) {
	f.Add("a.test", 0.1, int64(3), 0.5)
	f.Add(strings.Repeat("x\u202e\n", 100), -1e308, int64(-1<<63), 1e308)
	f.Fuzz(func(t *testing.T, text string, at float64, n int64, share float64) {
		d := &desk.Desk{Speech: speech.Speech{Lang: "en"}, Ctx: context.Background(), UI: func(func()) {},
			Now: func() time.Time { return desktest.Noon }}
		v := newRingView(d.Now, func() {}, func(ring.Mode) {})
		v.ring.SetWords(ringWords(d))
		v.ring.List(api.Ring{
			Members: []api.RingMember{{ID: text, Self: true, Share: share}, {ID: text + "2", Share: share}},
			Arcs:    []api.RingArc{{From: 0, To: at, Member: 0}, {From: at, To: 1, Member: int(n)}},
			Domains: []api.RingDomain{{At: at, Domain: text, Fetched: n}}, Fill: share,
		})
		v.ring.Note(desktest.Noon, []api.Event{{Time: desktest.Noon, Code: api.Code(text), Domain: text, Peer: text, At: at, Count: n}})
		v.raster.Resize(fyne.NewSquareSize(100))
		v.draw(100, 100)
		v.point(fyne.NewPos(float32(at), float32(share)))
		press(v, fyne.KeyRight, fyne.KeyPageDown)
		if spot, ok := v.ring.Spot(); ok {
			spotText(d, spot)
		}
		toldOf(d, api.Event{Code: api.Code(text), Domain: text, Peer: text, Count: n, Title: text})
	})
}

// The ground of the window in both looks, as it was read from a screen.
func TestCleared(t *testing.T) {
	for theme, on := range map[color.NRGBA]color.NRGBA{
		{0xf6, 0xf4, 0xee, 0xff}: {0xf8, 0xf6, 0xf0, 0xff},
		{0x10, 0x16, 0x0f, 0xff}: {0x10, 0x16, 0x0f, 0xff},
		{0xff, 0xff, 0xff, 0xff}: {0xff, 0xff, 0xff, 0xff},
	} {
		if got := cleared(theme); got != on {
			t.Errorf("cleared(%v) = %v, want %v", theme, got, on)
		}
	}
}

// A change of state says which state it is.
func TestToldOf_SaysTheState(t *testing.T) {
	d := desktest.NewBench(t, "en", "light").Desk
	if got := toldOf(d, api.Event{Code: api.CodeState,
		Text: "Paused by you until 18:00."}); got != "Paused by you until 18:00." {
		t.Errorf("it says %q", got)
	}
}
