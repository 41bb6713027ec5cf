//go:build unix

package tray

import (
	"bytes"
	"fmt"
	"image/png"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/icons"
	"github.com/forage-net/forage/ui/tray/traytest"
)

var (
	isWorking = api.Glance{State: api.StateWorking, Sentence: "Working. 3 pages in the last minute.", Consent: true, Mode: api.ModeAuto, Run: api.RunAway, Watched: true, Pages: 7}
	isPaused  = api.Glance{State: api.StatePaused, Sentence: "Paused until 18:00 (you asked).", Consent: true, Mode: api.ModePaused, Run: api.RunOff, Watched: true, Resting: "paused", Pages: 7}
	isWaiting = api.Glance{State: api.StateWaiting, Sentence: "Waiting: a_b & c.", Consent: true, Mode: api.ModeWork, Run: api.RunAlways, Pages: 7}
	isFaulty  = api.Glance{State: api.StateWorking, Sentence: "Working.", Consent: true, Mode: api.ModeAuto, Troubles: []api.Trouble{api.TroubleSettings}, Run: api.RunAway, Watched: true, HelpNow: true, Pages: 7}
	isNew     = api.Glance{State: api.StatePaused, Sentence: "Paused: not agreed yet.", Mode: api.ModeAuto, Resting: "no_consent"}
)

// want are the menus of these states.
const (
	pauseMenu  = "Pause\n> For 15 minutes\n> For 1 hour\n> For 3 hours\n> For 8 hours\n> Until tomorrow at 6\n> Until I resume\n"
	rest3      = "Help now for 2 minutes\nFinish, then quit\nOpen Forage\nDashboard in the browser\nSettings\nStart with my computer\n-\n[Quit stops helping. Closing the window keeps helping.]\nQuit\n"
	pausiert   = "Anhalten\n> Für 15 Minuten\n> Für 1 Stunde\n> Für 3 Stunden\n> Für 8 Stunden\n> Bis morgen um 6 Uhr\n> Bis ich fortsetze\n"
	restGerman = "Jetzt 2 Minuten helfen\nFertig machen und beenden\nForage öffnen\nDashboard im Browser\nEinstellungen\nMit meinem Computer starten\n-\n" +
		"[„Beenden“ beendet die Hilfe, das Fenster zu schließen nicht.]\nBeenden\n"
)

const (
	modesAway   = "Always\nWhen I'm away ✓\nOff\n"
	modesOff    = "Always\nWhen I'm away\nOff ✓\n"
	modesAlways = "Always ✓\n[When I'm away]\nOff\n"
	keepGoing   = "Keep going while I watch\n> 15 minutes\n> 1 hour\n"
	// The same in German.
	wennWeg       = "Immer\nWenn ich weg bin ✓\nAus\n"
	aus           = "Immer\nWenn ich weg bin\nAus ✓\n"
	immer         = "Immer ✓\n[Wenn ich weg bin]\nAus\n"
	weiterarbeite = "Trotzdem weiterarbeiten\n> 15 Minuten\n> 1 Stunde\n"
)

