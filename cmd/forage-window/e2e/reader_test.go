//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"
)

// Whoever uses a screen reader gets the dashboard, which it can read, and is told why; the window opens all the same
// where somebody wants it.
func TestOpen_WithAScreenReader(t *testing.T) {
	l := newLab(t)
	l.crawl()
	bus := l.bus(t)
	if _, err := prop.Export(bus, "/org/a11y/bus", prop.Map{"org.a11y.Status": {"ScreenReaderEnabled": {Value: true}}}); err != nil {
		t.Fatal(err)
	}
	if got, err := bus.RequestName("org.a11y.Bus", dbus.NameFlagReplaceExisting|dbus.NameFlagDoNotQueue); err != nil || got != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("the name of AT-SPI on the bus: %v, %v", got, err)
	}
	t.Cleanup(func() { bus.ReleaseName("org.a11y.Bus") })
	before := len(l.browsed())
	out := l.forage()
	if !strings.Contains(out, "screen reader") || !strings.Contains(out, "The dashboard opens in your browser") || len(l.browsed()) != before+1 {
		t.Errorf("the browser got %q, and forage says %q", l.browsed(), out)
	}
	p, err := launch(append(l.env, "FORAGE_SCREEN_READER=no"), filepath.Join(programs, "forage-window"), "--home", l.home)
	if err != nil {
		t.Fatal(err)
	}
	w := l.appeared()
	w.close()
	if <-p.ended; p.exit() != 0 {
		t.Errorf("the window that was asked for ended with %d:\n%s", p.exit(), p.out.String())
	}
	l.judged()
}
