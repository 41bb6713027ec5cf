package tags

// Element is a start tag that matters to whoever looks for links.
type Element uint8

// The elements. ElementNone is any other.
const (
	ElementNone Element = iota
	ElementA
	ElementArea
	ElementBase
	ElementEmbed
	ElementFrame
	ElementHTML
	ElementIframe
	ElementImg
	ElementLink
	ElementMeta
	ElementObject
	ElementQuote // blockquote, q, ins, del
	ElementTitle
	elementCount
)

// kept are the attributes that are read of an element.
var kept = func() (list [elementCount]lengths) {
	for e := range elementCount {
		list[e] = allLength
	}
	list[ElementNone], list[ElementImg] = noLength, ofLongdesc
	return list
}()

// lookup says what a tag is to us and, if its content is not plain HTML,
// returns its name in lower case.
func lookup(name []byte) (e Element, raw string) {
	var low [len("blockquote")]byte
	if len(name) > len(low) {
		return ElementNone, ""
	}
	for i, c := range name {
		low[i] = Lower(c)
	}
	switch string(low[:len(name)]) {
	case "a":
		return ElementA, ""
	case "area":
		return ElementArea, ""
	case "base":
		return ElementBase, ""
	case "blockquote", "q", "ins", "del":
		return ElementQuote, ""
	case "embed":
		return ElementEmbed, ""
	case "frame":
		return ElementFrame, ""
	case "html":
		return ElementHTML, ""
	case "img":
		return ElementImg, ""
	case "link":
		return ElementLink, ""
	case "meta":
		return ElementMeta, ""
	case "object":
		return ElementObject, ""
	case "iframe":
		return ElementIframe, "iframe"
	case "title":
		return ElementTitle, "title"
	case "math":
		return ElementNone, "math"
	case "noembed":
		return ElementNone, "noembed"
	case "noframes":
		return ElementNone, "noframes"
	case "plaintext":
		return ElementNone, "plaintext"
	case "script":
		return ElementNone, "script"
	case "style":
		return ElementNone, "style"
	case "svg":
		return ElementNone, "svg"
	case "template":
		return ElementNone, "template"
	case "textarea":
		return ElementNone, "textarea"
	case "xmp":
		return ElementNone, "xmp"
	}
	return ElementNone, ""
}

// Classes of bytes.
const (
	isBlank  = 1 << iota // between attributes
	endsName             // of a tag
	endsKey              // of an attribute
	endsBare             // a value without quotes
)

var class = func() (t [256]uint8) {
	for _, c := range []byte(" \n\r\t\f") {
		t[c] = isBlank | endsName | endsKey | endsBare
	}
	t['/'] = endsName | endsKey
	t['>'] = endsName | endsKey | endsBare
	t['='] = endsKey
	return t
}()

// IsLetter reports whether a byte is a letter of ASCII.
func IsLetter(c byte) bool { return (c|0x20)-'a' < 26 }

// Lower returns a letter of ASCII in lower case, and any other byte as it is.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
