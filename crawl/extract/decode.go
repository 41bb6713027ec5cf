package extract

import (
	"bytes"

	"github.com/forage-net/forage/crawl/extract/charset"
	"github.com/forage-net/forage/crawl/extract/tags"
)

// Decode returns a text in UTF-8, invalid sequences replaced, and the name of
// the encoding it was in: found as HTML finds that of a page, from the
// parameter charset of a Content-Type and from the text itself. The result may
// be body, which is not changed.
func Decode(contentType string, body []byte) (text []byte, name string) {
	mediaType, label := charset.ParseContentType(contentType)
	s := new(scratch) // its memory is handed out
	text, e := s.decode(body, label)
	if e.tentative && (mediaType == "" || mediaType == "text/html") {
		if late := declaredLate(text); late != "" && late != e.name {
			text, e = s.decode(body, late)
		}
	}
	if e.legacy != nil {
		text = s.transcode(text, e.legacy)
	}
	return bytes.ToValidUTF8(text, []byte("\uFFFD")), e.name
}

// declaredLate returns the encoding that a page declares anywhere, "" if it does not.
func declaredLate(text []byte) string {
	s := tags.Scanner{Src: text}
	for e := s.Next(); e != tags.ElementNone; e = s.Next() {
		if e != tags.ElementMeta || s.Templates > 0 {
			continue
		}
		if name := declaredBy(&s.Attrs); name != "" {
			return name
		}
	}
	return ""
}
