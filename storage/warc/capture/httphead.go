package capture

import (
	"bytes"
	"strings"
)

// httpHead is what the head of a response says.
type httpHead struct {
	length int // including the empty line; everything if there is no such line
	status int // 0 if the first line is no status line
	mime   string
}

// parseHead reads the head at the beginning of an HTTP response.
func parseHead(response []byte) httpHead {
	h := httpHead{length: len(response)}
	rest := response[:min(len(response), MaxHead)]
	line, rest := cutLine(rest)
	h.status = parseStatus(line)
	for len(rest) > 0 {
		line, rest = cutLine(rest)
		if len(line) == 0 {
			h.length = min(len(response), MaxHead) - len(rest)
			break
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if ok && h.mime == "" && bytes.EqualFold(bytes.TrimSpace(name), []byte("content-type")) {
			h.mime = string(value)
		}
	}
	return h
}

// cutLine returns the first line without its end, and what follows it.
func cutLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

func parseStatus(line []byte) int {
	if !bytes.HasPrefix(line, []byte("HTTP/")) {
		return 0
	}
	_, code, _ := bytes.Cut(line, []byte(" "))
	if len(code) < 3 {
		return 0
	}
	n := 0
	for _, c := range code[:3] {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// HeadLength returns the length of the head at the beginning of an HTTP response, including the empty line; if no such
// line ends it within MaxHead, that of all.
func HeadLength(response []byte) int { return parseHead(response).length }

// MediaType returns the media type of a Content-Type without parameters, in
// lower case, and "unk", as is customary, for what is none.
func MediaType(contentType string) string {
	t, _, _ := strings.Cut(contentType, ";")
	t = strings.TrimSpace(t)
	if t == "" || len(t) > 127 {
		return "unk"
	}
	for i := range len(t) {
		if !isToken(t[i]) && t[i] != '/' {
			return "unk"
		}
	}
	return strings.ToLower(t)
}
