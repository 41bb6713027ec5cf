package demo

import (
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/progress"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

// show is where the demo is to be seen: a table that changes in place, or
// plain lines where there is no terminal.
type show struct {
	panel  *console.Panel
	plain  time.Time         // when the next plain line is due
	keypad *console.Keyboard // nil if there is none
	colour bool
	bar    *console.Bar // where the table is not to be seen, but standard error is
}

// openShow finds out what there is to show it on. It must be closed.
func openShow(e *env.Env) *show {
	out := e.Out
	if e.JSON {
		out = io.Discard // the summary alone is JSON
	}
	s := &show{panel: console.NewPanel(out, e.Err), colour: os.Getenv("NO_COLOR") == ""}
	if !s.panel.Live() {
		s.bar = e.OpenBar()
	}
	if s.panel.Live() && term.IsTerminal(int(os.Stdin.Fd())) {
		s.keypad, _ = console.OpenKeyboard(os.Stdin) // it goes without
	}
	return s
}

// Write prints a line of the log above the table.
func (s *show) Write(p []byte) (int, error) { return s.panel.Write(p) }

// begin prints what stands above all.
func (s *show) begin(text string) { s.panel.Print(text) }

// takesKeys reports whether there is a keyboard to listen to.
func (s *show) takesKeys() bool { return s.keypad != nil }

// keys receives the keys that are pressed; nil if there is no keyboard.
func (s *show) keys() <-chan byte {
	if s.keypad == nil {
		return nil
	}
	return s.keypad.Pressed
}

// draw shows a scene, where there is no terminal only every few seconds.
func (s *show) draw(scene scene) {
	if s.redraw(scene); s.panel.Live() {
		return
	}
	s.bar.Show(progress.Report{Work: words.New("cli.demo.fetching", nil), Done: int64(scene.Fetched),
		Total: int64(scene.Wanted), Unit: progress.Items})
	if now := time.Now(); !now.Before(s.plain) {
		s.plain = now.Add(plainEvery)
		s.panel.Print(scene.sentence() + "\n")
	}
}

// redraw shows a scene where there is a terminal.
func (s *show) redraw(scene scene) {
	if s.panel.Live() {
		s.panel.Show(func(columns, rows int) []string { return scene.lines(columns, rows, s.colour) })
	}
}

// release gives the terminal back; what is shown goes on.
func (s *show) release() {
	s.panel.ShowCursor()
	if s.keypad != nil {
		s.keypad.Restore()
		s.keypad = nil
	}
}

// close leaves the terminal as it was. It may be called again.
func (s *show) close() {
	s.release()
	s.panel.Finish()
	if s.bar != nil {
		s.bar.Close()
	}
}
