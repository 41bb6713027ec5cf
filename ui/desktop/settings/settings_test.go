package settings

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/settings/schema/schematest"
	"github.com/forage-net/forage/ui/desktop/boxes"
	"github.com/forage-net/forage/ui/desktop/controls"
	"github.com/forage-net/forage/ui/desktop/desktest"
	"github.com/forage-net/forage/ui/desktop/week"
)

// typeIn puts a text into a line as typing does.
func typeIn(f *textField, text string) {
	f.SetText("")
	test.Type(f, text)
}

func (o *office) amount(t *testing.T, key string) *amountEditor {
	t.Helper()
	e, ok := o.field(t, key).editor.(*amountEditor)
	if !ok {
		t.Fatalf("%s is no amount", key)
	}
	return e
}

func TestSettings_ChangesAtOnceAndUndoes(t *testing.T) {
	o := newOffice(t, "en", "light", 900, 700)
	box := o.field(t, "pause.battery").editor.(yesNo).TickBox
	if !box.Checked {
		t.Fatal("pause.battery is not ticked")
	}
	test.Tap(box)
	o.Until(t, "the change", func() bool { return len(o.Offers) == 1 })
	if !slices.Equal(o.sent("pause.battery"), []string{`"no"`}) || box.Checked ||
		o.Said[0] != "Saved: "+o.field(t, "pause.battery").is.Name+"." {
		t.Errorf("sent %q, said %q", o.sent("pause.battery"), o.Said)
	}
	if !o.field(t, "pause.battery").reset.Visible() {
		t.Error("it cannot be reset")
	}
	o.Offers[0]()
	o.Until(t, "the undoing", func() bool { return box.Checked })
	if !slices.Equal(o.sent("pause.battery"), []string{`"no"`, "reset"}) || o.Said[1] != "Undone." ||
		len(o.Offers) != 1 {
		t.Errorf("sent %q, said %q", o.sent("pause.battery"), o.Said)
	}
}

func TestSettings_StartsWithTheComputer(t *testing.T) {
	o := newOffice(t, "de", "light", 900, 1300)
	if o.p.startup.Visible() {
		t.Error("it is offered where the node cannot do it")
	}
	o.k.Change(func(s *desktest.StandIn) { s.Is.Setup.Startup.Possible = true })
	o.p.poll.Again()
	o.Until(t, "the offer", o.p.startup.Visible)
	desktest.Settle(o.win)
	desktest.PictureOf(t, "", o.win.Canvas(), false)
	test.Tap(o.p.starts)
	o.Until(t, "the computer to be told", func() bool { return slices.Contains(o.k.Did(), "startup true") })
	o.k.Change(func(s *desktest.StandIn) { s.Is.Setup.Startup.On = false }) // elsewhere
	o.p.poll.Again()
	o.Until(t, "what holds", func() bool { return !o.p.starts.Checked })
}

func TestSettings_SaysWhatIsWrongAtTheField(t *testing.T) {
	o := newOffice(t, "en", "light", 860, 1300)
	f, e := o.field(t, "budget.full.cpu_percent"), o.amount(t, "budget.full.cpu_percent")
	typeIn(e.field, "250")
	o.Until(t, "what is wrong", func() bool { return f.problem.Visible() })
	if text := f.problem.Text; !strings.Contains(text, f.is.Range) || !strings.Contains(text, "In force now: 25") {
		t.Errorf("it says %q", text)
	}
	if n := len(o.sent(f.is.Key)); n != 0 {
		t.Errorf("it was saved %d times before Enter", n)
	}
	e.field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	o.k.Set(t, f.is.Key, "30") // another front end
	o.p.poll.Again()
	o.Until(t, "the other value", func() bool { return f.is.Text == "30" })
	if e.field.Text != "250" || !strings.Contains(f.problem.Text, "In force now: 30") {
		t.Errorf("what was typed became %q; it says %q", e.field.Text, f.problem.Text)
	}
	e.field.Entry.FocusLost() // its cursor blinks
	desktest.Settle(o.win)
	desktest.PictureOf(t, "", o.win.Canvas(), false)
	e.field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if e.field.Text != "30" || f.problem.Visible() || e.slide.Value != 30 {
		t.Errorf("after Escape it is %q, slider %v", e.field.Text, e.slide.Value)
	}
	typeIn(e.field, "40")
	e.field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	o.Until(t, "the right value", func() bool { return f.is.Text == "40" && f.draft == nil })
}

