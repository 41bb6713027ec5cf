// Package console writes for people and programs: tables, lines that are broken, JSON, and on a terminal what changes
// in place. What a terminal would obey is left out of all that others wrote.
package console

import (
	"io"
	"os"

	"golang.org/x/term"
)

// OnTerminal reports whether somebody reads what is printed as it is printed.
func OnTerminal(out io.Writer) bool {
	if p, is := out.(*plain); is {
		out = p.to
	}
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// TerminalBehind returns what is behind a plain writer if it is a terminal that obeys, to be told where to write.
// What is written there must be harmless.
func TerminalBehind(w io.Writer) (*os.File, bool) {
	if p, is := w.(*plain); is {
		w = p.to
	}
	f, is := w.(*os.File)
	if !is || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil, false
	}
	return f, true
}

// ColumnsOf returns how many columns there are, 0 where it is no terminal.
func ColumnsOf(w io.Writer) int {
	if p, is := w.(*plain); is {
		w = p.to
	}
	f, is := w.(*os.File)
	if !is || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		return 80
	}
	return columns
}
