//go:build linux || freebsd || openbsd || netbsd || windows

package tray

import (
	"context"
	"runtime"
	"strings"
	"time"

	"fyne.io/systray"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/icons"
	"github.com/forage-net/forage/assets/words"
)

// The library wants the main thread, because macOS does. Here there is no macOS, and the node's own goroutine
// need not be bound to a thread.
func init() { runtime.UnlockOSThread() }

// workFor is how long "help now" works.
const workFor = 2 * time.Minute

// menu is the menu of the icon. Its entries stay the same; they are hidden and renamed.
type menu struct {
	line, trouble, open, back *systray.MenuItem
	modes                     map[api.RunMode]*systray.MenuItem
	keep, startup             *systray.MenuItem
	begun                     []*systray.MenuItem // what there is only after consent
}

// entry is what a click on a menu entry does.
type entry struct {
	item *systray.MenuItem
	what string
	do   func(context.Context) error
}

// build makes the menu and shows what is so now. Clicks are obeyed until ctx ends; t.parts waits for that.
func (t *tray) build(ctx context.Context, now view) {
	say := func(key string) string { return label(words.Text(t.Lang, key, nil)) }
	var entries []entry
	add := func(item *systray.MenuItem, what string, do func(context.Context) error) *systray.MenuItem {
		entries = append(entries, entry{item, what, do})
		return item
	}
	m := &menu{line: systray.AddMenuItem(label(now.line), "")}
	m.line.Disable()
	m.trouble = add(systray.AddMenuItem(label(now.trouble), ""), "open",
		func(context.Context) error { return t.Open(t.troublePage()) })
	systray.AddSeparator()
	m.modes = make(map[api.RunMode]*systray.MenuItem)
	for _, mode := range runModes {
		item := systray.AddMenuItemCheckbox(say("run."+string(mode)), "", mode == now.run)
		m.modes[mode] = add(item, "mode", func(ctx context.Context) error { return t.Node.SetRun(ctx, mode) })
		m.begun = append(m.begun, item)
	}
	m.keep = systray.AddMenuItem(say("keep.menu"), "")
	for _, k := range keeps {
		do := func(ctx context.Context) error { return t.Node.Work(ctx, k.length) }
		add(m.keep.AddSubMenuItem(say(k.key), ""), "work", do)
	}
	pause := systray.AddMenuItem(say("pause.menu"), "")
	for _, p := range t.pauses() {
		add(pause.AddSubMenuItem(say(p.key), ""), "pause",
			func(ctx context.Context) error { return t.Node.Pause(ctx, p.length()) })
	}
	m.back = add(systray.AddMenuItem(label(now.back), ""), "resume", t.Node.Resume)
	work := add(systray.AddMenuItem(say("pause.work"), ""), "work",
		func(ctx context.Context) error { return t.Node.Work(ctx, workFor) })
	finish := add(systray.AddMenuItem(say("pause.finish"), ""), "finish", t.Node.Finish)
	m.open = add(systray.AddMenuItem(label(now.open), ""), "open", t.open(PageWindow))
	dashboard := add(systray.AddMenuItem(say("tray.dashboard"), ""), "dashboard", t.open(PageDashboard))
	settings := add(systray.AddMenuItem(say("tray.settings"), ""), "settings", t.open(PageSettings))
	m.startup = add(systray.AddMenuItemCheckbox(say("startup.name"), "", now.startup.On), "startup",
		func(ctx context.Context) error { return t.Node.SetStartup(ctx, !t.Node.Startup().On) })
	systray.AddSeparator()
	systray.AddMenuItem(say("tray.quit.note"), "").Disable()
	add(systray.AddMenuItem(say("tray.quit"), say("tray.quit.note")), "quit", t.Node.Stop)
	m.begun = append(m.begun, pause, work, finish, dashboard, settings)
	visible(now.keep, m.keep)
	visible(now.trouble != "", m.trouble)
	visible(now.back != "", m.back)
	visible(now.begun, m.begun...)
	visible(now.startup.Possible, m.startup)
	able(now.watched, m.modes[api.RunAway])
	t.menu, t.shown = m, now
	for _, e := range entries {
		t.parts.Go(func() { t.obey(ctx, e) })
	}
	t.parts.Go(func() { t.obeyTaps(ctx) })
}