// One after the other, on one icon: what differs is changed, and all of it.
func TestTray_ShowsEachState(t *testing.T) {
	type step struct {
		is   api.Glance
		icon icons.State
		menu string
	}
	for locale, steps := range map[string][]step{
		"en_GB.UTF-8": {
			{isNew, icons.Paused, "[Paused: not agreed yet.]\n-\nOpen to begin\n-\n[Quit stops helping. Closing the window keeps helping.]\nQuit\n"},
			{isWorking, icons.Working, "[Working. 3 pages in the last minute.]\n-\n" + modesAway + pauseMenu + rest3},
			{isPaused, icons.Paused, "[Paused until 18:00 (you asked).]\n-\n" + modesOff + pauseMenu + "Resume\n" + rest3},
			{isWaiting, icons.Waiting, "[Waiting: a__b & c.]\n-\n" + modesAlways + pauseMenu + "Back to my limits\n" + rest3},
			{isFaulty, icons.Problem, "[Working.]\nFault in the settings file: show it\n-\n" + modesAway + keepGoing + pauseMenu + rest3},
			{isNew, icons.Paused, "[Paused: not agreed yet.]\n-\nOpen to begin\n-\n[Quit stops helping. Closing the window keeps helping.]\nQuit\n"},
		},
		"de_DE.UTF-8": {
			{isWaiting, icons.Waiting, "[Waiting: a__b & c.]\n-\n" + immer + pausiert + "Zurück zu meinen Grenzen\n" + restGerman},
			{isPaused, icons.Paused, "[Paused until 18:00 (you asked).]\n-\n" + aus + pausiert + "Fortsetzen\n" + restGerman},
			{isFaulty, icons.Problem, "[Working.]\nFehler in der Einstellungsdatei: anzeigen\n-\n" + wennWeg + weiterarbeite + pausiert + restGerman},
			{isWorking, icons.Working, "[Working. 3 pages in the last minute.]\n-\n" + wennWeg + pausiert + restGerman},
		},
	} {
		t.Run(locale, func(t *testing.T) {
			t.Parallel()
			bus := traytest.StartBus(t, "")
			watcher := traytest.NewWatcher(t, bus, true)
			c := startChild(t, bus, locale, steps[0].is)
			item := watcher.Item()
			if item.ID() != "forage" {
				t.Errorf("it is called %q", item.ID())
			}
			for i, s := range steps {
				if i > 0 {
					c.glance(s.is)
				}
				traytest.Until(t, s.is.Sentence, func() bool { return item.Tooltip() == s.is.Sentence })
				traytest.Until(t, "the menu of "+s.is.Sentence+"\n"+item.Text(), func() bool { return item.Text() == s.menu })
				if got, want := item.Icon(), pixels(t, s.icon); got.W != want.W || !bytes.Equal(got.ARGB, want.ARGB) {
					t.Errorf("%s: another icon", s.is.Sentence)
				}
			}
			c.end(false)
			traytest.Until(t, "the icon to go", item.Gone)
		})
	}
}

// pixels returns the icon of a state as panels get it.
func pixels(t *testing.T, s icons.State) traytest.Pixels {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(icons.Tray(s, runtime.GOOS)))
	if err != nil {
		t.Fatal(err)
	}
	p := traytest.Pixels{W: int32(img.Bounds().Dx()), H: int32(img.Bounds().Dy())}
	for y := range int(p.H) {
		for x := range int(p.W) {
			r, g, b, a := img.At(x, y).RGBA()
			p.ARGB = append(p.ARGB, byte(a), byte(r), byte(g), byte(b))
		}
	}
	return p
}

func TestTray_EachEntryDoesWhatItSays(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t, "")
	watcher := traytest.NewWatcher(t, bus, true)
	trouble := isWaiting
	trouble.Troubles, trouble.Watched, trouble.HelpNow = []api.Trouble{api.TroubleRefused}, true, true
	c := startChild(t, bus, "C", trouble)
	item := watcher.Item()
	for _, e := range [][2]string{
		{"For 15 minutes", "pause 15m0s"}, {"For 1 hour", "pause 1h0m0s"}, {"For 3 hours", "pause 3h0m0s"}, {"For 8 hours", "pause 8h0m0s"},
		{"Until I resume", "pause 0s"}, {"Back to my limits", "resume"}, {"Help now for 2 minutes", "work 2m0s"}, {"Finish, then quit", "finish"},
		{"Always", "run always"}, {"When I'm away", "run away"}, {"Off", "run off"}, {"15 minutes", "work 15m0s"}, {"1 hour", "work 1h0m0s"},
		{"Open Forage", `open ""`}, {"Dashboard in the browser", `open "dashboard"`}, {"Settings", `open "settings"`},
		{"Start with my computer", "startup true"}, {"Start with my computer", "startup false"},
		{"Many sites refuse this address: see why", `open "dashboard"`}, {"Quit", "stop"},
	} {
		item.Click(e[0])
		c.hears(e[1])
	}
	item.Click("Until tomorrow at 6")
	var d time.Duration
	if _, err := fmt.Sscanf(c.hears("pause "), "pause %s", durationOf{&d}); err != nil {
		t.Error(err)
	}
	if want := api.UntilTomorrow(time.Now()); (d - want).Abs() > time.Minute {
		t.Errorf("until tomorrow it is %s, want %s", d, want)
	}
	item.Tap()
	c.hears(`open ""`)
	c.end(false)
}

