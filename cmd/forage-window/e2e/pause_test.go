//go:build linux

package e2e

import "testing"

// What is paused in the window rests in the node, and works again when the window says so.
func TestPause_InTheWindow(t *testing.T) {
	l := newLab(t)
	l.crawl()
	w := l.window()
	w.click("Button", "Pause")
	w.click("", "For 1 hour")
	await(t, "the node rests", func() bool { return l.rests("paused") })
	w.see("Paused by you")
	w.click("Button", "Resume")
	l.works()
	l.judged()
}
