package fetch

import (
	"net/http"
	"strings"
)

// sniffAt is how many bytes of payload the type of an unlabelled body is
// told by; DetectContentType looks at 512, compressed ones need fewer.
const sniffAt = 512

// mediaType returns the type of a response without parameters, in lower case,
// or "" if it is missing or says nothing. Of several the last counts, as in browsers.
func mediaType(h http.Header) string {
	values := h["Content-Type"]
	for i := len(values) - 1; i >= 0; i-- {
		t, _, _ := strings.Cut(values[i], ";")
		t = strings.ToLower(strings.Trim(t, " \t"))
		major, minor, ok := strings.Cut(t, "/")
		if ok && isToken(major) && isToken(minor) && t != "*/*" && t != "unknown/unknown" && t != "application/unknown" {
			return t
		}
	}
	return ""
}

// isText reports whether pages of the type may hold text and links to read.
func isText(t string) bool {
	return strings.HasPrefix(t, "text/") || t == "application/xhtml+xml" || t == "application/xml" || strings.HasSuffix(t, "+xml")
}

// sniff tells a type by the first bytes of a payload.
func (p *pools) sniff(payload []byte, h http.Header) string {
	list, err := codings(h["Content-Encoding"])
	if err != nil {
		return "application/octet-stream"
	}
	if len(payload) > 0 && len(list) > 0 {
		text := p.buffer()
		defer p.recycle(text)
		p.decode(text, payload, list, sniffAt, sniffAt) // of a part of the payload: an error is normal
		if len(*text) == 0 {
			return "application/octet-stream"
		}
		payload = *text
	}
	t, _, _ := strings.Cut(http.DetectContentType(payload), ";")
	return t
}
