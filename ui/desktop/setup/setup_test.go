package setup

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/settings/schema"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/desktest"
	"github.com/forage-net/forage/ui/desktop/shown"
)

// firstRun is a first run in a window of a size.
type firstRun struct {
	*desktest.Bench
	p     *Page
	win   fyne.Window
	ended int
	begun int
}

func newFirstRun(t *testing.T, lang, theme string, w, h float32) *firstRun {
	t.Helper()
	r := &firstRun{Bench: desktest.NewBench(t, lang, theme)}
	r.Node.Change(func(s *desktest.StandIn) { s.Is.Setup, s.Is.Status.Consent = desktest.SetupIn(lang), false })
	r.p = New(r.Desk, r.Node, func() { r.ended++ }, func() { r.begun++ })
	r.win = test.NewTempWindow(t, r.p.Content())
	r.win.SetPadded(false)
	r.win.Resize(fyne.NewSize(w, h))
	r.p.Shown(true)
	t.Cleanup(func() { r.p.Shown(false) })
	return r
}

// picture takes a picture of the window when everything has found its place, which the driver of the tests leaves
// to who resizes.
func (r *firstRun) picture(t *testing.T, name string, dark bool) {
	t.Helper()
	desktest.Settle(r.win)
	desktest.PictureOf(t, name, r.win.Canvas(), dark)
}

// to goes on to a screen as a user does.
func (r *firstRun) to(t *testing.T, step int) {
	t.Helper()
	r.Until(t, "the answer", func() bool { return r.p.have })
	for r.p.step < step {
		if s, ok := r.p.screen.(*seenScreen); ok && !r.p.mine {
			s.box.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
		}
		was := r.p.step
		r.p.onwards(t)
		if r.p.step == was {
			t.Fatalf("screen %d does not end", was)
		}
	}
}

// onwards presses Enter where the keyboard is.
func (p *Page) onwards(t *testing.T) {
	t.Helper()
	p.screen.focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
}

// The driver sends a key, and then its letter: to what has the focus by then.
func TestSetup_SpaceOfOneScreenTicksNothingOnTheNext(t *testing.T) {
	r := newFirstRun(t, "en", "light", 900, 700)
	r.Until(t, "the answer", func() bool { return r.p.have })
	r.win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	if s, ok := r.p.screen.(*seenScreen); !ok || r.win.Canvas().Focused() != fyne.Focusable(s.box) {
		t.Fatalf("after Space the focus is at %T", r.win.Canvas().Focused())
	}
	r.win.Canvas().Focused().TypedRune(' ')
	if r.p.mine {
		t.Error("the box is ticked, and nobody has ticked it")
	}
}