type durationOf struct{ d *time.Duration }

func (d durationOf) Scan(s fmt.ScanState, _ rune) error {
	token, err := s.Token(true, nil)
	if err == nil {
		*d.d, err = time.ParseDuration(string(token))
	}
	return err
}

// What has not changed is not sent again: panels would close menus that are open.
func TestTray_SendsOnlyChanges(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t, "")
	watcher := traytest.NewWatcher(t, bus, true)
	c := startChild(t, bus, "C", isWorking)
	item := watcher.Item()
	_, before := item.Menu()
	begun := before
	traytest.Until(t, "the submenus", func() bool { // of which the library tells a moment after it was first asked
		_, before = item.Menu()
		return before > begun
	})
	for range 3 {
		c.glance(isWorking)
	}
	changed := isWorking
	changed.Sentence = "Working gently."
	c.glance(changed)
	traytest.Until(t, "the change", func() bool { return item.Tooltip() == changed.Sentence })
	traytest.Until(t, "its line", func() bool { return strings.HasPrefix(item.Text(), "[Working gently.]") })
	if _, after := item.Menu(); after != before+1 {
		t.Errorf("%d changes, want 1", after-before)
	}
	c.end(false)
}

// Panels come late, go, and are started again.
func TestTray_HostComesAndGoes(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t, "")
	c := startChild(t, bus, "C", isWorking)
	c.hears("seen false")
	if line := c.hears("log "); !strings.Contains(line, "level=INFO msg=\"No tray here: the app icon") || !strings.Contains(line, "the desktop shows none") {
		t.Error(line)
	}
	first := traytest.NewWatcher(t, bus, false)
	item := first.Item()
	first.SetHost(true)
	c.hears("seen true")
	first.SetHost(false)
	c.hears("seen false")
	first.SetHost(true)
	c.hears("seen true")
	first.Close()
	c.hears("seen false")
	if item.Gone() {
		t.Error("the icon is gone with its panel")
	}
	second := traytest.NewWatcher(t, bus, true)
	c.hears("seen true")
	second.Item().Click("Finish, then quit")
	c.hears("finish")
	c.end(false)
	if n := strings.Count(strings.Join(c.heard, "\n"), "No tray here"); n != 1 {
		t.Errorf("said %d times that there is none", n)
	}
}

// The bus ends, as at the end of a session, while the state changes; the next one has the icon again.
func TestTray_BusDies(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t, "")
	watcher := traytest.NewWatcher(t, bus, true)
	c := startChild(t, bus, "C", isWorking)
	watcher.Item()
	c.hears("seen true")
	bus.Kill()
	for range 20 {
		c.glance(isPaused)
		c.glance(isWaiting)
	}
	c.hears("seen false")
	path, _, _ := strings.Cut(strings.TrimPrefix(bus.Address, "unix:path="), ",")
	again := traytest.StartBus(t, path)
	item := traytest.NewWatcher(t, again, true).Item()
	c.hears("seen true")
	traytest.Until(t, "the state", func() bool { return item.Tooltip() == isWaiting.Sentence })
	c.glance(isFaulty)
	traytest.Until(t, "the next state", func() bool { return item.Tooltip() == isFaulty.Sentence })
	if got, want := item.Icon(), pixels(t, icons.Problem); !bytes.Equal(got.ARGB, want.ARGB) {
		t.Error("another icon")
	}
	item.Click("Settings")
	c.hears(`open "settings"`)
	c.end(false)
}