func TestSettings_SlidesAndSavesOnce(t *testing.T) {
	o := newOffice(t, "en", "light", 900, 700)
	e := o.amount(t, "budget.full.cpu_percent")
	for range 3 {
		e.slide.TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	}
	if e.field.Text != "28" {
		t.Errorf("the slider writes %q", e.field.Text)
	}
	o.Until(t, "the change", func() bool { return len(o.Offers) == 1 })
	if got := o.sent("budget.full.cpu_percent"); !slices.Equal(got, []string{`"28"`}) {
		t.Errorf("sent %q", got)
	}
}

func TestSettings_UnitsAndLimits(t *testing.T) {
	o := newOffice(t, "en", "light", 900, 700)
	e := o.amount(t, "data.day")
	o.win.Canvas().Focus(e.field)
	typeIn(e.field, "500")
	o.win.Canvas().Focus(e.unit) // leaving the number for its unit saves nothing
	e.unit.SetSelected("MB")
	o.Until(t, "the change", func() bool { return len(o.sent("data.day")) == 1 })
	if got := o.sent("data.day"); got[0] != `"500 MB"` {
		t.Errorf("sent %q", got)
	}
	o.Until(t, "its answer", func() bool { return o.field(t, "data.day").is.Text == "500 MB" })
	test.Tap(e.none)
	o.Until(t, "no limit", func() bool { return !e.row.Visible() })
	test.Tap(e.none)
	o.Until(t, "a limit again", func() bool { return e.row.Visible() })
	if got := o.sent("data.day"); !slices.Equal(got, []string{`"500 MB"`, `"-1"`, `"1 GB"`}) {
		t.Errorf("sent %q", got)
	}
	o.win.Canvas().Focus(e.field)
	typeIn(e.field, "3")
	o.win.Canvas().Unfocus() // and leaving it altogether does
	o.Until(t, "the last", func() bool { return len(o.sent("data.day")) == 4 })
	wait := o.amount(t, "idle.after")
	typeIn(wait.field, "2")
	wait.unit.SetSelected("hours")
	o.Until(t, "hours", func() bool { return slices.Equal(o.sent("idle.after"), []string{`"2 h"`}) })
}

func TestSettings_PaintsTheWeek(t *testing.T) {
	o := newOffice(t, "en", "light", 900, 700)
	e := o.field(t, "schedule.work").editor.(*weekEditor)
	controls.Focus(e.painter.Grid)
	for _, key := range []fyne.KeyName{fyne.KeyHome, fyne.KeyLeft, fyne.KeySpace, fyne.KeyDown, fyne.KeySpace} {
		e.painter.Grid.TypedKey(&fyne.KeyEvent{Name: key})
	}
	o.Until(t, "the change", func() bool { return len(o.Offers) == 1 })
	got := o.k.Changes
	if len(got) != 1 {
		t.Fatalf("%d changes", len(got))
	}
	s, _ := o.p.find("schedule.work")
	if w, ok := week.Of(s.Levels); !ok || w != aWeek(t, "wed-sun full") {
		t.Errorf("the week is %q", s.Text)
	}
	o.Offers[0]()
	o.Until(t, "the undoing", func() bool { return e.painter.Painted() == aWeek(t, "all full") })
	net := o.field(t, "schedule.net").editor.(*weekEditor)
	if net.painter.Box.Visible() || !net.same.Checked {
		t.Fatal("the network has hours of its own")
	}
	test.Tap(net.same)
	o.Until(t, "the other week", func() bool { return net.painter.Box.Visible() })
	test.Tap(net.same)
	o.Until(t, "the same week", func() bool { return !net.painter.Box.Visible() })
}

// The page may hear of a change from its next question before the change itself is answered.
func TestSettings_HearsOfAChangeTwice(t *testing.T) {
	o := newOffice(t, "en", "light", 900, 700)
	o.p.Shown(false) // it asks nothing by itself
	net := o.field(t, "schedule.net").editor.(*weekEditor)
	test.Tap(net.same)
	o.Await(t)
	is, err := o.k.Settings(o.Ctx, "en")
	if err != nil || len(o.sent("schedule.net")) != 1 {
		t.Fatalf("sent %q, %v", o.sent("schedule.net"), err)
	}
	o.p.answered(is)
	o.Until(t, "the other week", func() bool { return !o.p.saving })
	if !net.painter.Box.Visible() {
		t.Error("the week that was saved is not shown")
	}
}