// pauseFor is an entry of the menu "Pause".
type pauseFor struct {
	key    string
	length func() time.Duration
}

func (t *tray) pauses() []pauseFor {
	for_ := func(d time.Duration) func() time.Duration { return func() time.Duration { return d } }
	return []pauseFor{
		{"pause.15m", for_(15 * time.Minute)}, {"pause.1h", for_(time.Hour)}, {"pause.3h", for_(3 * time.Hour)},
		{"pause.8h", for_(8 * time.Hour)},
		{"pause.tomorrow", func() time.Duration { return api.UntilTomorrow(time.Now()) }}, {"pause.forever", for_(0)},
	}
}

// obey does what an entry says at each click.
func (t *tray) obey(ctx context.Context, e entry) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.item.ClickedCh:
			t.act(ctx, e.what, e.do)
		}
	}
}

// obeyTaps opens the window when the icon itself is clicked.
func (t *tray) obeyTaps(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.tapped:
			t.act(ctx, "open", t.open(PageWindow))
		}
	}
}

// tap is called by the library when the icon is clicked. It must not wait.
func (t *tray) tap() {
	select {
	case t.tapped <- struct{}{}:
	default:
	}
}

// apply shows what differs from what is shown. Each change makes desktops ask for the menu again.
func (t *tray) apply(to view) {
	was := t.shown
	if t.partly {
		was = to.opposite()
	}
	t.setPage(to.page)
	t.shown, t.partly = to, true
	if to.icon != was.icon {
		systray.SetIcon(icons.Tray(to.icon, runtime.GOOS))
	}
	if to.tooltip != was.tooltip {
		systray.SetTooltip(tip(to.tooltip))
	}
	m := t.menu
	rename(m.line, was.line, to.line)
	rename(m.open, was.open, to.open)
	if rename(m.trouble, was.trouble, to.trouble); (to.trouble == "") != (was.trouble == "") {
		visible(to.trouble != "", m.trouble)
	}
	if rename(m.back, was.back, to.back); (to.back == "") != (was.back == "") {
		visible(to.back != "", m.back)
	}
	if to.begun != was.begun {
		visible(to.begun, m.begun...)
	}
	if to.keep != was.keep {
		visible(to.keep, m.keep)
	}
	if to.watched != was.watched {
		able(to.watched, m.modes[api.RunAway])
	}
	if to.startup.Possible != was.startup.Possible {
		visible(to.startup.Possible, m.startup)
	}
	if to.startup.On != was.startup.On {
		check(to.startup.On, m.startup)
	}
	if to.run != was.run {
		for _, mode := range runModes {
			check(mode == to.run, m.modes[mode])
		}
	}
	t.partly = false
}

// keeps are for how long it can go on although its user is there.
var keeps = []struct {
	key    string
	length time.Duration
}{{"keep.15m", 15 * time.Minute}, {"keep.1h", time.Hour}}

// runModes are the modes in the order of the menu.
var runModes = []api.RunMode{api.RunAlways, api.RunAway, api.RunOff}

func check(yes bool, item *systray.MenuItem) {
	if yes {
		item.Check()
	} else {
		item.Uncheck()
	}
}

func able(yes bool, item *systray.MenuItem) {
	if yes {
		item.Enable()
	} else {
		item.Disable()
	}
}

// rename gives an entry another text; one that is about to be hidden keeps its own.
func rename(item *systray.MenuItem, was, to string) {
	if to != was && to != "" {
		item.SetTitle(label(to))
	}
}

func visible(yes bool, items ...*systray.MenuItem) {
	for _, item := range items {
		if yes {
			item.Show()
		} else {
			item.Hide()
		}
	}
}

// label returns a text as menus need it: one of their letters would be underlined else.
func label(s string) string {
	if runtime.GOOS == "windows" {
		return strings.ReplaceAll(s, "&", "&&")
	}
	return strings.ReplaceAll(s, "_", "__")
}

// tip returns a text as tooltips need it: on Windows they are short.
func tip(s string) string {
	if runtime.GOOS == "windows" {
		return short(s, 120)
	}
	return s
}
