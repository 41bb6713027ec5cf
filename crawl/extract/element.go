package extract

// element is a tag that matters here.
type element uint8

const (
	elementNone element = iota
	elementA
	elementArea
	elementBase
	elementEmbed
	elementFrame
	elementHTML
	elementIframe
	elementImg
	elementLink
	elementMeta
	elementObject
	elementQuote // blockquote, q, ins, del
	elementTitle
	elementCount
)

// kept are the attributes that are read of an element.
var kept = func() (list [elementCount]lengths) {
	for e := range elementCount {
		list[e] = allLength
	}
	list[elementNone], list[elementImg] = noLength, ofLongdesc
	return list
}()

// lookup says what a tag is to us and, if its content is not plain HTML,
// returns its name in lower case.
func lookup(name []byte) (e element, raw string) {
	var low [len("blockquote")]byte
	if len(name) > len(low) {
		return elementNone, ""
	}
	for i, c := range name {
		low[i] = lower(c)
	}
	switch string(low[:len(name)]) {
	case "a":
		return elementA, ""
	case "area":
		return elementArea, ""
	case "base":
		return elementBase, ""
	case "blockquote", "q", "ins", "del":
		return elementQuote, ""
	case "embed":
		return elementEmbed, ""
	case "frame":
		return elementFrame, ""
	case "html":
		return elementHTML, ""
	case "img":
		return elementImg, ""
	case "link":
		return elementLink, ""
	case "meta":
		return elementMeta, ""
	case "object":
		return elementObject, ""
	case "iframe":
		return elementIframe, "iframe"
	case "title":
		return elementTitle, "title"
	case "math":
		return elementNone, "math"
	case "noembed":
		return elementNone, "noembed"
	case "noframes":
		return elementNone, "noframes"
	case "plaintext":
		return elementNone, "plaintext"
	case "script":
		return elementNone, "script"
	case "style":
		return elementNone, "style"
	case "svg":
		return elementNone, "svg"
	case "template":
		return elementNone, "template"
	case "textarea":
		return elementNone, "textarea"
	case "xmp":
		return elementNone, "xmp"
	}
	return elementNone, ""
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

func isLetter(c byte) bool { return (c|0x20)-'a' < 26 }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}