func TestSetup_ByKeysToTheFirstPage(t *testing.T) {
	r := newFirstRun(t, "en", "light", 900, 700)
	r.to(t, stepSeen)
	if r.win.Canvas().Focused() != fyne.Focusable(r.p.screen.(*seenScreen).box) {
		t.Errorf("the focus is at %T", r.win.Canvas().Focused())
	}
	r.p.onwards(t)
	if s := r.p.screen.(*seenScreen); r.p.step != stepSeen || !s.wrong.Visible() ||
		s.wrong.Text != r.T("first.mine.missing") {
		t.Fatalf("without a tick it goes to %d", r.p.step)
	}
	r.to(t, stepWhen)
	when := r.p.screen.(*whenScreen)
	r.win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
	if r.p.preset != "gentle" || !when.cards[1].On || when.cards[0].On {
		t.Errorf("an arrow chooses %q", r.p.preset)
	}
	test.Tap(when.ticks["topics.never"][4])
	when.begin = when.cards[1]
	r.to(t, stepReady)
	if n := len(r.Node.Agreed); n != 0 {
		t.Fatalf("agreed %d times before the last screen", n)
	}
	r.win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnter})
	r.p.screen.(*readyScreen).start.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEnter}) // twice is once
	r.Until(t, "the first page's screen", func() bool { return r.p.step == stepFirst })
	if len(r.Node.Agreed) != 1 || !slices.Equal(r.Node.Did(), []string{"work 2m0s"}) {
		t.Fatalf("agreed %d times, told %q", len(r.Node.Agreed), r.Node.Did())
	}
	a := r.Node.Agreed[0]
	if !a.Agree || !a.ConnectionIsMine || a.Preset != "gentle" || a.Version != 3 || a.Lang != "en" ||
		string(a.Settings["topics.never"]) != `["gambling"]` || len(a.Settings) != 1 {
		t.Errorf("agreed to %+v", a)
	}
	// Somebody who has agreed here stays until they have seen the first page.
	r.p.Told(desk.Live{Reachable: true, Known: true, Status: api.Status{Consent: true, Sentence: "Working."}})
	r.p.Happened([]api.Event{
		{ID: 1, Time: desktest.Noon.Add(-time.Minute), Code: api.CodeFetched, Domain: "old.example",
			Title: "Of an earlier start"},
		{ID: 2, Time: desktest.Noon, Code: api.CodeRobots, Domain: "brauð.is"},
	}, false)
	if r.p.first.page.ID != 0 || r.p.first.list.Text != "Reading the rules of brauð.is" || r.ended != 0 {
		t.Fatalf("it shows page %d, %q; ended %d times", r.p.first.page.ID, r.p.first.list.Text, r.ended)
	}
	r.p.Happened([]api.Event{{ID: 3, Time: desktest.Noon, Code: api.CodeFetched, Domain: "brauð.is",
		Title: "Baking sourdough in Reykjavík", First: true}}, false)
	if r.p.first.page.ID != 3 {
		t.Fatal("the first page does not come")
	}
	r.picture(t, "setup-page", false)
	r.win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	if r.ended != 1 {
		t.Errorf("it ended %d times", r.ended)
	}
}

func TestSetup_GoesBackAndKeepsWhatWasChosen(t *testing.T) {
	r := newFirstRun(t, "de", "dark", 900, 700)
	r.to(t, stepWhen)
	when := r.p.screen.(*whenScreen)
	test.Tap(when.cards[2])
	test.Tap(when.ticks["topics.never"][0])
	r.to(t, stepReady)
	for range 3 {
		r.p.back()
	}
	if r.p.step != stepWelcome || !r.p.mine {
		t.Fatalf("back leads to %d, ticked %v", r.p.step, r.p.mine)
	}
	r.to(t, stepWhen)
	when = r.p.screen.(*whenScreen)
	if !when.cards[2].On || !when.ticks["topics.never"][0].Checked {
		t.Error("what was chosen is lost")
	}
}

func TestSetup_WaitsUntilAway(t *testing.T) {
	r := newFirstRun(t, "en", "light", 900, 700)
	r.to(t, stepReady)
	test.Tap(r.p.screen.(*readyScreen).wait)
	r.Until(t, "the end", func() bool { return r.ended == 1 })
	if len(r.Node.Did()) != 0 || !slices.Equal(r.Said, []string{r.T("first.waits")}) {
		t.Errorf("told %q, said %q", r.Node.Did(), r.Said)
	}
}

// Starting with the computer is a choice, and does not stand in the way of the first page.
func TestSetup_StartsWithTheComputer(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		r := newFirstRun(t, "en", "light", 900, 700)
		r.Node.Change(func(s *desktest.StandIn) { s.Is.Setup.Startup.Possible = true })
		r.p.poll.Again()
		r.Until(t, "the offer", func() bool { return r.p.is.Startup.Possible })
		r.to(t, stepReady)
		ready := r.p.screen.(*readyScreen)
		if ready.starts == nil || ready.starts.Checked {
			t.Fatal("it is no choice")
		}
		r.picture(t, "", false)
		test.Tap(ready.starts)
		if refuses {
			r.Node.Change(func(s *desktest.StandIn) { s.Stays = errors.New("no room") })
		}
		test.Tap(ready.wait)
		r.Until(t, "the end", func() bool { return r.ended == 1 })
		r.Until(t, "the computer to be told", func() bool { return slices.Equal(r.Node.Did(), []string{"startup true"}) })
		if refuses {
			r.Until(t, "the reason", func() bool { return slices.Contains(r.Said, "no room") })
		}
	}
}

