package desktop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/desktest"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/speech"
)

func TestStatusBar_PausesAndResumes(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	bar := newStatusBar(b.Desk, b.Node, func() {})
	bar.told(desk.Live{Status: b.Node.Is.Status, Limits: b.Node.Is.Limits, Known: true, Reachable: true})
	if bar.text.Text != "Working gently: you are away." || bar.resume.Visible() || bar.begin.Visible() ||
		!bar.pause.Visible() {
		t.Errorf("it says %q; resume %v, start %v, pause %v", bar.text.Text, bar.resume.Visible(),
			bar.begin.Visible(), bar.pause.Visible())
	}
	want := []string{"pause 15m0s", "pause 1h0m0s", "pause 3h0m0s", "pause 8h0m0s",
		"pause " + api.UntilTomorrow(desktest.Noon).String(), "pause 0s", "work 2m0s", "finish"}
	for _, item := range bar.pauses() {
		if !item.IsSeparator {
			item.Action()
			n := len(b.Node.Did())
			b.Until(t, item.Label, func() bool { return len(b.Node.Did()) > n || b.Refreshed > 0 })
		}
	}
	b.Until(t, "the last of them", func() bool { return len(b.Node.Did()) == len(want) })
	got := b.Node.Did()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the node was told %q, want %q", got, want)
	}
	b.Node.Is.Limits.Mode = "off"
	bar.told(desk.Live{Status: b.Node.Is.Status, Limits: b.Node.Is.Limits, Known: true, Reachable: true})
	if !bar.resume.Visible() {
		t.Fatal("there is nothing to resume with")
	}
	if bar.pause.Visible() {
		t.Error("what is paused can be paused")
	}
	test.Tap(bar.resume)
	b.Until(t, "resume", func() bool { return slices.Contains(b.Node.Did(), "resume") })
}

// The modes show which holds, and what keeps it working is offered where that helps; the bar is as high in each state.
func TestStatusBar_RunModes(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	bar := newStatusBar(b.Desk, b.Node, func() {})
	win := test.NewTempWindow(t, bar.ground)
	height := float32(0)
	for _, c := range []struct {
		run     api.RunMode
		sensors int
		help    bool
	}{{api.RunAlways, 0, false}, {api.RunAway, 1, true}, {api.RunOff, 1, false}, {"", 1, false}} {
		l := desk.Live{Status: b.Node.Is.Status, Limits: api.Limits{Run: c.run, HelpNow: c.help,
			Sensors: make([]api.LimitSensor, c.sensors)}, Known: true, Reachable: c.run != "", Lost: desktest.Noon}
		bar.told(l)
		win.Resize(fyne.NewSize(1000, 140))
		for mode, button := range bar.modes.buttons {
			if c.run != "" && (button.Importance == widget.HighImportance) != (mode == c.run) {
				t.Errorf("%q holds, and %q is shown so: %v", c.run, mode, button.Importance)
			}
		}
		if bar.keep.Visible() != c.help || bar.modes.buttons[api.RunAway].Disabled() != (c.sensors == 0) {
			t.Errorf("%+v: offered %v, away disabled %v", c, bar.keep.Visible(),
				bar.modes.buttons[api.RunAway].Disabled())
		}
		if now := bar.ground.MinSize().Height; height != 0 && now != height {
			t.Errorf("%+v: it is %v high, was %v", c, now, height)
		} else {
			height = now
		}
	}
	test.Tap(bar.modes.buttons[api.RunOff])
	b.Until(t, "the mode", func() bool { return slices.Contains(b.Node.Did(), "run off") })
}

// A command to a node that is gone is answered in the user's language, not with what the network says.
func TestCommand_ToANodeThatIsGone(t *testing.T) {
	b := desktest.NewBench(t, "de", "light")
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("%w: dial tcp 127.0.0.1:7707: connect: connection refused", api.ErrNotRunning),
			"Forage antwortet nicht."},
		{fmt.Errorf("call /api/resume: %w", context.DeadlineExceeded), "Forage antwortet nicht."},
		{errors.New("der Datenträger ist\nvoll"), "der Datenträger ist voll"},
	} {
		b.Said = nil
		b.Command("done", func(context.Context) error { return c.err }, func() { t.Error("it goes on") })
		b.Until(t, "an answer", func() bool { return len(b.Said) > 0 })
		if b.Said[0] != c.want {
			t.Errorf("of %q it says %q, want %q", c.err, b.Said[0], c.want)
		}
	}
}

func TestStatusBar_SaysThatTheNodeIsLost(t *testing.T) {
	b := desktest.NewBench(t, "de", "dark")
	started := 0
	bar := newStatusBar(b.Desk, b.Node, func() { started++ })
	bar.told(desk.Live{Known: true, Lost: desktest.Noon.Add(-90 * time.Second)})
	if bar.text.Text != "Forage antwortet nicht." ||
		bar.next.Text != "Keine Antwort seit 1 Minute 30 Sekunden. Dieses Fenster kommt von selbst zurück." {
		t.Errorf("it says %q, %q", bar.text.Text, bar.next.Text)
	}
	if bar.pause.Visible() || !bar.begin.Visible() {
		t.Error("it can be paused, or not started")
	}
	test.Tap(bar.begin)
	if started != 1 {
		t.Errorf("started %d times", started)
	}
	desktest.Picture(t, "statusbar", bar.ground, true, 700, 120)
}

