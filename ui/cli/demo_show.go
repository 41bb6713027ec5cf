package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/forage-net/forage/storage/progress"
)

// demoShow is where the demo is to be seen: a table that changes in place, or
// plain lines where there is no terminal.
type demoShow struct {
	panel  *panel
	plain  time.Time // when the next plain line is due
	keypad *keyboard // nil if there is none
	colour bool
	bar    *bar // where the table is not to be seen, but standard error is
}

// openShow finds out what there is to show it on. It must be closed.
func (e *env) openShow() *demoShow {
	out := e.out
	if e.json {
		out = io.Discard // the summary alone is JSON
	}
	s := &demoShow{panel: newPanel(out, e.err), colour: os.Getenv("NO_COLOR") == ""}
	if !s.panel.live() {
		s.bar = e.openBar()
	}
	if s.panel.live() && term.IsTerminal(int(os.Stdin.Fd())) {
		s.keypad, _ = openKeyboard(os.Stdin) // it goes without
	}
	return s
}

// Write prints a line of the log above the table.
func (s *demoShow) Write(p []byte) (int, error) { return s.panel.Write(p) }

// begin prints what stands above all.
func (s *demoShow) begin(text string) { s.panel.print(text) }

// takesKeys reports whether there is a keyboard to listen to.
func (s *demoShow) takesKeys() bool { return s.keypad != nil }

// keys receives the keys that are pressed; nil if there is no keyboard.
func (s *demoShow) keys() <-chan byte {
	if s.keypad == nil {
		return nil
	}
	return s.keypad.pressed
}

// draw shows a scene, where there is no terminal only every few seconds.
func (s *demoShow) draw(scene demoScene) {
	if s.redraw(scene); s.panel.live() {
		return
	}
	s.bar.show(progress.Report{Work: scene.Lang.text("demo.fetching", nil), Done: int64(scene.Fetched), Total: int64(scene.Wanted), Unit: progress.Items})
	if now := time.Now(); !now.Before(s.plain) {
		s.plain = now.Add(demoPlain)
		s.panel.print(scene.sentence() + "\n")
	}
}

// redraw shows a scene where there is a terminal.
func (s *demoShow) redraw(scene demoScene) {
	if s.panel.live() {
		s.panel.show(func(columns, rows int) []string { return scene.lines(columns, rows, s.colour) })
	}
}

// release gives the terminal back; what is shown goes on.
func (s *demoShow) release() {
	s.panel.showCursor()
	if s.keypad != nil {
		s.keypad.restore()
		s.keypad = nil
	}
}

// close leaves the terminal as it was. It may be called again.
func (s *demoShow) close() {
	s.release()
	s.panel.finish()
	if s.bar != nil {
		s.bar.close()
	}
}

// clockText writes a time since the start as 1:05.
func clockText(d time.Duration) string {
	return fmt.Sprintf("%d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}
