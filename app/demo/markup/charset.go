package markup

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	japan "golang.org/x/text/encoding/japanese"
	korea "golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/unicode"
)

// Charset is the character encoding of a site and where it is declared.
type Charset uint8

// The encodings, and where each is declared.
const (
	UTF8        Charset = iota // in header and meta
	UTF8Meta                   // in meta alone
	Windows1252                // windows-1252, in the header alone
	Windows1250                // windows-1250, in both
	Windows1251                // windows-1251, in the header alone
	Latin1Meta                 // iso-8859-1, in meta alone, the long form
	ShiftJIS                   // in meta alone
	EUCKR                      // in the header alone
	UTF16                      // little endian, by a byte order mark alone
)

// ContentType returns the Content-Type of the site's pages.
func (c Charset) ContentType() string {
	switch c {
	case UTF8:
		return "text/html; charset=utf-8"
	case Windows1252:
		return "text/html; charset=windows-1252"
	case Windows1250:
		return `text/html;charset="Windows-1250"`
	case Windows1251:
		return "text/html; charset=windows-1251"
	case EUCKR:
		return "text/html; charset=euc-kr"
	}
	return "text/html"
}

// Meta returns the declaration in the document, "" if there is none.
func (c Charset) Meta() string {
	switch c {
	case UTF8, UTF8Meta:
		return "<meta charset=\"utf-8\">\n"
	case Windows1250:
		return "<meta charset=windows-1250>\n"
	case Latin1Meta:
		return "<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=ISO-8859-1\">\n"
	case ShiftJIS:
		return "<meta charset=\"Shift_JIS\">\n"
	}
	return ""
}

// Encode encodes UTF-8. What the encoding lacks becomes a character
// reference, as browsers do.
func (c Charset) Encode(doc []byte) []byte {
	var e encoding.Encoding
	switch c {
	case Windows1252, Latin1Meta: // which are one and the same on the web
		e = charmap.Windows1252
	case Windows1250:
		e = charmap.Windows1250
	case Windows1251:
		e = charmap.Windows1251
	case ShiftJIS:
		e = japan.ShiftJIS
	case EUCKR:
		e = korea.EUCKR
	case UTF16:
		e = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	default:
		return doc
	}
	encoder := e.NewEncoder()
	if c != UTF16 {
		encoder = encoding.HTMLEscapeUnsupported(encoder)
	}
	out, err := encoder.Bytes(doc)
	if err != nil {
		// Only a document that is not UTF-8 fails, and we wrote it.
		panic("markup: encode: " + err.Error())
	}
	return out
}
