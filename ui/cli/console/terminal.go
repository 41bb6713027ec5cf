// Package console writes for people and programs: tables, lines that are broken, JSON, and on a terminal what changes
// in place. What a terminal would obey is left out of all that others wrote.
package console

import (
	"io"
	"os"

	"golang.org/x/term"
)

// terminalOf returns the terminal that is behind a writer, nil for none.
func terminalOf(w io.Writer) *os.File {
	if p, is := w.(*plain); is {
		w = p.to
	}
	if f, is := w.(*os.File); is && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// OnTerminal reports whether somebody reads what is printed as it is printed.
func OnTerminal(out io.Writer) bool { return terminalOf(out) != nil }

// terminalBehind returns what is behind a plain writer if it is a terminal that obeys, to be told where to write.
// What is written there must be harmless.
func terminalBehind(w io.Writer) (*os.File, bool) {
	f := terminalOf(w)
	return f, f != nil && os.Getenv("TERM") != "dumb"
}

// ColumnsOf returns how many columns there are, 0 where it is no terminal.
func ColumnsOf(w io.Writer) int {
	f := terminalOf(w)
	if f == nil {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		return 80
	}
	return columns
}
