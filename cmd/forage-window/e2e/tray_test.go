//go:build linux

package e2e

import (
	"image"
	"testing"
)

// panelArea is where the panel is on the screen.
var panelArea = image.Rect(0, 0, screenWidth, 30)

// The icon is to be seen, changes with what the node does, and its menu pauses and resumes.
func TestTray_IconAndMenu(t *testing.T) {
	l := newLab(t)
	empty, err := l.screen()
	if err != nil {
		t.Fatal(err)
	}
	l.crawlWithTray()
	icon := l.icon()
	shows := func(than *image.RGBA) func() bool {
		return func() bool {
			now, err := l.screen()
			return err == nil && differs(now, than, panelArea)
		}
	}
	await(t, "the icon is in the panel", shows(empty))
	working, err := l.screen()
	if err != nil {
		t.Fatal(err)
	}
	icon.click("For 1 hour")
	await(t, "the node rests", func() bool { return l.rests("paused") })
	await(t, "the icon shows that it rests", shows(working))
	await(t, "the menu says so", func() bool { return icon.says("Paused by you") })
	icon.click("Resume")
	l.works()
	icon.click("Until I resume")
	await(t, "the node rests again", func() bool { return l.rests("paused") })
	icon.click("Quit")
	<-l.node.ended
	if code := l.node.exit(); code != 0 {
		t.Errorf("the node ended with %d", code)
	}
	l.judged()
}

// The menu opens the window, and the one window comes to the front when asked again.
func TestTray_OpensTheWindow(t *testing.T) {
	l := newLab(t)
	l.crawlWithTray()
	icon := l.icon()
	icon.click("Open Forage")
	w := l.appeared()
	w.see("Overview")
	icon.click("Settings")
	await(t, "the window shows the settings", func() bool { return w.on("Settings") })
	if n := len(l.windows()); n != 1 {
		t.Errorf("%d windows", n)
	}
	icon.click("Dashboard in the browser")
	await(t, "the browser gets the dashboard's address", func() bool { return len(l.browsed()) > 0 })
	w.close()
	l.works()
	l.judged()
}