func TestSetup_SaysWhatIsWrongWhereItBelongs(t *testing.T) {
	for _, c := range []struct {
		err  error
		step int
		says string
	}{
		{&api.SettingError{Text: "The text has changed.", Reason: "version"}, stepSeen, "The text has changed."},
		{&api.SettingError{Text: "Please confirm.", Reason: "connection"}, stepSeen, "Please confirm."},
		{&api.SettingError{Text: "No such choice.", Reason: "preset"}, stepWhen, "No such choice."},
		{&api.SettingError{Text: "No such topic.", Key: "topics.never", Reason: "x"}, stepWhen, "No such topic."},
		{&api.SettingError{Text: "Line 3 is wrong.", Key: "disk.max", Line: 3}, stepReady, "Line 3 is wrong."},
		{api.ErrNotRunning, stepReady, "Forage does not answer."},
		{errors.New("the disk is full"), stepReady, "the disk is full"},
	} {
		t.Run(c.err.Error(), func(t *testing.T) {
			r := newFirstRun(t, "en", "light", 900, 700)
			r.to(t, stepReady)
			r.Node.Change(func(s *desktest.StandIn) { s.Refuse = c.err })
			test.Tap(r.p.screen.(*readyScreen).start)
			r.Until(t, "what is wrong", func() bool { return strings.Contains(shownFault(r.p), c.says) })
			if r.p.step != c.step || r.ended != 0 || len(r.Node.Did()) != 0 {
				t.Errorf("it is at screen %d, want %d; ended %d times; told %q", r.p.step, c.step, r.ended,
					r.Node.Did())
			}
			if c.step == stepSeen && r.p.mine {
				t.Error("the tick stays")
			}
			r.Node.Change(func(s *desktest.StandIn) { s.Refuse = nil })
			r.to(t, stepReady)
			test.Tap(r.p.screen.(*readyScreen).start)
			r.Until(t, "the first page's screen", func() bool { return r.p.step == stepFirst })
		})
	}
}

func shownFault(p *Page) string {
	switch s := p.screen.(type) {
	case *seenScreen:
		return s.wrong.Text
	case *whenScreen:
		return s.wrong.Text
	case *readyScreen:
		return s.wrong.Text
	}
	return ""
}

// The node may go away in the middle, and somebody may agree elsewhere.
func TestSetup_LosesTheNode(t *testing.T) {
	r := newFirstRun(t, "en", "light", 900, 700)
	r.to(t, stepWhen)
	test.Tap(r.p.screen.(*whenScreen).cards[1])
	r.p.Told(desk.Live{Known: true, Lost: desktest.Noon.Add(-time.Minute)})
	if !r.p.lost.box.Visible() || !strings.Contains(r.p.lost.text.Text, "1 minute") {
		t.Errorf("it says %q", r.p.lost.text.Text)
	}
	r.picture(t, "", false)
	test.Tap(r.p.lost.button)
	r.p.Told(desk.Live{Known: true, Reachable: true})
	if r.begun != 1 || r.p.lost.box.Visible() || r.p.step != stepWhen || r.p.preset != "gentle" {
		t.Errorf("started %d times, at screen %d, %q", r.begun, r.p.step, r.p.preset)
	}
	r.p.Told(desk.Live{Known: true, Reachable: true, Status: api.Status{Consent: true}})
	if r.ended != 1 {
		t.Errorf("somebody has agreed elsewhere, and it ended %d times", r.ended)
	}
}

// What was wrong because the node was away is not wrong when it is back.
func TestSetup_FindsTheNodeAgain(t *testing.T) {
	r := newFirstRun(t, "en", "light", 900, 700)
	r.to(t, stepReady)
	r.Node.Change(func(s *desktest.StandIn) { s.Refuse = api.ErrNotRunning })
	test.Tap(r.p.screen.(*readyScreen).start)
	r.Until(t, "what is wrong", func() bool { return shownFault(r.p) != "" })
	r.p.Told(desk.Live{Known: true})
	if shownFault(r.p) == "" {
		t.Error("nothing is wrong while the node is away")
	}
	r.p.Told(desk.Live{Known: true, Reachable: true})
	if text := shownFault(r.p); text != "" {
		t.Errorf("it says %q", text)
	}
}

