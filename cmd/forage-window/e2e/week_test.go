//go:build linux

package e2e

import (
	"image"
	"testing"
)

// A week is painted with the mouse: the node rests when it was told to, and works again when that is taken back.
func TestWeek_IsPaintedAndObeyed(t *testing.T) {
	l := newLab(t)
	l.crawl()
	w := l.window("--page", "settings")
	w.paintAll("Rest")
	await(t, "the settings file has it", func() bool { return l.setting("schedule.work") == "all off" })
	await(t, "the node rests", func() bool { return l.limits().Level == "off" })
	w.paintAll("Work")
	await(t, "the node works again", func() bool { return l.limits().Level == "full" })
	l.works()
	l.judged()
}

// Where the cells of the week begin in the grid.
const gridLeft, gridTop = 40, 22

// paintAll paints every quarter of an hour of the week, from the first to the last.
func (w *window) paintAll(brush string) {
	w.t.Helper()
	w.click("ChoiceCard", brush)
	grid := w.wholeWeek()
	w.drag(image.Pt(grid.X+gridLeft+2, grid.Y+gridTop+5), image.Pt(grid.X+grid.W-2, grid.Y+grid.H-5))
}

// wholeWeek scrolls until all of the week is in sight.
func (w *window) wholeWeek() spot {
	w.t.Helper()
	for range 20 {
		if grid := w.await("weekGrid", ""); grid.Y+grid.H < w.size().Y-30 {
			break
		}
		w.wheel(1)
	}
	return w.await("weekGrid", "")
}
