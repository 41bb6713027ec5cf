package charset

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

const (
	// UTF8 is the name of UTF-8, and Default that of the encoding of text that is not UTF-8 and names none.
	UTF8    = "utf-8"
	Default = "windows-1252"
	// Prescan is how far into a page the declaration of its encoding is
	// looked for before it is read (HTML standard, "prescan a byte stream").
	Prescan = 1024
)

// ParseContentType splits a Content-Type header into the media type in lower
// case and the label of the encoding, "" where they are missing.
func ParseContentType(s string) (mediaType, label string) {
	mediaType, params, _ := strings.Cut(s, ";")
	for param := range strings.SplitSeq(params, ";") {
		name, value, ok := strings.Cut(param, "=")
		if ok && label == "" && strings.EqualFold(strings.TrimSpace(name), "charset") {
			label = strings.Trim(value, " \t'\"")
		}
	}
	return strings.ToLower(strings.TrimSpace(mediaType)), label
}

// Lookup returns the encoding of a label and its name, nil and "" if there is
// none.
func Lookup(label string) (encoding.Encoding, string) {
	if strings.EqualFold(label, UTF8) {
		return encoding.Nop, UTF8
	}
	e, err := htmlindex.Get(label)
	if err != nil {
		return nil, ""
	}
	name, _ := htmlindex.Name(e) // it has one, for it was found by one
	return e, name
}

// SniffMark returns a text without its byte order mark, and the encoding that it
// names, "" if there is no mark.
func SniffMark(text []byte) (rest []byte, name string) {
	switch {
	case bytes.HasPrefix(text, []byte("\xef\xbb\xbf")):
		return text[3:], UTF8
	case bytes.HasPrefix(text, []byte("\xfe\xff")):
		return text[2:], "utf-16be"
	case bytes.HasPrefix(text, []byte("\xff\xfe")):
		return text[2:], "utf-16le"
	}
	return text, ""
}

// Guess returns the encoding of a text that names none.
func Guess(text []byte) string {
	if name := GuessUTF16(text[:min(len(text), Prescan)]); name != "" {
		return name
	}
	if validUTF8(text) {
		return UTF8
	}
	return Default
}

// GuessUTF16 returns the form of UTF-16 that the beginning of a text is in, if
// it is: markup has a zero in every other byte and nowhere else. It is "" for
// anything in doubt.
func GuessUTF16(head []byte) string {
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i&1]++
		}
	}
	const least = 8 // of zeros; less may be chance
	switch pairs := len(head) / 2; {
	case zeros[0] == 0 && zeros[1] >= least && 2*zeros[1] >= pairs:
		return "utf-16le"
	case zeros[1] == 0 && zeros[0] >= least && 2*zeros[0] >= pairs:
		return "utf-16be"
	}
	return ""
}

// outputCharset returns the encoding of what a page of that encoding sends
// (encoding standard, "get an output encoding"), "" for UTF-8.
func outputCharset(name string) string {
	switch name {
	case UTF8, "utf-16be", "utf-16le", "replacement":
		return ""
	}
	return name
}

// LikeASCII reports whether bytes below 0x80 always mean ASCII in an encoding.
func LikeASCII(name string) bool {
	switch name {
	case "utf-16be", "utf-16le", "iso-2022-jp", "replacement":
		return false
	}
	return true
}

// IsASCII reports whether all bytes are below 0x80.
func IsASCII(b []byte) bool {
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

// Readable returns the encoding of a label that could be read in that
// encoding's stead, "" if there is none of that label.
func Readable(label string) string {
	switch _, name := Lookup(label); name {
	case "utf-16be", "utf-16le":
		return UTF8 // or else the declaration could not have been read
	case "x-user-defined":
		return Default
	default:
		return name
	}
}

// LabelOfXML returns the encoding in the XML declaration a text begins with, "" if
// there is none.
func LabelOfXML(head []byte) string {
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
