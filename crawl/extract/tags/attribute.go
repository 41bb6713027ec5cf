package tags

import (
	"bytes"
	"html"
	"unicode/utf8"
)

// Attribute is one that matters to whoever looks for links.
type Attribute uint8

// The attributes.
const (
	AttrCharset Attribute = iota
	AttrCite
	AttrContent
	AttrData
	AttrEncoding
	AttrHref
	AttrHreflang
	AttrHTTPEquiv
	AttrLang
	AttrLongdesc
	AttrName
	AttrRel
	AttrSrc
	AttrType
	AttrXLink
	AttrXMLBase
	attrCount
)

// Attributes are those of a tag. Of two with a name the first counts.
type Attributes struct {
	set         [attrCount]bool
	raw         [attrCount][]byte
	selfClosing bool
}

// Get returns the text of an attribute as written, and whether it is there.
func (a *Attributes) Get(which Attribute) (raw []byte, ok bool) {
	if !a.set[which] {
		return nil, false
	}
	return a.raw[which], true
}

// put notes an attribute; the first of a name counts.
func (a *Attributes) put(key, raw []byte) {
	which := attrCount
	var low [len("http-equiv")]byte
	if len(key) > len(low) {
		return
	}
	for i, c := range key {
		low[i] = Lower(c)
	}
	switch string(low[:len(key)]) {
	case "charset":
		which = AttrCharset
	case "cite":
		which = AttrCite
	case "content":
		which = AttrContent
	case "data":
		which = AttrData
	case "encoding":
		which = AttrEncoding
	case "href":
		which = AttrHref
	case "hreflang":
		which = AttrHreflang
	case "http-equiv":
		which = AttrHTTPEquiv
	case "lang":
		which = AttrLang
	case "longdesc":
		which = AttrLongdesc
	case "name":
		which = AttrName
	case "rel":
		which = AttrRel
	case "src":
		which = AttrSrc
	case "type":
		which = AttrType
	case "xlink:href":
		which = AttrXLink
	case "xml:base":
		which = AttrXMLBase
	default:
		return
	}
	if !a.set[which] {
		a.set[which], a.raw[which] = true, raw
	}
}

// NameLength returns the length of the name that a tag begins with. The tag ends with ">".
func NameLength(tag []byte) int {
	n := 0
	for class[tag[n]]&endsName == 0 {
		n++
	}
	return n
}

// lengths are those of the names of attributes, a bit for each. No name that
// matters is as long as 64.
type lengths uint64

const (
	noLength  lengths = 0
	allLength lengths = 1<<64 - 1
	// ofLongdesc leaves out nearly all attributes of images, which are many.
	ofLongdesc lengths = 1 << len("longdesc")
)

// attrValue reads a value from behind the equals sign. The index is len(src)
// if the text ends in it.
func attrValue(src []byte, i int) ([]byte, int) {
	if i = SkipBlanks(src, i); i == len(src) || src[i] == '>' {
		return nil, i
	}
	if quote := src[i]; quote == '"' || quote == '\'' {
		i++
		n := bytes.IndexByte(src[i:], quote)
		if n < 0 {
			return nil, len(src)
		}
		return src[i : i+n], i + n + 1
	}
	from := i
	for i < len(src) && class[src[i]]&endsBare == 0 {
		i++
	}
	return src[from:i], i
}

// SkipBlanks returns the place of the first byte from i on that is no blank of HTML, len(src) if there is none.
func SkipBlanks(src []byte, i int) int {
	for i < len(src) && class[src[i]]&isBlank != 0 {
		i++
	}
	return i
}

// Text returns what an attribute's value means: character references
// resolved, U+FFFD for zeros. It returns raw itself where that is it, or else
// uses buf.
func Text(raw, buf []byte) []byte {
	if bytes.IndexByte(raw, 0) >= 0 {
		raw = bytes.ReplaceAll(raw, []byte{0}, []byte("\uFFFD"))
	}
	amp := bytes.IndexByte(raw, '&')
	if amp < 0 {
		return raw
	}
	buf = buf[:0]
	for amp >= 0 {
		buf = append(buf, raw[:amp]...)
		raw = raw[amp:]
		text, n := reference(raw)
		buf = append(buf, text...)
		raw = raw[n:]
		amp = bytes.IndexByte(raw, '&')
	}
	return append(buf, raw...)
}

// reference resolves the character reference an attribute's value begins with, and says how long
// it is. What looks like one but is none is the ampersand alone.
//
// The table of names is that of the package html, which takes a name for a
// reference also where only its beginning is one. In an attribute, where
// "&copy=1" is likely to be a query, that is not so (HTML standard §13.2.5.73).
func reference(s []byte) (text string, n int) {
	if bytes.HasPrefix(s, []byte("&amp;")) {
		return "&", len("&amp;")
	}
	if len(s) > 1 && s[1] == '#' {
		return numericReference(s)
	}
	const longest = len("&CounterClockwiseContourIntegral;")
	n = 1
	for n < len(s) && n < longest && IsAlphanumeric(s[n]) {
		n++
	}
	if n < len(s) && s[n] == ';' {
		n++
		// If only the beginning of the name were known, the rest would remain.
		if name := string(s[:n]); name == "&semi;" {
			return ";", n
		} else if text = html.UnescapeString(name); text[len(text)-1] != ';' {
			return text, n
		}
		return "&", 1
	}
	if n < len(s) && (s[n] == '=' || IsAlphanumeric(s[n])) {
		return "&", 1
	}
	if text = html.UnescapeString(string(s[:n])); utf8.RuneCountInString(text) == 1 {
		return text, n
	}
	return "&", 1
}

// numericReference resolves "&#…".
func numericReference(s []byte) (text string, n int) {
	n = len("&#")
	hex := n < len(s) && Lower(s[n]) == 'x'
	if hex {
		n++
	}
	from := n
	for n < len(s) && (IsDigit(s[n]) || hex && 'a' <= Lower(s[n]) && Lower(s[n]) <= 'f') {
		n++
	}
	if n == from {
		return "&", 1
	}
	text = html.UnescapeString(string(s[:n]) + ";") // without, it overlooks single digits
	if n < len(s) && s[n] == ';' {
		n++
	}
	return text, n
}

// IsDigit reports whether a byte is a digit of ASCII.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsAlphanumeric reports whether a byte is a letter or a digit of ASCII.
func IsAlphanumeric(c byte) bool { return IsLetter(c) || IsDigit(c) }
