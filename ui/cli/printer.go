package cli

import (
	"io"
	"os"
	"strings"
)

// printer writes lines of text in which words may be marked: bold on a terminal, and not at all elsewhere.
type printer struct {
	to    io.Writer
	bold  bool
	width int // of lines that are broken
	text  *strings.Builder
}

// terminal returns a printer for standard output.
func (e *env) terminal() printer {
	p := printer{to: e.out, width: lineWidth, text: &strings.Builder{}}
	if f, ok := terminalBehind(e.out); ok {
		p.width = min(max(columnsOf(e.out), 40), lineWidth)
		if p.bold = os.Getenv("NO_COLOR") == ""; p.bold {
			p.to = f
		}
	}
	return p
}

// line adds a line. Its text must be printable.
func (p printer) line(indent, text string) { p.text.WriteString(indent + text + "\n") }

// wrapped adds text in lines that are not too long, none for no text. Words in it may be marked; all else must be
// printable.
func (p printer) wrapped(indent, text string) {
	line, length := "", 0
	for _, word := range strings.Fields(text) {
		n := columnsIn(unmarked.Replace(word))
		if length > 0 && len(indent)+length+1+n > p.width {
			p.line(indent, line)
			line, length = "", 0
		}
		if length > 0 {
			line += " "
			length++
		}
		line += word
		length += n
	}
	if length > 0 {
		p.line(indent, line)
	}
}

var (
	unmarked = strings.NewReplacer(string(markBegin), "", string(markEnd), "")
	bolded   = strings.NewReplacer(string(markBegin), "\x1b[1m", string(markEnd), "\x1b[0m")
)

// flush writes out what was added.
func (p printer) flush() error {
	marks := unmarked
	if p.bold {
		marks = bolded
	}
	_, err := io.WriteString(p.to, marks.Replace(p.text.String()))
	return err
}