// Answers change nothing before the UI goroutine has them.
func TestSetup_AnswersWaitForTheirGoroutine(t *testing.T) {
	r := newFirstRun(t, "en", "light", 900, 700)
	r.to(t, stepReady)
	test.Tap(r.p.screen.(*readyScreen).start)
	r.Await(t)
	if r.p.step != stepReady || !r.p.busy {
		t.Errorf("at screen %d, busy %v, before the UI goroutine has the answer", r.p.step, r.p.busy)
	}
	r.p.Happened([]api.Event{{ID: 1, Time: desktest.Noon, Code: api.CodeFetched, Domain: "quick.example", Title: "Quick"}},
		false)
	r.Until(t, "the first page", func() bool { return r.p.first != nil && r.p.first.page.Title == "Quick" })
}

// A node that agrees but does not work leads to the overview, where it says why.
func TestSetup_AgreesButDoesNotWork(t *testing.T) {
	r := newFirstRun(t, "en", "light", 900, 700)
	r.to(t, stepReady)
	r.p.poll.Run(false)
	r.Node.Change(func(s *desktest.StandIn) { s.Err = errors.New("no room on the disk") })
	test.Tap(r.p.screen.(*readyScreen).start)
	r.Until(t, "the end", func() bool { return r.ended == 1 })
	if len(r.Node.Agreed) != 1 || !slices.Equal(r.Said, []string{"no room on the disk"}) {
		t.Errorf("agreed %d times, said %q", len(r.Node.Agreed), r.Said)
	}
}

func TestSetup_AsksWhetherAnybodyIsHere(t *testing.T) {
	r := newFirstRun(t, "en", "light", 900, 700)
	r.Node.Change(func(s *desktest.StandIn) {
		s.Is.Setup.Facts[0].Known = false
		s.Is.Setup.Questions = schema.Questions(config.Defaults(), false, "en")
		s.Is.Setup.Presets[0].Chosen = false
	})
	r.to(t, stepWhen)
	r.p.poll.Again()
	r.Until(t, "the question", func() bool {
		s, ok := r.p.screen.(*whenScreen)
		return ok && len(s.asked) == 2 && r.p.preset == ""
	})
	r.p.turn(stepWhen)
	when := r.p.screen.(*whenScreen)
	if len(when.cards) != 4 || !when.cards[3].On {
		t.Fatal("settings of one's own cannot be kept")
	}
	test.Tap(when.ticks["idle.unknown_is"][0])
	a, err := r.p.agreement()
	if err != nil || string(a.Settings["idle.unknown_is"]) != `"away"` || a.Preset != "" {
		t.Errorf("it would send %+v, %v", a, err)
	}
	test.Tap(when.ticks["idle.unknown_is"][0])
	if a, err := r.p.agreement(); err != nil || len(a.Settings) != 0 {
		t.Errorf("it would send %+v, %v", a, err)
	}
}

func TestSetup_IsPatient(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	now := desktest.Noon
	b.Now = func() time.Time { return now }
	f := newFirstPage(b.Desk, desktest.Noon, func() {})
	f.told(desk.Live{Reachable: true, Status: api.Status{Sentence: "Looking for others."}})
	if f.patience.Visible() || f.sentence.Text != "Looking for others." {
		t.Errorf("it says %q, patience %v", f.sentence.Text, f.patience.Visible())
	}
	now = desktest.Noon.Add(25 * time.Second)
	f.told(desk.Live{Reachable: true})
	if !f.patience.Visible() {
		t.Error("it does not say why it takes so long")
	}
	var many []api.Event
	for i := range uint64(20) {
		many = append(many, api.Event{ID: i + 1, Time: now, Code: api.CodeFailed, Domain: "a.example"})
	}
	f.happened(many)
	if n := strings.Count(f.list.Text, "\n") + 1; n != firstKept {
		t.Errorf("it shows %d lines", n)
	}
}

