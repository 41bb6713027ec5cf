package content

import (
	"bytes"
	"net/http"
	"strings"
)

// SniffAt is how many bytes of payload the type of an unlabelled body is
// told by; DetectContentType looks at 512, compressed ones need fewer.
const SniffAt = 512

// Type returns the type of a response without parameters, in lower case,
// and the label of its charset. Of several in one field or many the last valid one counts, and
// one of the same type without a charset leaves that of the type before (Fetch standard,
// "extract a MIME type"). The type is "" if the head names none, or one that by the MIME
// sniffing standard (§7) says nothing, so that the body must be looked at.
func Type(h http.Header) (mediaType, charset string) {
	for _, value := range h["Content-Type"] {
		for value != "" {
			var item string
			item, value = cutOutsideQuotes(value, ',')
			t, label, ok := parseMediaType(item)
			if !ok || t == "*/*" {
				continue
			}
			if t != mediaType || label != "" {
				mediaType, charset = t, label
			}
		}
	}
	if mediaType == "unknown/unknown" || mediaType == "application/unknown" {
		mediaType = ""
	}
	return mediaType, charset
}

// parseMediaType reads a type and its parameter charset, the first of that name
// (MIME sniffing standard §4.4, "parse a MIME type").
func parseMediaType(s string) (mediaType, charset string, ok bool) {
	mediaType, params := cutOutsideQuotes(s, ';')
	mediaType = strings.ToLower(strings.Trim(mediaType, " \t\r\n"))
	major, minor, ok := strings.Cut(mediaType, "/")
	if !ok || !IsToken(major) || !IsToken(minor) {
		return "", "", false
	}
	for params != "" && charset == "" {
		var param string
		param, params = cutOutsideQuotes(params, ';')
		if name, value, _ := strings.Cut(param, "="); strings.EqualFold(strings.TrimLeft(name, " \t\r\n"), "charset") {
			charset = encodingLabel(value)
		}
	}
	return mediaType, charset, true
}

// encodingLabel returns the value of a parameter if it may be the label of an encoding: none of
// them (Encoding standard §4.2) has characters that separate or quote.
func encodingLabel(value string) string {
	value = strings.Trim(value, " \t\r\n")
	if quoted, ok := strings.CutPrefix(value, `"`); ok {
		value, _, _ = strings.Cut(quoted, `"`)
	}
	if strings.ContainsAny(value, "\\,;\"") {
		return ""
	}
	return value
}

// cutOutsideQuotes splits s around the first separator that is in no quoted string.
func cutOutsideQuotes(s string, separator byte) (before, after string) {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == separator && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// IsText reports whether pages of the type may hold text and links to read.
func IsText(t string) bool {
	return strings.HasPrefix(t, "text/") || t == "application/xhtml+xml" || t == "application/xml" ||
		strings.HasSuffix(t, "+xml")
}

// Sniff tells a type by the first bytes of a payload.
func (p *Pools) Sniff(payload []byte, h http.Header) string {
	list, _ := Codings(h)
	if len(payload) == 0 || len(list) == 0 || Plain(payload) {
		return sniffText(payload)
	}
	text := p.Buffer()
	defer p.Recycle(text)
	p.Decode(text, payload, list, SniffAt, SniffAt) // of a part of the payload: an error is normal
	if len(*text) == 0 {
		return "application/octet-stream"
	}
	return sniffText(*text)
}

// sniffText tells a type by the first bytes of a body (MIME sniffing standard §7.1). In two things
// it is wider, since a wish that is not seen is worse than a link too many: a mark of the
// byte order is passed over, and the elements of a head that the standard does not list make a page, too.
func sniffText(body []byte) string {
	body = body[:min(len(body), SniffAt)]
	t, _, _ := strings.Cut(http.DetectContentType(body), ";")
	if t != "text/plain" {
		return t
	}
	switch {
	case bytes.HasPrefix(body, []byte("\xfe\xff")), bytes.HasPrefix(body, []byte("\xff\xfe")):
		body = bytes.ReplaceAll(body[2:], []byte{0}, nil) // UTF-16: markup is ASCII
	default:
		body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	}
	if marked, _, _ := strings.Cut(http.DetectContentType(body), ";"); marked == "text/html" || marked == "text/xml" {
		return marked
	}
	begin := bytes.ToLower(bytes.TrimLeft(body, " \t\r\n\f"))
	for _, tag := range []string{"<meta", "<link", "<base", "<frameset"} {
		if rest, ok := bytes.CutPrefix(begin, []byte(tag)); ok && len(rest) > 0 &&
			bytes.IndexByte([]byte(" \t\r\n\f/>"), rest[0]) >= 0 {
			return "text/html"
		}
	}
	return t
}

// IsToken reports whether s is a token (RFC 9110 §5.6.2).
func IsToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}
