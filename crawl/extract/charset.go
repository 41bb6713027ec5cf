package extract

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/transform"
)

const (
	utf8Name    = "utf-8"
	defaultName = "windows-1252"
	// prescanBytes is how far into a page its encoding may be declared.
	prescanBytes = 1024
)

// parseContentType splits a Content-Type header into the media type in lower
// case and the label of the encoding, "" where they are missing.
func parseContentType(s string) (mediaType, label string) {
	mediaType, params, _ := strings.Cut(s, ";")
	for param := range strings.SplitSeq(params, ";") {
		name, value, ok := strings.Cut(param, "=")
		if ok && label == "" && strings.EqualFold(strings.TrimSpace(name), "charset") {
			label = strings.Trim(value, " \t'\"")
		}
	}
	return strings.ToLower(strings.TrimSpace(mediaType)), label
}

// decode returns a page in UTF-8 (invalid sequences may remain in what was
// UTF-8 before) and the name of its encoding: by byte order mark,
// else by the label from the header, else as declared in the page
// (encoding sniffing of the HTML standard), else UTF-8 if it is valid. The
// text is body itself where nothing has to be changed.
func (s *scratch) decode(body []byte, label string) (text []byte, name string) {
	switch {
	case bytes.HasPrefix(body, []byte("\xef\xbb\xbf")):
		return body[3:], utf8Name
	case bytes.HasPrefix(body, []byte("\xfe\xff")):
		return s.transcode(body[2:], "utf-16be"), "utf-16be"
	case bytes.HasPrefix(body, []byte("\xff\xfe")):
		return s.transcode(body[2:], "utf-16le"), "utf-16le"
	case strings.EqualFold(label, utf8Name):
		return body, utf8Name
	}
	if _, name = charset.Lookup(label); name == "" {
		name = declared(body[:min(len(body), prescanBytes)])
	}
	if name == "" {
		if validUTF8(body) {
			return body, utf8Name
		}
		name = defaultName
	}
	if name == utf8Name || likeASCII(name) && isASCII(body) {
		return body, name
	}
	return s.transcode(body, name), name
}

// declared returns the name of the encoding that a meta element at the
// beginning of a page declares, "" if none does.
func declared(head []byte) string {
	s := scanner{src: head}
	for e := s.next(); e != elementNone; e = s.next() {
		if e != elementMeta {
			continue
		}
		name := ""
		if label, ok := s.attrs.get(attrCharset); ok {
			_, name = charset.Lookup(string(label))
		} else if pragma, _ := s.attrs.get(attrHTTPEquiv); bytes.EqualFold(pragma, []byte("content-type")) {
			content, _ := s.attrs.get(attrContent)
			_, name = charset.Lookup(labelIn(content))
		}
		switch name {
		case "":
		case "utf-16be", "utf-16le":
			return utf8Name // or else the declaration could not have been read
		case "x-user-defined":
			return defaultName
		default:
			return name
		}
	}
	return ""
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

// transcode returns body in UTF-8: three times as long at most.
func (s *scratch) transcode(body []byte, name string) []byte {
	encoding, _ := charset.Lookup(name)
	// Decoders write U+FFFD for what they cannot read, and do not fail.
	text, _, _ := transform.Append(encoding.NewDecoder(), s.decoded[:0], body)
	s.decoded = text
	return text
}

// likeASCII reports whether bytes below 0x80 always mean ASCII in an encoding.
func likeASCII(name string) bool {
	switch name {
	case "utf-16be", "utf-16le", "iso-2022-jp", "replacement":
		return false
	}
	return true
}

func isASCII(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b)&0x8080808080808080 != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// validUTF8 reports whether b is UTF-8, the last character of which may be cut off.
func validUTF8(b []byte) bool {
	for i := 1; i <= min(utf8.UTFMax, len(b)); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:]) {
				b = b[:len(b)-i]
			}
			break
		}
	}
	return utf8.Valid(b)
}