func TestSettings_ListsAndTopics(t *testing.T) {
	o := newOffice(t, "en", "light", 900, 700)
	e := o.field(t, "pause.apps").editor.(*listEditor)
	typeIn(e.field, " blender ")
	e.field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	o.Until(t, "one", func() bool { return len(listOf(o.field(t, "pause.apps").is.Value)) == 1 })
	typeIn(e.field, "steam")
	test.Tap(e.add)
	test.Tap(e.add) // nothing is there to add
	o.Until(t, "two", func() bool { return len(e.rows.Objects) == 2 && len(o.sent("pause.apps")) == 2 })
	e.less("blender")
	o.Until(t, "one again", func() bool { return len(o.sent("pause.apps")) == 3 })
	if got := o.sent("pause.apps"); !slices.Equal(got, []string{`["blender"]`, `["blender","steam"]`, `["steam"]`}) {
		t.Errorf("sent %q", got)
	}
	topics := o.field(t, "topics.never").editor.(*ticksEditor)
	test.Tap(topics.boxes[0])
	test.Tap(topics.boxes[2])
	o.Until(t, "the topics", func() bool { return len(o.sent("topics.never")) == 1 })
	if got := o.sent("topics.never"); got[0] != `["adult","dating"]` {
		t.Errorf("sent %q", got)
	}
}

func TestSettings_PresetsAndChoices(t *testing.T) {
	o := newOffice(t, "en", "light", 900, 700)
	if o.p.choices[1].On {
		t.Error("a preset that is not in force is marked")
	}
	test.Tap(o.p.choices[1])
	o.Until(t, "the preset", func() bool { return o.p.choices[1].On && !o.p.custom.Visible() })
	if o.Said[0] != "Saved: 2 settings." {
		t.Errorf("said %q", o.Said)
	}
	if o.p.fields["budget.gentle.cpu_percent"] == nil {
		t.Error("all work is gentle, and its budget is not on the page")
	}
	picker := o.field(t, "level.in_use").editor.(choiceEditor).picker
	picker.SetSelectedIndex(slices.Index(picker.values, "full"))
	o.Until(t, "the choice", func() bool { return !o.p.choices[1].On && o.p.custom.Visible() })
	if o.p.fields["budget.full.cpu_percent"] == nil {
		t.Error("some work is full, and its budget is not on the page")
	}
	o.k.Set(t, "level.in_use", "off")
	o.k.Set(t, "level.away", "gentle")
	o.p.poll.Again()
	o.Until(t, "the other budget", func() bool { return o.p.fields["budget.gentle.cpu_percent"] != nil })
	test.Tap(o.field(t, "level.in_use").reset)
	o.Until(t, "the reset", func() bool { return slices.Contains(o.sent("level.in_use"), "reset") })
}

func TestSettings_NodeFails(t *testing.T) {
	o := newOffice(t, "en", "light", 900, 700)
	f := o.field(t, "pause.metered")
	box := f.editor.(yesNo).TickBox
	o.k.Change(func(s *desktest.StandIn) { s.Err = api.ErrNotRunning })
	test.Tap(box)
	o.Until(t, "what is wrong", func() bool { return f.problem.Visible() })
	if text := f.problem.Text; text != "Forage does not answer. In force now: Yes." || box.Checked {
		t.Errorf("it says %q, ticked %v", text, box.Checked)
	}
	o.k.Change(func(s *desktest.StandIn) { s.Err = nil })
	o.p.poll.Again() // what was wanted is done when the node is back
	o.Until(t, "the change", func() bool { return f.is.Text == "no" && !f.problem.Visible() && f.draft == nil })
	o.k.Change(func(s *desktest.StandIn) { s.Refuse = errors.New("the disk is full") })
	test.Tap(o.p.choices[0])
	o.Until(t, "what is wrong with the preset", func() bool { return slices.Contains(o.Said, "the disk is full") })
	test.Tap(f.reset)
	n := len(o.Said)
	o.Until(t, "what is wrong with the reset", func() bool { return len(o.Said) > n })
}

func TestSettings_FaultsAndRestarts(t *testing.T) {
	o := newOffice(t, "de", "light", 860, 1250)
	o.k.Change(func(s *desktest.StandIn) { s.Is.Settings.Fault = "Zeile 3 ist falsch." })
	o.k.Tweak = func(is *api.Settings) {
		for i := range is.Settings {
			is.Settings[i].Pending = is.Settings[i].Key == "web.addr"
		}
		more := &is.Cards[3]
		more.Rows = append(more.Rows, api.SettingsRow{Key: "web.addr", Label: "Adresse"})
	}
	o.p.poll.Again()
	o.Until(t, "the fault", func() bool { return o.p.fault.box.Visible() })
	if o.p.fault.text.Text != "Zeile 3 ist falsch. /home/me/.config/forage/config.toml" || !o.p.pending.box.Visible() {
		t.Errorf("it says %q and %q", o.p.fault.text.Text, o.p.pending.text.Text)
	}
	f := o.field(t, "web.addr")
	if f.badge.Text != o.T("set.pending") {
		t.Errorf("the badge is %q", f.badge.Text)
	}
	e := f.editor.(textEditor)
	typeIn(e.field, "127.0.0.1:1")
	e.field.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	o.Until(t, "the change", func() bool { return len(o.sent("web.addr")) == 1 })
	e.field.Entry.FocusLost()
	desktest.Settle(o.win)
	desktest.PictureOf(t, "", o.win.Canvas(), false)
}

