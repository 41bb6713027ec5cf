package extract

import "bytes"

// declared returns the name of the encoding that a page declares at its
// beginning: in a meta element, else in its XML declaration; "" if it does not.
func declared(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("<\x00?\x00x\x00")):
		return "utf-16le"
	case bytes.HasPrefix(head, []byte("\x00<\x00?\x00x")):
		return "utf-16be"
	}
	s := scanner{src: head, flat: true}
	for e := s.next(); e != elementNone; e = s.next() {
		if e != elementMeta {
			continue
		}
		if name := declaredBy(&s.attrs); name != "" {
			return name
		}
	}
	return readable(labelOfXML(head))
}

// declaredBy returns the encoding that a meta element declares.
func declaredBy(attrs *attributes) string {
	if label, ok := attrs.get(attrCharset); ok {
		return readable(string(label))
	}
	if pragma, _ := attrs.get(attrHTTPEquiv); !bytes.EqualFold(pragma, []byte("content-type")) {
		return ""
	}
	content, _ := attrs.get(attrContent)
	return readable(labelIn(content))
}

// readable returns the encoding of a label that could be read in that
// encoding's stead, "" if there is none of that label.
func readable(label string) string {
	switch _, name := lookupEncoding(label); name {
	case "utf-16be", "utf-16le":
		return utf8Name // or else the declaration could not have been read
	case "x-user-defined":
		return defaultName
	default:
		return name
	}
}

// labelOfXML returns the encoding in the XML declaration a text begins with, "" if
// there is none.
func labelOfXML(head []byte) string {
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	declaration, _, closed := bytes.Cut(head, []byte(">"))
	_, rest, ok := bytes.Cut(declaration, []byte("encoding"))
	rest = bytes.TrimLeft(rest, "\x00\t\n\f\r ")
	if !ok || !closed || len(rest) == 0 || rest[0] != '=' {
		return ""
	}
	rest = bytes.TrimLeft(rest[1:], "\x00\t\n\f\r ")
	if len(rest) == 0 || rest[0] != '"' && rest[0] != '\'' {
		return ""
	}
	label, _, closed := bytes.Cut(rest[1:], rest[:1])
	if !closed {
		return ""
	}
	return string(label)
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
		value := rest[skipBlanks(rest, 0):]
		if len(value) == 0 || value[0] != '=' {
			continue
		}
		value = value[1+skipBlanks(value[1:], 0):]
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
