package extract

import "bytes"

// scanner splits HTML in UTF-8, or in anything else that agrees with ASCII in what it
// looks at, into tags. It does not change the text; what it returns points into it.
type scanner struct {
	src []byte
	pos int
	// xml says that a self-closing tag has no content, as in XHTML. HTML
	// pays no heed to the slash.
	xml bool
	// flat says that the content of all elements is HTML, as for the search
	// of a declared encoding.
	flat bool

	// attrs are those of the tag last returned.
	attrs attributes
	// text is the content of a title last returned.
	text []byte

	// foreign is what is open of SVG and MathML, templates how many
	// templates are open.
	foreign   foreign
	templates int

	// listener, if set, gets text and tags.
	listener *listener
}

// next returns the next start tag that matters, elementNone at the end. A
// tag the text ends in is none.
func (s *scanner) next() element {
	for {
		if s.pos == len(s.src) || s.src[s.pos] != '<' { // tags often follow each other
			i := bytes.IndexByte(s.src[s.pos:], '<')
			end := i
			if i < 0 {
				end = len(s.src) - s.pos
			}
			if s.listener != nil && s.templates == 0 && !s.foreign.active() {
				s.listener.text(s.src[s.pos : s.pos+end])
			}
			s.pos += end
			if i < 0 {
				return elementNone
			}
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
	name := s.tagName()
	if s.listener != nil {
		s.listener.tag(name, false)
	}
	if s.foreign.active() {
		if !breaksOut(name) {
			return s.foreignTag(name)
		}
		s.foreign.leave()
	}
	e, raw := lookup(name)
	if !s.readAttrs(kept[e]) || e == elementImg && !s.attrs.set[attrLongdesc] {
		return elementNone
	}
	s.text = nil
	if raw == "" || s.flat || s.xml && s.attrs.selfClosing {
		return e
	}
	from := s.pos
	switch raw {
	case "math", "svg":
		if !s.attrs.selfClosing {
			s.foreign.open(name, nil)
		}
		return e
	case "template":
		s.templates++
		return e
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

// foreignTag reads a start tag of SVG or MathML from behind its name. What
// matters of them is their links.
func (s *scanner) foreignTag(name []byte) element {
	if !s.readAttrs(allLength) {
		return elementNone
	}
	if !s.attrs.selfClosing {
		encoding, _ := s.attrs.get(attrEncoding)
		s.foreign.open(name, encoding)
	}
	if len(name) != 1 || lower(name[0]) != 'a' {
		return elementNone
	}
	if raw, ok := s.attrs.get(attrXLink); ok && !s.attrs.set[attrHref] {
		s.attrs.set[attrHref], s.attrs.raw[attrHref] = true, raw
	}
	return elementA
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

// endTag reads what begins with "</", from the slash on.
func (s *scanner) endTag() {
	s.pos++
	switch {
	case s.pos == len(s.src):
	case isLetter(s.src[s.pos]):
		name := s.tagName()
		if s.listener != nil {
			s.listener.tag(name, true)
		}
		if len(s.foreign) > 0 || s.templates > 0 {
			s.close(name)
		}
		s.readAttrs(noLength)
	default:
		s.skipPastAngle()
	}
}

// close notes the end of an element where that may matter.
func (s *scanner) close(name []byte) {
	if !s.foreign.close(name) && s.templates > 0 && bytes.EqualFold(name, []byte("template")) {
		s.foreign, s.templates = s.foreign[:0], s.templates-1
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
	if s.foreign.active() && bytes.HasPrefix(s.src[s.pos:], []byte("[CDATA[")) {
		s.skipPast("]]>")
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
func (s *scanner) skipPastAngle() { s.skipPast(">") }

// skipPast moves behind the next mark, or to the end.
func (s *scanner) skipPast(mark string) {
	i := bytes.Index(s.src[s.pos:], []byte(mark))
	if i < 0 {
		s.pos = len(s.src)
		return
	}
	s.pos += i + len(mark)
}

// readAttrs reads the rest of a tag behind its name, and keeps the attributes
// with names of such lengths. It reports false if the text ends before the tag.
func (s *scanner) readAttrs(keep lengths) bool {
	if keep != noLength {
		s.attrs.set = [attrCount]bool{}
	}
	src, i, slash := s.src, s.pos, -1
	if i < len(src) && src[i] == '>' { // as most end tags do
		s.pos, s.attrs.selfClosing = i+1, false
		return true
	}
	for {
		if i = skipBlanks(src, i); i == len(src) {
			s.pos = i
			return false
		}
		if src[i] == '>' {
			s.pos, s.attrs.selfClosing = i+1, slash == i-1
			return true
		}
		from := i
		if src[i] == '=' {
			i++ // belongs to the name if it is the first of it
		}
		for i < len(src) && class[src[i]]&endsKey == 0 {
			i++
		}
		key := src[from:i]
		var value []byte
		if i = skipBlanks(src, i); i < len(src) {
			switch src[i] {
			case '/':
				slash = i
				i++
			case '=':
				value, i = attrValue(src, i+1)
			}
		}
		if keep>>(uint(len(key))&63)&1 != 0 && i < len(src) {
			s.attrs.put(key, value)
		}
	}
}
