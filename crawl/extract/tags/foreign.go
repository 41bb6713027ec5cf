package tags

import (
	"bytes"
	"strings"
)

// maxForeign is how deep SVG and MathML may be nested before the rest of them
// is read as HTML. Drawings are less than 20 deep; every end tag in them is
// looked for in all that is open.
const maxForeign = 64

// foreign is the part of a page that is SVG or MathML: the elements of it
// that are open, the outermost first; empty outside. Within it no content is
// raw, a slash ends an element, and CDATA sections are text (HTML standard
// §13.2.6.5). Of the HTML inside, nothing is kept.
type foreign []foreignElement

type foreignElement struct {
	name []byte // as written
	svg  bool   // or else MathML
	// html says that what is inside is HTML.
	html bool
}

// active reports whether a tag now belongs to SVG or MathML.
func (f foreign) active() bool { return len(f) > 0 && !f[len(f)-1].html }

// open notes the start of an element; encoding is the attribute of that name.
func (f *foreign) open(name, encoding []byte) {
	if len(*f) == maxForeign {
		*f = (*f)[:0]
		return
	}
	is := func(s string) bool { return bytes.EqualFold(name, []byte(s)) }
	e := foreignElement{name: name, svg: is("svg")}
	if f.active() {
		e.svg = (*f)[len(*f)-1].svg
	}
	switch {
	case e.svg:
		e.html = is("foreignobject") || is("desc") || is("title")
	case is("annotation-xml"):
		e.html = bytes.EqualFold(encoding, []byte("text/html")) ||
			bytes.EqualFold(encoding, []byte("application/xhtml+xml"))
	default:
		e.html = is("mi") || is("mo") || is("mn") || is("ms") || is("mtext")
	}
	*f = append(*f, e)
}

// close notes an end tag. It reports whether it was one of SVG or MathML.
func (f *foreign) close(name []byte) bool {
	for i := len(*f) - 1; i >= 0; i-- {
		if bytes.EqualFold((*f)[i].name, name) {
			*f = (*f)[:i]
			return true
		}
	}
	if f.active() && endsOutside(name) {
		f.leave()
	}
	return false
}

// leave closes elements up to one that has HTML inside.
func (f *foreign) leave() {
	for f.active() {
		*f = (*f)[:len(*f)-1]
	}
}

// endsOutside reports whether an end tag that nothing in SVG and MathML was
// opened for is likely to end something around them, and them with it.
func endsOutside(name []byte) bool {
	switch strings.ToLower(string(name[:min(len(name), len("blockquote")+1)])) {
	case "a", "article", "aside", "button", "caption", "details", "figure", "footer", "form", "header", "label",
		"main", "nav", "section", "summary", "tbody", "td", "tfoot", "th", "thead", "tr":
		return true
	}
	return breaksOut(name)
}

// breaksOut reports whether a start tag ends SVG and MathML around it: one
// of HTML that is in neither, which shows that an end was forgotten. SVG has a
// font, too, but it is not used in pages.
func breaksOut(name []byte) bool {
	var low [len("blockquote")]byte
	if len(name) > len(low) {
		return false
	}
	for i, c := range name {
		low[i] = Lower(c)
	}
	switch string(low[:len(name)]) {
	case "b", "big", "blockquote", "body", "br", "center", "code", "dd", "div", "dl", "dt", "em", "embed", "font",
		"h1", "h2", "h3", "h4", "h5", "h6", "head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol",
		"p", "pre", "ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul", "var":
		return true
	}
	return false
}
