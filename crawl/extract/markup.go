package extract

import (
	"bufio"
	"bytes"

	"github.com/forage-net/forage/crawl/extract/tags"
)

const (
	// maxText is the longest text of an element that counts, in bytes: twice
	// the longest URL, for blanks around it and references in it.
	maxText = 4 << 10
	// maxTag is how much of a tag is read for attributes.
	maxTag = 8 << 10
)

// markup reads XML in UTF-8 as a stream of tags. It is lenient: names need not
// match, a stray "<" is text, no declaration is obeyed and no entity of the
// document's own is known. What it keeps at a time is bounded.
type markup struct {
	r *bufio.Reader

	// tag is the tag last read from its name on, with its ">", local its name
	// without the prefix.
	tag, local []byte
	// empty says that the tag is its element's end, too.
	empty bool
	// text is what stands before the tag, back to the tag before it; nil if it is
	// longer than maxText. It is good until the next tag.
	text []byte

	run  []byte // of text, as written
	buf  []byte // for resolved text
	long bool   // the text is too long
}

// token is a kind of tag.
type token uint8

const (
	tokenStart token = iota + 1
	tokenEnd
)

// next reads the next tag. The error is that of the reader, io.EOF at the end.
func (m *markup) next() (token, error) {
	m.text, m.run, m.long = m.text[:0], m.run[:0], false
	for {
		if err := m.readRun(); err != nil {
			return 0, err
		}
		c, err := m.r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch {
		case c == '!':
			err = m.declaration()
		case c == '?':
			err = m.past("?>", false)
		case c == '/':
			return tokenEnd, m.readTag(false)
		case tags.IsLetter(c) || c == '_' || c == ':' || c >= 0x80:
			if err = m.r.UnreadByte(); err == nil {
				err = m.readTag(true)
			}
			return tokenStart, err
		default:
			m.keep('<', c)
		}
		if err != nil {
			return 0, err
		}
	}
}

// readRun reads text up to a "<", and that.
func (m *markup) readRun() error {
	for {
		piece, err := m.r.ReadSlice('<')
		if err == nil {
			m.keep(piece[:len(piece)-1]...)
			return nil
		}
		m.keep(piece...)
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}

// keep adds to the text as written, keepText to the text as it is meant.
func (m *markup) keep(piece ...byte) { m.run = m.grow(m.run, piece) }

func (m *markup) keepText(piece ...byte) { m.text = m.grow(m.text, piece) }

func (m *markup) grow(text, piece []byte) []byte {
	if m.long = m.long || len(text)+len(piece) > maxText; m.long {
		return text[:0]
	}
	return append(text, piece...)
}

// flush resolves the references of the text so far.
func (m *markup) flush() {
	if bytes.IndexByte(m.run, '&') < 0 {
		m.keepText(m.run...)
	} else {
		m.buf = tags.Text(m.run, m.buf)
		m.keepText(m.buf...)
	}
	m.run = m.run[:0]
}

// readTag reads a tag from its name to its end, which is no ">" in quotes.
func (m *markup) readTag(quotes bool) error {
	m.flush()
	if m.readPlainTag(quotes) {
		return nil
	}
	m.tag = m.tag[:0]
	quote := byte(0)
	for {
		c, err := m.r.ReadByte()
		if err != nil {
			return err
		}
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case quotes && (c == '"' || c == '\''):
			quote = c
		case c == '>':
			m.endTag()
			return nil
		}
		if len(m.tag) < maxTag {
			m.tag = append(m.tag, c)
		}
	}
}

// readPlainTag reads a tag that is in the buffer as a whole, and has no quotes
// where they matter. It reports whether there was one.
func (m *markup) readPlainTag(quotes bool) bool {
	ahead, _ := m.r.Peek(m.r.Buffered())
	n := bytes.IndexByte(ahead[:min(len(ahead), maxTag)], '>')
	if n < 0 || quotes && (bytes.IndexByte(ahead[:n], '"') >= 0 || bytes.IndexByte(ahead[:n], '\'') >= 0) {
		return false
	}
	m.tag = append(m.tag[:0], ahead[:n]...)
	if _, err := m.r.Discard(n + 1); err != nil {
		return false
	}
	m.endTag()
	return true
}

// endTag notes what the tag now read is.
func (m *markup) endTag() {
	m.empty = bytes.HasSuffix(m.tag, []byte("/"))
	m.tag = append(m.tag, '>')
	name := m.tag[:tags.NameLength(m.tag)]
	m.local = name[bytes.LastIndexByte(name, ':')+1:]
}

// attrs returns the attributes of the tag.
func (m *markup) attrs() tags.Attributes { return tags.AttributesOf(m.tag) }

// declaration reads what begins with "<!".
func (m *markup) declaration() error {
	if head, _ := m.r.Peek(len("--")); string(head) == "--" {
		return m.past("-->", false)
	}
	if head, _ := m.r.Peek(len("[CDATA[")); string(head) == "[CDATA[" {
		if _, err := m.r.Discard(len(head)); err != nil {
			return err
		}
		m.flush()
		return m.past("]]>", true)
	}
	return m.doctype()
}

// doctype reads a document type with all that is declared in it.
func (m *markup) doctype() error {
	quote := byte(0)
	for depth := 1; depth > 0; {
		c, err := m.r.ReadByte()
		if err != nil {
			return err
		}
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			depth--
		case c == '<':
			if head, _ := m.r.Peek(len("!--")); string(head) == "!--" {
				err = m.past("-->", false)
			} else {
				depth++
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// past reads past a mark that ends in ">". What is before it is text if keep is set.
func (m *markup) past(mark string, keep bool) error {
	tail := make([]byte, 0, 8) // the end of what was read, no longer than the mark
	for {
		piece, err := m.r.ReadSlice('>')
		if keep {
			m.keepText(piece...)
		}
		tail = append(tail, piece[max(0, len(piece)-len(mark)):]...)
		tail = append(tail[:0], tail[max(0, len(tail)-len(mark)):]...)
		switch {
		case err == nil && string(tail) == mark:
			if keep && !m.long {
				m.text = m.text[:len(m.text)-len(mark)]
			}
			return nil
		case err != nil && err != bufio.ErrBufferFull:
			return err
		}
	}
}
