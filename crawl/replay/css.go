package replay

import (
	"strings"

	"github.com/forage-net/forage/crawl"
)

// nothing stands for a picture or font that there is none of: an address that
// no browser asks anybody for.
const nothing = "data:,"

// Sheet is a style sheet to rewrite.
type Sheet struct {
	URL crawl.URL
	// Text is in UTF-8.
	Text string
}

// Parts returns what the sheet needs.
func (s Sheet) Parts() Parts {
	var p Parts
	s.Rewrite(Places{Part: p.need})
	return p
}

// Rewrite returns the sheet with its addresses changed.
func (s Sheet) Rewrite(places Places) string {
	c := css{in: s.Text, place: &place{s.URL, places}, limit: 2*len(s.Text) + Slack}
	return c.rewrite()
}

// css rewrites a style sheet or a list of declarations, token by token
// (CSS Syntax 3 §4). What it writes has no comments in it, and nothing that ends
// an element of HTML or begins one.
type css struct {
	in    string
	i     int
	out   strings.Builder
	place *place
	limit int // of what is written; beyond it the rest is left out

	open []bracket
	// fontFace says that a @font-face was read whose block has not begun.
	fontFace bool
	// namespace says that a @namespace is under way, whose address is a name.
	namespace bool
}

// bracket is one that is open.
type bracket struct {
	kind byte // '(', '[' or '{'
	// urls says that strings in it are addresses.
	urls bool
	font bool // it is, or is in, the block of a @font-face
}

func (c *css) rewrite() string {
	c.out.Grow(len(c.in))
	for c.i < len(c.in) && c.out.Len() <= c.limit {
		c.token()
	}
	if c.out.Len() > c.limit {
		return ""
	}
	return c.out.String()
}

func (c *css) token() {
	ch := c.in[c.i]
	switch {
	case c.at("/*"):
		c.comment()
		c.out.WriteString("/**/") // what it parted stays parted
	case ch == '"' || ch == '\'':
		c.stringToken()
	case c.at("<!--"):
		c.i += len("<!--")
		c.out.WriteByte(' ')
	case c.at("-->"):
		c.i += len("-->")
		c.out.WriteByte(' ')
	case c.startsName(c.i):
		c.nameToken()
	case ch == '@' && c.startsName(c.i+1):
		c.atRule()
	case ch == '(' || ch == '[' || ch == '{':
		c.push(ch, false)
		c.copyByte()
	case ch == ')' || ch == ']' || ch == '}':
		c.pop(ch)
		c.copyByte()
	case ch == ';':
		c.fontFace, c.namespace = false, false
		c.copyByte()
	default:
		c.copyByte()
	}
}

func (c *css) at(s string) bool { return strings.HasPrefix(c.in[c.i:], s) }

// copyByte copies a byte that is no part of a name or string.
func (c *css) copyByte() {
	ch := c.in[c.i]
	c.i++
	switch {
	case ch == '\\': // before a new line or the end: nothing
		c.out.WriteByte(' ')
	case ch == '<' || ch == '&':
		c.out.WriteByte(ch)
		if c.i < len(c.in) && ch == '<' && c.in[c.i] != '=' && c.in[c.i] != ' ' {
			c.out.WriteByte(' ') // no tag begins
		} else if c.i < len(c.in) && ch == '&' && (isAlphanumeric(c.in[c.i]) || c.in[c.i] == '#') {
			c.out.WriteString("/**/") // and no entity
		}
	default:
		c.out.WriteByte(ch)
	}
}

func (c *css) comment() {
	end := strings.Index(c.in[c.i+2:], "*/")
	if end < 0 {
		c.i = len(c.in)
		return
	}
	c.i += 2 + end + 2
}

// blanks passes white space and comments.
func (c *css) blanks() {
	for c.i < len(c.in) {
		if c.at("/*") {
			c.comment()
		} else if isBlank(c.in[c.i]) {
			c.i++
		} else {
			return
		}
	}
}

