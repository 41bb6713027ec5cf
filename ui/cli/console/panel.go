package console

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"golang.org/x/term"
)

// Panel is some lines that change in place below what is printed. It works in
// raw mode too, where a line feed alone does not return to the left. It is safe for
// concurrent use.
type Panel struct {
	out, log io.Writer
	size     func() (columns, rows int) // 0, 0 where out is no terminal

	mu      sync.Mutex
	lines   []string
	columns int  // when it was drawn last
	hidden  bool // the cursor is
	steady  bool // it is not to be hidden again
}

// NewPanel returns a panel below what is printed on out, with the lines of a log above it.
func NewPanel(out, log io.Writer) *Panel {
	p := &Panel{out: out, log: log, size: func() (int, int) { return 0, 0 }}
	if f, ok := terminalBehind(out); ok {
		p.out = f
		if raw, ok := log.(*plain); ok { // it needs carriage returns, and the log quotes what is not legible
			p.log = raw.to
		}
		p.size = func() (int, int) {
			columns, rows, err := term.GetSize(int(f.Fd()))
			if err != nil || columns <= 0 || rows <= 0 {
				return 80, 24
			}
			return columns, rows
		}
	}
	return p
}

// Live reports whether there is a terminal.
func (p *Panel) Live() bool {
	columns, _ := p.size()
	return columns > 0
}

// Write prints lines of the log above the panel.
func (p *Panel) Write(b []byte) (int, error) {
	if err := p.above(p.log, b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Print prints lines above the panel that are no log.
func (p *Panel) Print(text string) {
	_ = p.above(p.out, []byte(text)) // who looked is gone
}

func (p *Panel) above(to io.Writer, b []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.Live() {
		_, err := to.Write(b)
		return err
	}
	io.WriteString(p.out, p.back()+"\x1b[J")
	_, err := to.Write(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")))
	io.WriteString(p.out, strings.Join(p.lines, "\r\n"))
	return err
}

// Show replaces the panel with the lines that render returns for the size of
// the terminal. They must fit.
func (p *Panel) Show(render func(columns, rows int) []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	columns, rows := p.size()
	var b strings.Builder
	if !p.hidden && !p.steady {
		b.WriteString("\x1b[?25l")
		p.hidden = true
	}
	if b.WriteString(p.back()); p.columns != 0 && columns != p.columns {
		b.WriteString("\x1b[H\x1b[J") // lines wrapped, nobody knows where
	}
	p.lines, p.columns = render(columns, rows), columns
	b.WriteString(strings.Join(p.lines, "\x1b[K\r\n") + "\x1b[K\x1b[J")
	io.WriteString(p.out, b.String())
}

// back moves to where the panel begins. p.mu is held.
func (p *Panel) back() string {
	if len(p.lines) < 2 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dA", len(p.lines)-1)
}

// ShowCursor shows the cursor, from now on.
func (p *Panel) ShowCursor() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hidden {
		io.WriteString(p.out, "\x1b[?25h")
	}
	p.hidden, p.steady = false, true
}

// Finish takes the panel away.
func (p *Panel) Finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hidden {
		io.WriteString(p.out, "\x1b[?25h")
	}
	if len(p.lines) > 0 {
		io.WriteString(p.out, p.back()+"\x1b[J")
	}
	p.lines, p.hidden = nil, false
}
