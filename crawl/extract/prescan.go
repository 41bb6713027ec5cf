package extract

import (
	"bytes"

	"github.com/forage-net/forage/crawl/extract/charset"
	"github.com/forage-net/forage/crawl/extract/tags"
)

// declared returns the name of the encoding that a page declares at its
// beginning: in a meta element, else in its XML declaration; "" if it does not.
func declared(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("<\x00?\x00x\x00")):
		return "utf-16le"
	case bytes.HasPrefix(head, []byte("\x00<\x00?\x00x")):
		return "utf-16be"
	}
	s := tags.Scanner{Src: head, Flat: true}
	for e := s.Next(); e != tags.ElementNone; e = s.Next() {
		if e != tags.ElementMeta {
			continue
		}
		if name := declaredBy(&s.Attrs); name != "" {
			return name
		}
	}
	return charset.Readable(charset.LabelOfXML(head))
}

// declaredBy returns the encoding that a meta element declares.
func declaredBy(attrs *tags.Attributes) string {
	if label, ok := attrs.Get(tags.AttrCharset); ok {
		return charset.Readable(string(label))
	}
	if pragma, _ := attrs.Get(tags.AttrHTTPEquiv); !bytes.EqualFold(pragma, []byte("content-type")) {
		return ""
	}
	content, _ := attrs.Get(tags.AttrContent)
	return charset.Readable(labelIn(content))
}

// labelIn returns what stands behind "charset=" in the content of a meta
// element, "" if nothing does.
func labelIn(content []byte) string {
	rest := bytes.ToLower(content)
	for {
		var ok bool
		if _, rest, ok = bytes.Cut(rest, []byte("charset")); !ok {
			return ""
		}
		value := rest[tags.SkipBlanks(rest, 0):]
		if len(value) == 0 || value[0] != '=' {
			continue
		}
		value = value[1+tags.SkipBlanks(value[1:], 0):]
		if len(value) > 0 && (value[0] == '"' || value[0] == '\'') {
			label, _, closed := bytes.Cut(value[1:], value[:1])
			if !closed {
				return ""
			}
			return string(label)
		}
		if i := bytes.IndexAny(value, "; \t\n\f\r"); i >= 0 {
			value = value[:i]
		}
		return string(value)
	}
}
