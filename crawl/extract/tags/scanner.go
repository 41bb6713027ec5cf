package tags

import "bytes"

// Scanner splits HTML in UTF-8, or in anything else that agrees with ASCII in what it
// looks at, into tags. It does not change the text; what it returns points into it.
type Scanner struct {
	Src []byte
	// XML says that a self-closing tag has no content, as in XHTML. HTML
	// pays no heed to the slash.
	XML bool
	// Flat says that the content of all elements is HTML, as for the search
	// of a declared encoding.
	Flat bool

	// Listener, if set, gets text and tags.
	Listener Listener

	// Attrs are those of the tag last returned.
	Attrs Attributes
	// Text is the content of a title last returned.
	Text []byte
	// Templates is how many templates are open.
	Templates int

	pos     int
	foreign foreign // what is open of SVG and MathML
}

// Listener hears of text and tags in their order.
type Listener interface {
	// HearText gets text as it stands between two tags, outside templates, SVG and MathML.
	HearText(raw []byte)
	// HearTag gets the name of any start tag, or of any end tag, as written.
	HearTag(name []byte, end bool)
}

// Next returns the next start tag that matters, ElementNone at the end. A
// tag the text ends in is none.
func (s *Scanner) Next() Element {
	for {
		if s.pos == len(s.Src) || s.Src[s.pos] != '<' { // tags often follow each other
			i := bytes.IndexByte(s.Src[s.pos:], '<')
			end := i
			if i < 0 {
				end = len(s.Src) - s.pos
			}
			if s.Listener != nil && s.Templates == 0 && !s.foreign.active() {
				s.Listener.HearText(s.Src[s.pos : s.pos+end])
			}
			s.pos += end
			if i < 0 {
				return ElementNone
			}
		}
		if s.pos++; s.pos == len(s.Src) {
			return ElementNone
		}
		switch c := s.Src[s.pos]; {
		case IsLetter(c):
			if e := s.startTag(); e != ElementNone {
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
func (s *Scanner) startTag() Element {
	name := s.tagName()
	if s.Listener != nil {
		s.Listener.HearTag(name, false)
	}
	if s.foreign.active() {
		if !breaksOut(name) {
			return s.foreignTag(name)
		}
		s.foreign.leave()
	}
	e, raw := lookup(name)
	if !s.readAttrs(kept[e]) || e == ElementImg && !s.Attrs.set[AttrLongdesc] {
		return ElementNone
	}
	s.Text = nil
	if raw == "" || s.Flat || s.XML && s.Attrs.selfClosing {
		return e
	}
	from := s.pos
	switch raw {
	case "math", "svg":
		if !s.Attrs.selfClosing {
			s.foreign.open(name, nil)
		}
		return e
	case "template":
		s.Templates++
		return e
	case "plaintext":
		s.pos = len(s.Src)
	case "script":
		s.pos = scriptEnd(s.Src, s.pos)
	default:
		s.pos = rawTextEnd(s.Src, s.pos, raw)
	}
	s.Text = s.Src[from:s.pos]
	return e
}

// foreignTag reads a start tag of SVG or MathML from behind its name. What
// matters of them is their links.
func (s *Scanner) foreignTag(name []byte) Element {
	if !s.readAttrs(allLength) {
		return ElementNone
	}
	if !s.Attrs.selfClosing {
		encoding, _ := s.Attrs.Get(AttrEncoding)
		s.foreign.open(name, encoding)
	}
	if len(name) != 1 || Lower(name[0]) != 'a' {
		return ElementNone
	}
	if raw, ok := s.Attrs.Get(AttrXLink); ok && !s.Attrs.set[AttrHref] {
		s.Attrs.set[AttrHref], s.Attrs.raw[AttrHref] = true, raw
	}
	return ElementA
}

// tagName reads a name up to a blank, a slash or the end of the tag.
func (s *Scanner) tagName() []byte {
	src, i := s.Src, s.pos
	for i < len(src) && class[src[i]]&endsName == 0 {
		i++
	}
	name := src[s.pos:i]
	s.pos = i
	return name
}

// endTag reads what begins with "</", from the slash on.
func (s *Scanner) endTag() {
	s.pos++
	switch {
	case s.pos == len(s.Src):
	case IsLetter(s.Src[s.pos]):
		name := s.tagName()
		if s.Listener != nil {
			s.Listener.HearTag(name, true)
		}
		if len(s.foreign) > 0 || s.Templates > 0 {
			s.close(name)
		}
		s.readAttrs(noLength)
	default:
		s.skipPastAngle()
	}
}

// close notes the end of an element where that may matter.
func (s *Scanner) close(name []byte) {
	if !s.foreign.close(name) && s.Templates > 0 && bytes.EqualFold(name, []byte("template")) {
		s.foreign, s.Templates = s.foreign[:0], s.Templates-1
	}
}

// declaration reads what begins with "<!", from the mark on.
func (s *Scanner) declaration() {
	s.pos++
	if bytes.HasPrefix(s.Src[s.pos:], []byte("--")) {
		s.pos += len("--")
		s.comment()
		return
	}
	if s.foreign.active() && bytes.HasPrefix(s.Src[s.pos:], []byte("[CDATA[")) {
		s.skipPast("]]>")
		return
	}
	s.skipPastAngle()
}

// comment reads to the end of a comment: "-->", "--!>", or at the very beginning
// also ">" and "->".
func (s *Scanner) comment() {
	text := s.Src[s.pos:]
	for n := 0; ; n++ {
		i := bytes.IndexByte(text[n:], '>')
		if i < 0 {
			s.pos = len(s.Src)
			return
		}
		n += i
		if t := text[:n]; n == 0 || n == 1 && t[0] == '-' || bytes.HasSuffix(t, []byte("--")) ||
			bytes.HasSuffix(t, []byte("--!")) {
			s.pos += n + 1
			return
		}
	}
}

// skipPastAngle moves behind the next ">".
func (s *Scanner) skipPastAngle() { s.skipPast(">") }

// skipPast moves behind the next mark, or to the end.
func (s *Scanner) skipPast(mark string) {
	i := bytes.Index(s.Src[s.pos:], []byte(mark))
	if i < 0 {
		s.pos = len(s.Src)
		return
	}
	s.pos += i + len(mark)
}

// readAttrs reads the rest of a tag behind its name, and keeps the attributes
// with names of such lengths. It reports false if the text ends before the tag.
func (s *Scanner) readAttrs(keep lengths) bool {
	if keep != noLength {
		s.Attrs.set = [attrCount]bool{}
	}
	src, i, slash := s.Src, s.pos, -1
	if i < len(src) && src[i] == '>' { // as most end tags do
		s.pos, s.Attrs.selfClosing = i+1, false
		return true
	}
	for {
		if i = SkipBlanks(src, i); i == len(src) {
			s.pos = i
			return false
		}
		if src[i] == '>' {
			s.pos, s.Attrs.selfClosing = i+1, slash == i-1
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
		if i = SkipBlanks(src, i); i < len(src) {
			switch src[i] {
			case '/':
				slash = i
				i++
			case '=':
				value, i = attrValue(src, i+1)
			}
		}
		if keep>>(uint(len(key))&63)&1 != 0 && i < len(src) {
			s.Attrs.put(key, value)
		}
	}
}

// AttributesOf returns the attributes of a tag, from its name on, that ends with ">".
func AttributesOf(tag []byte) Attributes {
	s := Scanner{Src: tag, pos: NameLength(tag)}
	s.readAttrs(allLength)
	return s.Attrs
}
