package console

import (
	"fmt"
	"io"
	"sync"
)

// Screen shows a line that changes in place below the log, or, where there is
// no terminal, plain lines.
type Screen struct {
	out, log io.Writer
	width    func() int // 0 where out is no terminal

	mu   sync.Mutex
	line string
}

// NewScreen returns a screen whose line stands on out, below a log.
func NewScreen(out, log io.Writer) *Screen {
	s := &Screen{out: out, log: log, width: func() int { return 0 }}
	if f, ok := terminalBehind(out); ok {
		s.out, s.width = f, func() int { return ColumnsOf(f) }
	}
	return s
}

// Live reports whether there is a terminal.
func (s *Screen) Live() bool { return s.width() > 0 }

// Write prints a line of the log above the live line.
func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Live() && s.line != "" {
		fmt.Fprint(s.out, "\r\x1b[K")
		defer fmt.Fprint(s.out, s.line)
	}
	return s.log.Write(p)
}

// Show replaces the live line, or prints a plain one.
func (s *Screen) Show(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text = Printable(text)
	width := s.width()
	if width == 0 {
		fmt.Fprintln(s.out, text)
		return
	}
	s.line = Clip(text, width-1)
	fmt.Fprint(s.out, "\r\x1b[K"+s.line)
}

// Finish leaves the live line where it is.
func (s *Screen) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.line != "" {
		fmt.Fprintln(s.out)
		s.line = ""
	}
}
