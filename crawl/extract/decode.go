package extract

import "bytes"

// Decode returns a text in UTF-8, invalid sequences replaced, and the name of
// the encoding it was in: found as HTML finds that of a page, from the
// parameter charset of a Content-Type and from the text itself. The result may
// be body, which is not changed.
func Decode(contentType string, body []byte) (text []byte, charset string) {
	_, label := parseContentType(contentType)
	s := new(scratch) // its memory is handed out
	text, charset, legacy := s.decode(body, label)
	if legacy != nil {
		text = s.transcode(text, legacy)
	}
	return bytes.ToValidUTF8(text, []byte("\uFFFD")), charset
}