// What sites call themselves is shown in one line, as it is elsewhere.
func TestSetup_CleansWhatSitesSay(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	f := newFirstPage(b.Desk, desktest.Noon, func() {})
	hostile := "evil\u202egnp\n.exe" + strings.Repeat("x", 5000)
	f.happened([]api.Event{{ID: 1, Time: desktest.Noon, Code: api.CodeRobots, Domain: hostile}})
	if text := f.list.Text; strings.ContainsAny(text, "\u202e\n") || len(text) > 2*shown.Most {
		t.Errorf("it says %d bytes: %.60q", len(text), text)
	}
	f.happened([]api.Event{{ID: 2, Time: desktest.Noon, Code: api.CodeFetched, Domain: hostile, Title: hostile}})
	if text := desktest.Seen(f.content()); strings.Contains(text, "\u202e") || !strings.Contains(text, "evilgnp .exe") ||
		len(text) > 6*shown.Most {
		t.Errorf("the page is %d bytes: %.200q", len(text), text)
	}
}

// The whole text can be read without a mouse.
func TestSetup_ScrollsByKeys(t *testing.T) {
	r := newFirstRun(t, "de", "light", 700, 560)
	r.to(t, stepSeen)
	desktest.Settle(r.win)
	scroll := controls.ScrollAround(r.win.Canvas().Content(), r.p.screen.(*seenScreen).text)
	if scroll == nil {
		t.Fatal("the text does not scroll")
	}
	press := func(name fyne.KeyName) float32 {
		r.win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: name})
		return scroll.Offset.Y
	}
	line := press(fyne.KeyDown)
	if page := press(fyne.KeyPageDown); line <= 0 || page <= line {
		t.Errorf("keys scroll to %v and %v", line, page)
	}
	press(fyne.KeyPageUp)
	if top := press(fyne.KeyUp); top != 0 {
		t.Errorf("and back to %v", top)
	}
	r.to(t, stepWhen)
	r.win.Resize(fyne.NewSize(700, 420))
	desktest.Settle(r.win)
	when := r.p.screen.(*whenScreen)
	scroll = controls.ScrollAround(r.win.Canvas().Content(), when.list)
	controls.Focus(when.cards[2]) // what has the focus can be seen
	if scroll.Offset.Y <= 0 {
		t.Errorf("the last card is out of sight, at %v", scroll.Offset.Y)
	}
}

// A late answer of the node finds a screen that waits for it.
func TestSetup_WaitsForTheNode(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	b.Node.Change(func(s *desktest.StandIn) { s.Err = context.DeadlineExceeded })
	p := New(b.Desk, b.Node, func() {}, func() {})
	test.NewTempWindow(t, p.Content())
	p.Shown(true)
	t.Cleanup(func() { p.Shown(false) })
	p.next()
	if _, ok := p.screen.(*plainScreen); !ok {
		t.Fatalf("it shows %T without an answer", p.screen)
	}
	b.Node.Change(func(s *desktest.StandIn) { s.Err, s.Is.Setup = nil, desktest.SetupIn("en") })
	p.poll.Again()
	b.Until(t, "the screen", func() bool { _, ok := p.screen.(*seenScreen); return ok })
}

func TestSetup_Looks(t *testing.T) {
	for _, c := range []struct {
		name, lang, theme string
		w, h              float32
	}{{"en-light", "en", "light", 1080, 720}, {"de-dark", "de", "dark", 1080, 720},
		{"de-narrow", "de", "light", 700, 560}} {
		t.Run(c.name, func(t *testing.T) {
			r := newFirstRun(t, c.lang, c.theme, c.w, c.h)
			for step, name := range []string{"welcome", "seen", "when", "ready", "waiting"} {
				if step < stepFirst {
					r.to(t, step)
				} else {
					r.p.turn(stepFirst)
					r.p.Happened([]api.Event{{ID: 1, Time: desktest.Noon, Code: api.CodeRobots, Domain: "brauð.is"},
						{ID: 2, Time: desktest.Noon, Code: api.CodeFailed,
							Domain: "an-address-that-is-longer-than-most.example"}}, false)
					r.p.Told(desk.Live{Reachable: true, Known: true,
						Status: api.Status{Sentence: words.Text(c.lang, "loading", nil)}})
				}
				stored := ""
				if c.name == "de-narrow" {
					stored = "setup-" + name
				}
				r.picture(t, stored, c.theme == "dark")
			}
		})
	}
}
