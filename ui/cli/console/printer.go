package console

import (
	"io"
	"os"
	"strings"
)

// Around a word that is marked in text that is not printed yet. They are in no text of others: printable takes
// them out.
const MarkBegin, MarkEnd = '\x01', '\x02'

// Printer writes lines of text in which words may be marked: bold on a terminal, and not at all elsewhere.
type Printer struct {
	To    io.Writer
	Bold  bool
	Width int // of lines that are broken
	Text  *strings.Builder
}

// NewPrinter returns a printer of text for people.
func NewPrinter(out io.Writer) Printer {
	p := Printer{To: out, Width: LineWidth, Text: &strings.Builder{}}
	if f, ok := terminalBehind(out); ok {
		p.Width = min(max(ColumnsOf(out), 40), LineWidth)
		if p.Bold = os.Getenv("NO_COLOR") == ""; p.Bold {
			p.To = f
		}
	}
	return p
}

// Line adds a line. Its text must be printable.
func (p Printer) Line(indent, text string) { p.Text.WriteString(indent + text + "\n") }

// Wrapped adds text in lines that are not too long, none for no text. Words in it may be marked; all else must be
// printable.
func (p Printer) Wrapped(indent, text string) {
	for _, line := range Wrap(strings.Fields(text), p.Width-len(indent)) {
		p.Line(indent, line)
	}
}

var (
	unmarked = strings.NewReplacer(string(MarkBegin), "", string(MarkEnd), "")
	bolded   = strings.NewReplacer(string(MarkBegin), "\x1b[1m", string(MarkEnd), "\x1b[0m")
)

// Flush writes out what was added.
func (p Printer) Flush() error {
	marks := unmarked
	if p.Bold {
		marks = bolded
	}
	_, err := io.WriteString(p.To, marks.Replace(p.Text.String()))
	return err
}

// LineWidth is how wide text is printed, in characters: what is read with ease.
const LineWidth = 78