// A panel that comes while the library does not look has the icon all the same.
func TestTray_PanelIsMissed(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t, "")
	watcher := traytest.NewDeafWatcher(t, bus)
	c := startChild(t, bus, "C", isWorking)
	c.hears("seen true")
	item := watcher.Item()
	traytest.Until(t, "the state", func() bool { return item.Tooltip() == isWorking.Sentence })
	c.end(false)
	if n := watcher.Registered(); n != 1 {
		t.Errorf("registered %d times", n)
	}
}

// A bus that answers nobody keeps nobody waiting.
func TestTray_BusHangs(t *testing.T) {
	t.Setenv(endsMark, "50ms")
	bus := traytest.StartBus(t, "")
	watcher := traytest.NewWatcher(t, bus, true)
	c := startChild(t, bus, "C", isWorking)
	watcher.Item()
	c.hears("seen true")
	bus.Freeze(t)
	long := isPaused
	long.Sentence = strings.Repeat("more than a socket holds ", 100_000)
	c.glance(long)
	c.hears(fmt.Sprint("look at ", len(long.Sentence))) // what comes of it never arrives
	c.end(true)
}

func TestTray_Notifies(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t, "")
	watcher := traytest.NewWatcher(t, bus, true)
	desktop := traytest.NewNotifications(t, bus)
	is := isWorking
	is.Pages, is.Notices = 0, api.Notices{FirstPage: true, Paused: true, Problem: true}
	c := startChild(t, bus, "de_DE", is)
	watcher.Item()
	c.hears("seen true")
	c.send(told{Event: &api.Event{Kind: api.KindPage, Domain: "far.example", Peer: "another node"}})
	c.send(told{Event: &api.Event{Kind: api.KindPage, Domain: "brauð.is", Title: "Sourdough <b>&\n in Reykjavík"}})
	c.send(told{Event: &api.Event{Kind: api.KindPage, Domain: "next.example"}})
	want := traytest.Notification{
		App: "forage", Icon: "io.github.forage_net.forage", Title: "Ihre erste Seite", Urgency: 1, Actions: []string{"default", "Forage öffnen"},
		Text: "„Sourdough &lt;b&gt;&amp; in Reykjavík“ von brauð.is. Sie liegt jetzt in Ihrem Archiv.",
	}
	if got := desktop.Wait(1)[0]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("told %+v, want %+v", got, want)
	}
	desktop.Click(7) // another's
	desktop.Click(1)
	c.hears(`open ""`)
	is.Pages, is.Troubles = 1, []api.Trouble{api.TroubleSettings, api.TroubleStore}
	c.glance(is)
	shown := desktop.Wait(3)
	if shown[1].Urgency != 2 || shown[1].Title != "Forage braucht Aufmerksamkeit" || !strings.HasPrefix(shown[1].Text, "Die Einstellungsdatei hat einen Fehler.") {
		t.Errorf("told %+v", shown[1])
	}
	desktop.Click(2)
	c.hears(`open "settings"`)
	is.Troubles = nil
	c.glance(is)
	is.Troubles = []api.Trouble{api.TroubleStore}
	c.glance(is)
	c.end(false)
	if shown := desktop.Shown(); len(shown) != 3 {
		t.Errorf("told %+v", shown[3:])
	}
	if slices.ContainsFunc(c.heard, func(s string) bool { return strings.HasPrefix(s, "log ") }) {
		t.Errorf("heard %q", c.heard)
	}
}

// Who has a bus and no tray hears so; who shows no notifications is not disturbed.
func TestTray_WithoutNotifications(t *testing.T) {
	t.Parallel()
	bus := traytest.StartBus(t, "")
	watcher := traytest.NewWatcher(t, bus, true)
	is := isFaulty
	is.Notices = api.Notices{Problem: true}
	c := startChild(t, bus, "C", is)
	item := watcher.Item()
	c.glance(isPaused)
	traytest.Until(t, "the state", func() bool { return item.Tooltip() == isPaused.Sentence })
	c.end(false)
}
