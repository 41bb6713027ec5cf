package plain

import (
	"bytes"
	"hash/fnv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// HTML returns the text of a page in UTF-8.
func HTML(page []byte) Text {
	var b builder
	b.kind = Ordinary
	readHTML(&b, b.bounded(page))
	return b.finish()
}

func readHTML(b *builder, page []byte) {
	r := htmlReader{builder: b, z: html.NewTokenizer(bytes.NewReader(page)), open: make(map[tag]int)}
	for !b.full {
		switch r.z.Next() {
		case html.ErrorToken:
			return // the end: memory does not fail
		case html.TextToken:
			if r.hidden == 0 {
				b.add(r.z.Text(), r.kind())
			}
		case html.StartTagToken:
			r.start(false)
		case html.SelfClosingTagToken:
			r.start(true)
		case html.EndTagToken:
			name, _ := r.z.TagName()
			r.end(tagOf(name))
		}
	}
}

// tag names an element: its atom, or a hash of a name that has none.
type tag uint64

func tagOf(name []byte) tag {
	if a := atom.Lookup(name); a != 0 {
		return tag(a)
	}
	h := fnv.New32a()
	h.Write(name)
	return 1<<32 | tag(h.Sum32())
}

// element is one that is open.
type element struct {
	tag    tag
	role   role
	kind   Kind // of text in it
	hidden bool
}

// htmlReader follows the tags of a page.
type htmlReader struct {
	*builder
	z      *html.Tokenizer
	stack  []element
	open   map[tag]int // how many of each are on the stack
	beyond int         // open elements that are not on it
	hidden int         // open elements that hide what is in them
	row    bool        // text of this paragraph comes from cells of one row
}

func (r *htmlReader) kind() Kind {
	if len(r.stack) == 0 {
		return Ordinary
	}
	return r.stack[len(r.stack)-1].kind
}

func (r *htmlReader) start(closed bool) {
	name, _ := r.z.TagName()
	t := tagOf(name)
	role := roles[t]
	hides := r.hides(t) || role&dropped != 0
	r.imply(t, role)
	if r.hidden == 0 && role&block != 0 {
		r.separate(t)
	}
	if role&void != 0 || closed && r.foreign() {
		return
	}
	e := element{tag: t, role: role, kind: r.kind(), hidden: hides}
	if k, ok := kinds[t]; ok {
		e.kind = k
	}
	r.push(e)
}

// separate ends a paragraph where an element begins or ends. Cells of a row
// stay together.
func (r *htmlReader) separate(t tag) {
	if t == tag(atom.Td) || t == tag(atom.Th) {
		if len(r.text) > 0 && r.row {
			r.add([]byte(" | "), r.builder.kind)
		} else {
			r.builder.end()
		}
		r.row = true
		return
	}
	r.row = false
	r.builder.end()
}

func (r *htmlReader) push(e element) {
	if len(r.stack) == maxDepth {
		r.beyond++
		return
	}
	if e.hidden {
		r.hidden++
	}
	r.open[e.tag]++
	r.stack = append(r.stack, e)
}

// pop closes open elements until n are left.
func (r *htmlReader) pop(n int) {
	for len(r.stack) > n {
		e := r.stack[len(r.stack)-1]
		r.stack = r.stack[:len(r.stack)-1]
		r.open[e.tag]--
		if e.hidden {
			r.hidden--
		}
	}
}

// end follows an end tag. That of an element within a line does not close
// blocks, as in browsers: what a block hides stays hidden.
func (r *htmlReader) end(t tag) {
	role := roles[t]
	if r.hidden == 0 && role&block != 0 && t != tag(atom.Td) && t != tag(atom.Th) {
		r.separate(t)
	}
	if r.beyond > 0 && role&void == 0 {
		r.beyond--
		return
	}
	if r.open[t] == 0 {
		return
	}
	for i := len(r.stack) - 1; i >= 0; i-- {
		if r.stack[i].tag == t {
			r.pop(i)
			return
		}
		if role&(block|dropped) == 0 && r.stack[i].role&(block|dropped) != 0 {
			return
		}
	}
}

// imply closes elements whose end tags are left out: a paragraph before a
// block, an item before the next, and so on.
func (r *htmlReader) imply(t tag, role role) {
	if role&block != 0 {
		r.closeWithin(tag(atom.P), block)
	}
	for _, ended := range implied[t] {
		r.closeWithin(ended, holder)
	}
}

// closeWithin closes the innermost open element t, if no other with that role,
// and none that is not read, is open within it.
func (r *htmlReader) closeWithin(t tag, unless role) {
	if r.open[t] == 0 {
		return
	}
	for i := len(r.stack) - 1; i >= 0; i-- {
		if r.stack[i].tag == t {
			r.pop(i)
			return
		}
		if r.stack[i].role&(unless|dropped) != 0 {
			return
		}
	}
}

// foreign reports whether a drawing or formula is open.
func (r *htmlReader) foreign() bool { return r.open[tag(atom.Svg)]+r.open[tag(atom.Math)] > 0 }

// maxStyle is how much of a style attribute is read, in bytes.
const maxStyle = 4 << 10

// hides reports whether an attribute of the current tag hides the element.
func (r *htmlReader) hides(t tag) bool {
	isHidden, isOpen := false, false
	for {
		key, value, more := r.z.TagAttr()
		switch string(key) {
		case "hidden":
			isHidden = true
		case "open":
			isOpen = true
		case "style":
			isHidden = isHidden || hidesInStyle(value[:min(len(value), maxStyle)])
		}
		if !more {
			return isHidden || t == tag(atom.Dialog) && !isOpen
		}
	}
}

func hidesInStyle(style []byte) bool {
	style = bytes.ToLower(bytes.Join(bytes.Fields(style), nil))
	for rule := range bytes.SplitSeq(style, []byte(";")) {
		rule = bytes.TrimSuffix(rule, []byte("!important"))
		if string(rule) == "display:none" || string(rule) == "visibility:hidden" {
			return true
		}
	}
	return false
}
