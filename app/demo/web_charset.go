package demo

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	japan "golang.org/x/text/encoding/japanese"
	korea "golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/unicode"
)

// charset is the character encoding of a site and where it is declared.
type charset uint8

const (
	charsetUTF8       charset = iota // in header and meta
	charsetUTF8Meta                  // in meta alone
	charset1252                      // windows-1252, in the header alone
	charset1250                      // windows-1250, in both
	charset1251                      // windows-1251, in the header alone
	charsetLatin1Meta                // iso-8859-1, in meta alone, the long form
	charsetShiftJIS                  // in meta alone
	charsetEUCKR                     // in the header alone
	charsetUTF16                     // little endian, by a byte order mark alone
)

// contentType returns the Content-Type of the site's pages.
func (c charset) contentType() string {
	switch c {
	case charsetUTF8:
		return "text/html; charset=utf-8"
	case charset1252:
		return "text/html; charset=windows-1252"
	case charset1250:
		return `text/html;charset="Windows-1250"`
	case charset1251:
		return "text/html; charset=windows-1251"
	case charsetEUCKR:
		return "text/html; charset=euc-kr"
	}
	return "text/html"
}

// meta returns the declaration in the document, "" if there is none.
func (c charset) meta() string {
	switch c {
	case charsetUTF8, charsetUTF8Meta:
		return "<meta charset=\"utf-8\">\n"
	case charset1250:
		return "<meta charset=windows-1250>\n"
	case charsetLatin1Meta:
		return "<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=ISO-8859-1\">\n"
	case charsetShiftJIS:
		return "<meta charset=\"Shift_JIS\">\n"
	}
	return ""
}

// encode encodes UTF-8. What the encoding lacks becomes a character
// reference, as browsers do.
func (c charset) encode(doc []byte) []byte {
	var e encoding.Encoding
	switch c {
	case charset1252, charsetLatin1Meta: // which are one and the same on the web
		e = charmap.Windows1252
	case charset1250:
		e = charmap.Windows1250
	case charset1251:
		e = charmap.Windows1251
	case charsetShiftJIS:
		e = japan.ShiftJIS
	case charsetEUCKR:
		e = korea.EUCKR
	case charsetUTF16:
		e = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	default:
		return doc
	}
	encoder := e.NewEncoder()
	if c != charsetUTF16 {
		encoder = encoding.HTMLEscapeUnsupported(encoder)
	}
	out, err := encoder.Bytes(doc)
	if err != nil {
		// Only a document that is not UTF-8 fails, and we wrote it.
		panic("demo: encode: " + err.Error())
	}
	return out
}