func (c *css) push(kind byte, urls bool) {
	b := bracket{kind: kind, urls: urls, font: c.inFont()}
	if kind == '{' {
		b.font = b.font || c.fontFace
		c.fontFace, c.namespace = false, false
	}
	c.open = append(c.open, b)
}

// pop closes the bracket that was opened last, if this is its end; any other end
// means nothing there.
func (c *css) pop(end byte) {
	if n := len(c.open); n > 0 && c.open[n-1].kind == map[byte]byte{')': '(', ']': '[', '}': '{'}[end] {
		c.open = c.open[:n-1]
	}
}

func (c *css) top() bracket {
	if len(c.open) == 0 {
		return bracket{}
	}
	return c.open[len(c.open)-1]
}

func (c *css) inFont() bool { return c.top().font }

func (c *css) kind() Kind {
	if c.inFont() {
		return Font
	}
	return Image
}

// stringToken copies a string, or changes it where it is an address.
func (c *css) stringToken() {
	text, whole := c.readString()
	if !whole {
		c.out.WriteString("\"" + escapeString(text)) // a new line follows: nothing of it counts
		return
	}
	if c.top().urls {
		text = c.address(text, c.kind())
	}
	c.writeString(text)
}

func (c *css) writeString(text string) {
	c.out.WriteString("\"" + escapeString(text) + "\"")
}

// address returns what to write for an address of a picture or font.
func (c *css) address(ref string, kind Kind) string {
	ref = trim(ref)
	if strings.HasPrefix(ref, "#") {
		return ref
	}
	if address, ok := c.place.part(ref, kind); ok {
		return address
	}
	return nothing
}

// nameToken copies a name, or reads an address if it is url( .
func (c *css) nameToken() {
	begin := c.i
	name := c.readName()
	if c.i >= len(c.in) || c.in[c.i] != '(' {
		c.out.WriteString(safeName(c.in[begin:c.i]))
		return
	}
	c.i++
	if raw := c.in[begin:c.i]; name != "url" {
		if strings.Contains(raw, "\\") {
			raw = "x-escaped(" // nobody writes functions like that, unless to hide one
		}
		c.out.WriteString(safeName(raw))
		c.push('(', takesAddresses[name])
		return
	}
	ref, ok := c.readURL()
	switch {
	case c.namespace:
		c.writeString(ref)
		return
	case ok:
		ref = c.address(ref, c.kind())
	default:
		ref = nothing
	}
	c.out.WriteString("url(")
	c.writeString(ref)
	c.out.WriteByte(')')
}

// takesAddresses are the functions in which a string is an address.
var takesAddresses = map[string]bool{"image-set": true, "-webkit-image-set": true, "image": true, "src": true}

// atRule copies the name of a rule. That of an import whose sheet is not there
// becomes one that no browser knows, so that it leaves out the whole rule.
func (c *css) atRule() {
	begin := c.i
	c.i++
	switch name := c.readName(); name {
	case "import":
		c.importRule()
		return
	case "charset":
		c.out.WriteString("@x-charset") // it is UTF-8 now
		return
	case "font-face":
		c.fontFace = true
	case "namespace":
		c.namespace = true
	}
	c.out.WriteString(safeName(c.in[begin:c.i]))
}

func (c *css) importRule() {
	c.blanks()
	ref, ok := "", false
	if c.i < len(c.in) && (c.in[c.i] == '"' || c.in[c.i] == '\'') {
		ref, ok = c.readString()
	} else if c.startsName(c.i) {
		begin := c.i
		if c.readName() == "url" && c.i < len(c.in) && c.in[c.i] == '(' {
			c.i++
			ref, ok = c.readURL()
		} else {
			c.i = begin
		}
	}
	if ok {
		ref, ok = c.place.part(ref, Style)
	}
	if !ok {
		c.out.WriteString("@x-import \"\"")
		return
	}
	c.out.WriteString("@import url(")
	c.writeString(ref)
	c.out.WriteByte(')')
}
