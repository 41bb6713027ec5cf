//go:build linux

package e2e

import "testing"

// From the first screen to the first page with the mouse. Nothing leaves before the last click.
func TestFirstRun_Mouse(t *testing.T) {
	l := newLab(t)
	l.start("--await-consent", "--no-tray")
	w := l.window()
	w.see("Lend your quiet hours")
	w.click("", "Continue")
	w.see("What others see")
	w.click("", "This is my connection")
	w.click("", "I agree")
	w.see("When may Forage work?")
	w.click("", "Continue")
	w.see("Ready.")
	if n := len(l.web.Served()); n != 0 {
		t.Errorf("%d requests before consent", n)
	}
	w.click("", "Start helping now")
	w.see("Your first page")
	if !l.status().Consent {
		t.Error("the node does not know of the consent")
	}
	w.click("", "Watch it now")
	w.see("Overview")
	l.judged()
}

// The same with the keyboard alone.
func TestFirstRun_Keyboard(t *testing.T) {
	l := newLab(t)
	l.start("--await-consent", "--no-tray")
	w := l.window()
	w.see("Lend your quiet hours")
	w.tabTo("Continue")
	w.press("space")
	w.see("What others see")
	w.tabTo("This is my connection")
	if w.focused().On {
		t.Error("the box is ticked, and nobody has ticked it")
	}
	w.press("space")
	w.tabTo("I agree")
	w.press("space")
	w.see("When may Forage work?")
	w.tabTo("Continue")
	w.press("space")
	w.see("Ready.")
	if n := len(l.web.Served()); n != 0 {
		t.Errorf("%d requests before consent", n)
	}
	w.tabTo("Start helping now")
	w.press("space")
	w.see("Your first page")
	l.judged()
}
