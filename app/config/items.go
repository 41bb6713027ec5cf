package config

import (
	"slices"
	"strings"

	"github.com/creachadair/tomledit/scanner"

	"github.com/forage-net/forage/storage/durable"
)

// AddItem puts a text at the end of a list in a file, as Set would, but leaves
// the other items, their lines and comments as they are. A missing file, wrong
// keys and wrong values are treated as Set does.
func AddItem(path, key, item string) error {
	f, ok := find(key)
	if !ok {
		return unknown(key)
	}
	if err := f.apply(new(Config), textList([]string{item})); err != nil {
		return err
	}
	return changeList(path, key, func(items []string) []string { return append(items, item) })
}

// RemoveItem takes a text out of a list in a file, wherever it stands in it,
// and comments that stand behind it alone on its line. If it is not there,
// nothing changes.
func RemoveItem(path, key, item string) error {
	return changeList(path, key, func(items []string) []string {
		return slices.DeleteFunc(items, func(s string) bool { return s == item })
	})
}

// changeList makes a list of a file what change returns for its items.
func changeList(path, key string, change func([]string) []string) error {
	return edit(durable.Disk{}, path, true, func(text string) (string, error) { return assignList(text, key, change) })
}

// assignList returns the text of a file with a list changed: in place where
// the list is laid out so that this can be done, else written again.
func assignList(text, key string, change func([]string) []string) (string, error) {
	doc := parse(text)
	if len(doc.errs) > 0 {
		return "", doc.errs[0]
	}
	var before []string
	e := doc.find(key)
	if e != nil {
		for _, item := range e.value.items {
			before = append(before, item.text)
		}
	}
	after := change(slices.Clone(before))
	if slices.Equal(before, after) {
		return text, nil
	}
	whole, err := assign(text, assignment{key, textList(after).literal()})
	if err != nil && e != nil { // another item of the file is wrong, or there are too many
		f, _ := find(key)
		return "", f.wrongAt(e.line)
	}
	if err != nil || e == nil || e.value.kind != kindList {
		return whole, err
	}
	l := &listEditor{doc: doc, at: e.at}
	var changed string
	switch {
	case !l.read():
		return whole, nil
	case len(after) == len(before)+1:
		changed = l.with(value{kind: kindText, text: after[len(after)-1]}.literal())
	default:
		kept := func(s string) bool { return slices.Contains(after, s) }
		changed = l.without(func(i int) bool { return !kept(before[i]) })
	}
	// What is about to be written is read back first; it must say what is meant.
	again := parse(changed)
	if got := again.find(key); len(again.errs) > 0 || len(again.entries) != len(doc.entries) || got.value.literal() != textList(after).literal() {
		return whole, nil
	}
	return changed, nil
}

func textList(texts []string) value {
	v := value{kind: kindList}
	for _, s := range texts {
		v.items = append(v.items, value{kind: kindText, text: s})
	}
	return v
}

// listEditor changes a list of texts where it stands.
type listEditor struct {
	doc    *document
	at     span   // of the list
	items  []span // of its texts
	commas []int  // by item, where the comma behind it is; -1 if there is none
}

// read finds the items. It reports false for a list that holds anything but texts.
func (l *listEditor) read() bool {
	p := &parser{doc: &document{text: l.doc.text}, line: 1}
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

// with returns the text of the file with an item more at the end of the list:
// on a line of its own if the list ends on a later line than its last item.
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

// ListText writes a list as Set takes it.
func ListText(items []string) string { return textList(items).literal() }
