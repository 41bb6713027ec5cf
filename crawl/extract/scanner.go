package extract

import "bytes"

// element is a tag that matters here.
type element uint8

const (
	elementNone element = iota
	elementA
	elementArea
	elementBase
	elementFrame
	elementHTML
	elementIframe
	elementMeta
	elementTitle
)

// scanner splits HTML in UTF-8, or in anything else that agrees with ASCII in what it
// looks at, into tags. It does not change the text; what it returns points into it.
type scanner struct {
	src []byte
	pos int
	// xml says that a self-closing tag has no content, as in XHTML. HTML
	// pays no heed to the slash.
	xml bool

	// attrs are those of the tag last returned.
	attrs attributes
	// text is the content of a title last returned.
	text []byte
}

// next returns the next start tag that matters, elementNone at the end. A
// tag the text ends in is none.
func (s *scanner) next() element {
	for {
		if s.pos == len(s.src) || s.src[s.pos] != '<' { // tags often follow each other
			i := bytes.IndexByte(s.src[s.pos:], '<')
			if i < 0 {
				s.pos = len(s.src)
				return elementNone
			}
			s.pos += i
		}
		if s.pos++; s.pos == len(s.src) {
			return elementNone
		}
		switch c := s.src[s.pos]; {
		case isLetter(c):
			if e := s.startTag(); e != elementNone {
				return e
			}
		case c == '/':
			s.endTag()
		case c == '!':
			s.declaration()
		case c == '?':
			s.skipPastAngle()
		}
	}
}

// startTag reads a start tag from its name on, and the text behind it where
// that is not HTML.
func (s *scanner) startTag() element {
	e, raw := lookup(s.tagName())
	if !s.readAttrs(e != elementNone) {
		return elementNone
	}
	s.text = nil
	if raw == "" || s.xml && s.attrs.selfClosing {
		return e
	}
	from := s.pos
	switch raw {
	case "plaintext":
		s.pos = len(s.src)
	case "script":
		s.pos = scriptEnd(s.src, s.pos)
	default:
		s.pos = rawTextEnd(s.src, s.pos, raw)
	}
	s.text = s.src[from:s.pos]
	return e
}

// tagName reads a name up to a blank, a slash or the end of the tag.
func (s *scanner) tagName() []byte {
	src, i := s.src, s.pos
	for i < len(src) && class[src[i]]&endsName == 0 {
		i++
	}
	name := src[s.pos:i]
	s.pos = i
	return name
}

// lookup says what a tag is to us and, if its content is not HTML, returns
// its name in lower case.
func lookup(name []byte) (e element, raw string) {
	var low [len("plaintext")]byte
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
	case "frame":
		return elementFrame, ""
	case "html":
		return elementHTML, ""
	case "meta":
		return elementMeta, ""
	case "iframe":
		return elementIframe, "iframe"
	case "title":
		return elementTitle, "title"
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
	case "textarea":
		return elementNone, "textarea"
	case "xmp":
		return elementNone, "xmp"
	}
	return elementNone, ""
}

// endTag reads what begins with "</", from the slash on.
func (s *scanner) endTag() {
	s.pos++
	switch {
	case s.pos == len(s.src):
	case isLetter(s.src[s.pos]):
		s.tagName()
		s.readAttrs(false)
	default:
		s.skipPastAngle()
	}
}

// declaration reads what begins with "<!", from the mark on.
func (s *scanner) declaration() {
	s.pos++
	if bytes.HasPrefix(s.src[s.pos:], []byte("--")) {
		s.pos += len("--")
		s.comment()
		return
	}
	s.skipPastAngle()
}

// comment reads to the end of a comment: "-->", "--!>", or at the very beginning
// also ">" and "->".
func (s *scanner) comment() {
	text := s.src[s.pos:]
	for n := 0; ; n++ {
		i := bytes.IndexByte(text[n:], '>')
		if i < 0 {
			s.pos = len(s.src)
			return
		}
		n += i
		if t := text[:n]; n == 0 || n == 1 && t[0] == '-' || bytes.HasSuffix(t, []byte("--")) || bytes.HasSuffix(t, []byte("--!")) {
			s.pos += n + 1
			return
		}
	}
}

// skipPastAngle moves behind the next ">".
func (s *scanner) skipPastAngle() {
	i := bytes.IndexByte(s.src[s.pos:], '>')
	if i < 0 {
		s.pos = len(s.src)
		return
	}
	s.pos += i + 1
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
