package console

import (
	"fmt"
	"io"
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

// Line adds a line. Its text must be printable.
func (p Printer) Line(indent, text string) { p.Text.WriteString(indent + text + "\n") }

// Wrapped adds text in lines that are not too long, none for no text. Words in it may be marked; all else must be
// printable.
func (p Printer) Wrapped(indent, text string) {
	line, length := "", 0
	for _, word := range strings.Fields(text) {
		n := ColumnsIn(unmarked.Replace(word))
		if length > 0 && len(indent)+length+1+n > p.Width {
			p.Line(indent, line)
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

// Wrap writes words in lines of at most so many characters, if no word is longer.
func Wrap(b *strings.Builder, width int, first, others, text string) {
	line, n := first, len(first)
	empty := true
	for _, word := range strings.Fields(text) {
		k := len([]rune(word))
		if !empty && n+1+k > width {
			fmt.Fprintln(b, line)
			line, n, empty = others, len(others), true
		}
		if !empty {
			line += " "
			n++
		}
		line += word
		n, empty = n+k, false
	}
	fmt.Fprintln(b, line)
}
