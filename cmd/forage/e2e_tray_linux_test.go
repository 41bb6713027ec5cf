package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/ui/tray/traytest"
)

// desktop is a session bus with a panel and notifications.
type desktop struct {
	*traytest.Bus
	panel   *traytest.Watcher
	notices *traytest.Notifications
}

func newDesktop(t *testing.T) desktop {
	t.Helper()
	bus := traytest.StartBus(t, "")
	return desktop{bus, traytest.NewWatcher(t, bus, true), traytest.NewNotifications(t, bus)}
}

// without leaves an argument out of a command line.
func without(args []string, out string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == out })
}

// startOn starts the program on a desktop.
func (d desktop) startOn(t *testing.T, args []string, env ...string) *process {
	t.Helper()
	return startWith(t, exec.Command(program, args...), append(env, "DBUS_SESSION_BUS_ADDRESS="+d.Address)...)
}

// A node is paused, sent on and ended from its icon, and what others ask of it is seen there.
func TestTray(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	l := newLab(t, demo.Options{Pages: 5000})
	l.slowDown(50 * time.Millisecond)
	p := d.startOn(t, without(l.runArgs("--gap", "0s"), "--no-tray"))
	icon := d.panel.Item()
	p.awaitUp(l.home)
	c := dial(t, l.home)
	status := func() api.Status {
		s, err := c.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	until(t, "the icon to work", func() bool { return strings.HasPrefix(icon.Tooltip(), "Working.") })
	works := icon.Icon()
	setup, err := c.Setup(t.Context(), "en")
	if err != nil || !slices.ContainsFunc(setup.Facts, func(f api.SetupFact) bool { return f.Name == "tray" && f.Known }) {
		t.Errorf("facts are %+v, %v", setup.Facts, err)
	}

	icon.Click("Until I resume")
	until(t, "the pause", func() bool { return status().State == api.StatePaused })
	until(t, "the icon to rest", func() bool { return icon.Tooltip() == status().Sentence })
	if string(icon.Icon().ARGB) == string(works.ARGB) {
		t.Error("the icon of a pause is that of work")
	}
	if menu := icon.Text(); !strings.HasPrefix(menu, "["+icon.Tooltip()+"]\n") || !strings.Contains(menu, "\nResume\n") {
		t.Errorf("the menu is\n%s", menu)
	}
	icon.Click("Resume")
	until(t, "work", func() bool { return status().State == api.StateWorking })
	run(t, l.home, "pause", "1h")
	until(t, "the pause that was asked for elsewhere", func() bool { return icon.Tooltip() == status().Sentence && status().ResumeAt != nil })

	icon.Click("Quit")
	if code := p.wait(); code != 0 {
		t.Errorf("ended with %d: %s", code, tail(p.stderr.String()))
	}
	if isUp(l.home) || !icon.Gone() {
		t.Error("something is left")
	}
	if out := p.stdout.String(); !strings.Contains(out, "fetched in this run") {
		t.Errorf("there is no summary in\n%s", tail(out))
	}
	if said := p.stderr.String(); strings.Contains(said, "systray") || strings.Contains(said, "No tray") {
		t.Errorf("it says\n%s", said)
	}
	if shown := d.notices.Shown(); len(shown) > 0 {
		t.Errorf("a lab has told %+v", shown)
	}
}

// Before consent there is nothing to command; the first page is told where that is asked for; signals end it as ever.
func TestTray_FirstRun(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	l := newLab(t, demo.Options{Sites: 2, Pages: 50})
	p := d.startOn(t, without(without(l.runArgs("--gap", "0s", "--await-consent", "--lab-notices"), "--no-tray"), "--accept"), "LANG=de_DE.UTF-8", "LC_ALL=")
	icon := d.panel.Item()
	c := awaitAPI(t, p, l.home)
	until(t, "a short menu", func() bool {
		list, _ := icon.Menu()
		return len(list) == 6 && list[2].Label == "Öffnen und loslegen"
	})
	if err := c.Agree(t.Context(), api.Agreement{Agree: true, ConnectionIsMine: true}); err != nil {
		t.Fatal(err)
	}
	until(t, "the whole menu", func() bool { return strings.Contains(icon.Text(), "\nJetzt 2 Minuten helfen\n") })
	if first := d.notices.Wait(1)[0]; first.Title != "Ihre erste Seite" || !strings.Contains(first.Text, "von ") {
		t.Errorf("told %+v", first)
	}
	if err := os.WriteFile(filepath.Join(l.home, "config.toml"), []byte("[data\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "the fault to be read", func() bool { // nothing tells of it; the icon would see it within half a minute
		is, err := c.Limits(t.Context(), "en")
		return err == nil && is.Fault != ""
	})
	if err := c.Pause(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	until(t, "the fault", func() bool { return strings.Contains(icon.Text(), "\nFehler in der Einstellungsdatei: anzeigen\n") })
	if list := d.notices.Wait(2); list[1].Urgency != 2 || !strings.HasPrefix(list[1].Text, "Die Einstellungsdatei hat einen Fehler.") {
		t.Errorf("told %+v", list)
	}
	p.signal(syscall.SIGTERM)
	p.succeed()
	if n := len(d.notices.Shown()); n != 2 {
		t.Errorf("told %d times, want 2", n)
	}
}

// Without a session bus none is started, and it is said once that there is no tray.
func TestTray_NoBus(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{Sites: 2, Pages: 50})
	bin := t.TempDir()
	mark := filepath.Join(bin, "launched")
	for _, name := range []string{"dbus-launch", "dbus-daemon"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n: >"+mark+"\nexit 1\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, address := range []string{"", "autolaunch:", "unix:path=" + bin + "/none"} {
		l.home = filepath.Join(t.TempDir(), "home")
		p := startWith(t, exec.Command(program, without(l.runArgs(fullSpeed...), "--no-tray")...),
			"PATH="+bin+":"+os.Getenv("PATH"), "DBUS_SESSION_BUS_ADDRESS="+address).succeed()
		if n := strings.Count(p.stderr.String(), "No tray here"); n != 1 {
			t.Errorf("%q: said %d times that there is no tray\n%s", address, n, tail(p.stderr.String()))
		}
		if _, err := os.Stat(mark); err == nil {
			t.Errorf("%q: a bus was started", address)
		}
	}
}

// The demo has an icon too, and ends from it.
func TestTray_Demo(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	p := d.startOn(t, []string{"demo", "--no-open", "--home", filepath.Join(t.TempDir(), "home")})
	icon := d.panel.Item()
	until(t, "the demo to work", func() bool { return strings.HasPrefix(icon.Tooltip(), "Working.") })
	icon.Click("Quit")
	p.succeed()
	if complaints := p.stderr.String(); complaints != "" || !icon.Gone() {
		t.Errorf("it complains:\n%s", complaints)
	}
}