// An end in order is no alarm: it says so calmly, and how to start again.
func TestStatusBar_StoppedInOrder(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	bar := newStatusBar(b.Desk, b.Node, func() {})
	l := desk.Live{Known: true, Lost: desktest.Noon.Add(-time.Minute), Stopped: true, Limits: api.Limits{Fault: "x"}}
	bar.told(l)
	if bar.text.Text != "Stopped." || bar.next.Visible() || !bar.begin.Visible() || bar.drawn != moodPaused {
		t.Errorf("it says %q, %q; start %v, mood %d", bar.text.Text, bar.next.Text, bar.begin.Visible(), bar.drawn)
	}
	if !knowsLab {
		l.Status.Lab = true
		bar = newStatusBar(b.Desk, b.Node, func() {})
		bar.told(l)
		if bar.begin.Visible() || bar.next.Text != "Start it again with forage demo" {
			t.Errorf("of a lab it says %q; start %v", bar.next.Text, bar.begin.Visible())
		}
	}
	b2 := desk.Live{Known: true, Lost: desktest.Noon}
	bar.told(b2)
	if bar.text.Text != "Forage does not answer." || bar.drawn != moodProblem {
		t.Errorf("of a node that is lost it says %q, mood %d", bar.text.Text, bar.drawn)
	}
}

// What the node says last tells an end from a loss.
func TestWindow_KnowsAnEndInOrder(t *testing.T) {
	a := desktest.NewApp(t)
	a.Settings().SetTheme(look.NewTheme("light"))
	node := desktest.NewStandIn()
	w := newWindow(a, Config{Node: node, Lang: "en"}, a.Loop().Do)
	t.Cleanup(w.close)
	w.begin()
	w.told(desk.Live{Reachable: true, Status: node.Is.Status})
	w.happened([]api.Event{{Kind: api.KindNode, Code: api.CodeStopping, Time: desktest.Noon}}, false)
	w.told(desk.Live{Reachable: true, Status: node.Is.Status}) // asked before that
	w.told(desk.Live{})
	if got := w.bar.text.Text; got != "Stopped." {
		t.Errorf("after an end it says %q", got)
	}
	next := node.Is.Status
	next.Started = desktest.Noon.Add(time.Minute)
	w.told(desk.Live{Reachable: true, Status: next})
	w.told(desk.Live{})
	if got := w.bar.text.Text; got != "Forage does not answer." {
		t.Errorf("after a loss it says %q", got)
	}
}

func TestStatusBar_Moods(t *testing.T) {
	for _, c := range []struct {
		is   desk.Live
		want mood
	}{
		{desk.Live{}, moodProblem},
		{desk.Live{Reachable: true, Status: api.Status{State: api.StateWorking}}, moodWorking},
		{desk.Live{Reachable: true, Status: api.Status{State: api.StateWaiting}}, moodWaiting},
		{desk.Live{Reachable: true, Status: api.Status{State: api.StatePaused}}, moodPaused},
		{desk.Live{Reachable: true, Status: api.Status{State: api.StateWaiting,
			Cure: api.Cure{Trouble: api.TroubleFruitless}}}, moodProblem},
		{desk.Live{Reachable: true, Status: api.Status{State: api.StateWorking}, Limits: api.Limits{Fault: "x"}},
			moodProblem},
	} {
		if got := moodOf(c.is); got != c.want {
			t.Errorf("moodOf(%+v) = %d, want %d", c.is, got, c.want)
		}
	}
}

// The window begins with the first run where nobody has agreed, and turns pages by key and mouse.
func TestWindow_TurnsPages(t *testing.T) {
	a := desktest.NewApp(t)
	a.Settings().SetTheme(look.NewTheme("light"))
	node := desktest.NewStandIn()
	w := newWindow(a, Config{Node: node, Lang: "en", Page: desk.PageStatistics}, new(desktest.Loop).Do)
	t.Cleanup(w.close)
	w.begin()
	if w.inFirst() || w.pages[w.now].name != desk.PageStatistics || !w.items[3].selected {
		t.Errorf("it begins with page %d, first run %v", w.now, w.inFirst())
	}
	test.Tap(w.items[2])
	if w.pages[w.now].name != desk.PageDomains {
		t.Errorf("a tap leads to page %d", w.now)
	}
	w.items[4].TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	if w.pages[w.now].name != desk.PageSettings || w.items[2].selected {
		t.Errorf("a key leads to page %d", w.now)
	}
	w.Show("no such page")
	if w.now != 0 {
		t.Errorf("a page that is none leads to %d", w.now)
	}
	w.told(desk.Live{Reachable: true})
	if !w.inFirst() {
		t.Error("nobody has agreed, and the first run does not come")
	}
	w.setUp()
	if w.inFirst() {
		t.Error("the first run does not end")
	}
}

// What the node or a program could not do is said in the user's language, paths as they are.
func TestDesk_SaysTroubleInTheUsersLanguage(t *testing.T) {
	d := &desk.Desk{Speech: speech.Speech{Lang: "de"}}
	for _, c := range []struct {
		err  error
		want string
	}{
		{api.ErrNotRunning, "Forage antwortet nicht."},
		{words.New("said.open.start-window", words.Args{"error": words.New("said.open.find",
			words.Args{"name": "forage-window", "error": errors.New("no such thing")})}),
			"das Fenster starten: forage-window finden: no such thing"},
		{words.New("said.open.no-answer-yet", words.Args{"path": "/x/forage.log", "error": errors.New("late")}),
			"der Knoten antwortet noch nicht, siehe /x/forage.log: late"},
	} {
		if got := d.Trouble(c.err); got != c.want {
			t.Errorf("trouble(%v) = %q, want %q", c.err, got, c.want)
		}
	}
}