// A page that nobody looks at asks nothing.
func TestSettings_RestsUnseen(t *testing.T) {
	o := newOffice(t, "en", "light", 900, 700)
	o.p.Shown(false)
	o.k.Set(t, "pause.battery", "no")
	o.p.poll.Again()
	o.Step()
	if o.p.poll.Running() || o.field(t, "pause.battery").is.Text != "yes" {
		t.Error("it goes on asking")
	}
	var link bool
	walk(o.p.Content(), func(at fyne.CanvasObject) {
		if l, ok := at.(*widget.Hyperlink); ok && l.Text == o.T("set.toall") {
			l.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
			link = true
		}
	})
	if !link || !slices.Equal(o.Routes, []string{"settings"}) {
		t.Errorf("the link leads to %q", o.Routes)
	}
}

// Answers change nothing before the UI goroutine has them.
func TestSettings_AnswersWaitForTheirGoroutine(t *testing.T) {
	b := desktest.NewBench(t, "en", "light")
	p := New(b.Desk, desktest.NewKeeper(t, b.Node))
	test.NewTempWindow(t, p.Content())
	p.Shown(true)
	t.Cleanup(func() { p.Shown(false) })
	b.Await(t)
	if p.have || len(p.fields) > 0 {
		t.Error("the page was built elsewhere")
	}
	b.Until(t, "the page", func() bool { return len(p.fields) > 0 && len(p.choices) > 0 })
}

func TestSettings_ManyChangesAtOnce(t *testing.T) {
	o := newOffice(t, "en", "light", 900, 700)
	o.p.saving = true // as if one took long
	var last error
	for range maxChangesWaiting + 1 {
		o.p.save(change{set: map[string]any{"pause.battery": "no"}, then: func(err error) { last = err }})
	}
	if !errors.Is(last, errBusy) || len(o.p.queue) != maxChangesWaiting {
		t.Errorf("%d wait, %v", len(o.p.queue), last)
	}
	o.p.queue = nil
}

func TestSettings_Looks(t *testing.T) {
	for _, c := range []struct {
		lang, theme, stored string
		w, h                float32
	}{{"en", "light", "settings", 700, 1100}, {"de", "dark", "", 860, 1300}, {"de", "light", "", 500, 1700}} {
		o := newOffice(t, c.lang, c.theme, c.w, c.h)
		desktest.PictureOf(t, c.stored, o.win.Canvas(), c.theme == "dark")
	}
}

// What the node adds to its schema is on the page, with an editor of its kind, and nothing here knows of it.
func TestSettings_DrawsWhatIsAdded(t *testing.T) {
	o := newOffice(t, "en", "light", 900, 700)
	o.k.Tweak = schematest.Add
	o.p.poll.Again()
	o.Until(t, "the card", func() bool { return o.p.fields[schematest.Key(api.ControlText)] != nil })
	seen := desktest.Seen(o.p.Content())
	for _, c := range schematest.Controls {
		f := o.field(t, schematest.Key(c))
		if f.editor.object().MinSize().IsZero() || f.label() != schematest.Label(c) ||
			!f.editor.named() && !strings.Contains(seen, schematest.Label(c)) {
			t.Errorf("%s is not drawn", c)
		}
		if _, isText := f.editor.(textEditor); isText != (c == api.ControlText || c == schematest.Unknown) {
			t.Errorf("%s is drawn as %T", c, f.editor)
		}
	}
	if !strings.Contains(seen, "Made up") || !strings.Contains(seen, "Note on week") {
		t.Error("the card has no title, or no notes")
	}
}

// walk calls fn for all objects in one.
func walk(at fyne.CanvasObject, fn func(fyne.CanvasObject)) {
	fn(at)
	switch is := at.(type) {
	case *fyne.Container:
		for _, o := range is.Objects {
			walk(o, fn)
		}
	case *boxes.Surface:
		walk(is.Inside, fn)
	}
}

// aWeek is the week of a text.
func aWeek(t *testing.T, text string) week.Week {
	t.Helper()
	w, ok := week.Of(desktest.Rows(t, text))
	if !ok {
		t.Fatalf("%q is no week", text)
	}
	return w
}
