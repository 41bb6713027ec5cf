package toml

import (
	"strings"

	"github.com/creachadair/tomledit/scanner"
)

// WithItem returns the text with an item more at the end of the list of a setting: on a line of its own if the
// list ends on a later line than its last item. It reports false for a list that holds anything but texts.
func (d *Document) WithItem(e *Entry, literal string) (text string, ok bool) {
	l := &listEditor{doc: d, at: e.at}
	if !l.read() {
		return "", false
	}
	return l.with(literal), true
}

// WithoutItems returns the text without some items of the list of a setting, and without comments that stand
// behind one alone on its line. It reports false for a list that holds anything but texts.
func (d *Document) WithoutItems(e *Entry, gone func(i int) bool) (text string, ok bool) {
	l := &listEditor{doc: d, at: e.at}
	if !l.read() {
		return "", false
	}
	return l.without(gone), true
}

// listEditor changes a list of texts where it stands.
type listEditor struct {
	doc    *Document
	at     span   // of the list
	items  []span // of its texts
	commas []int  // by item, where the comma behind it is; -1 if there is none
}

// read finds the items. It reports false for a list that holds anything but texts.
func (l *listEditor) read() bool {
	p := &parser{doc: &Document{text: l.doc.text}, line: 1}
	p.restart(l.at.start + 1)
	for {
		if p.next() != nil {
			return false
		}
		switch p.tok.kind {
		case scanner.String, scanner.LString:
			l.items = append(l.items, span{p.tok.start, p.tok.end})
			l.commas = append(l.commas, -1)
		case scanner.Comma:
			if len(l.items) == 0 {
				return false
			}
			l.commas[len(l.commas)-1] = p.tok.start
		case scanner.Newline, scanner.Comment:
		case scanner.RBracket:
			return p.tok.end == l.at.end
		default:
			return false
		}
	}
}

func (l *listEditor) with(literal string) string {
	text := l.doc.text
	if len(l.items) == 0 {
		return text[:l.at.start+1] + literal + text[l.at.start+1:]
	}
	last := l.items[len(l.items)-1]
	line := strings.IndexByte(text[last.end:l.at.end], '\n')
	if line < 0 {
		return text[:last.end] + ", " + literal + text[last.end:]
	}
	line += last.end + 1 // where the next one begins
	head := text[:line]
	if l.commas[len(l.commas)-1] < 0 {
		head = text[:last.end] + "," + text[last.end:line]
	}
	return head + l.indent(last.start) + literal + "," + l.doc.eol() + text[line:]
}

// without returns the text of the file without some of the items.
func (l *listEditor) without(gone func(i int) bool) string {
	text := l.doc.text
	var b strings.Builder
	from := 0
	for i, item := range l.items {
		if !gone(i) {
			continue
		}
		cut := item
		if l.commas[i] >= 0 {
			cut.end = l.commas[i] + 1
		} else if i > 0 && !strings.Contains(text[l.commas[i-1]:item.start], "\n") {
			cut.start = l.commas[i-1]
		}
		if whole, alone := l.lineOf(cut); alone {
			cut = whole
		} else if cut.start == item.start { // the blanks behind it go with it
			for cut.end < len(text) && text[cut.end] == ' ' {
				cut.end++
			}
		}
		if cut.start > from {
			b.WriteString(text[from:cut.start])
		}
		from = max(from, cut.end)
	}
	return b.String() + text[from:]
}

// lineOf returns the line an item stands on, and whether nothing else of the
// file does but blanks and comments.
func (l *listEditor) lineOf(cut span) (line span, alone bool) {
	text := l.doc.text
	line.start = strings.LastIndexByte(text[:cut.start], '\n') + 1
	end := strings.IndexByte(text[cut.end:], '\n')
	if end < 0 {
		return span{}, false
	}
	line.end = cut.end + end + 1
	behind := strings.TrimSpace(text[cut.end:line.end])
	return line, strings.TrimSpace(text[line.start:cut.start]) == "" && (behind == "" || behind[0] == '#')
}

// indent returns the blanks at the beginning of the line that offset is in.
func (l *listEditor) indent(offset int) string {
	line := l.doc.text[strings.LastIndexByte(l.doc.text[:offset], '\n')+1 : offset]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
