package fetch

import (
	"bytes"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/forage-net/forage/crawl/fetch/content"
)

// head is the final head of a response. Its strings are copies: they stay
// valid when the buffer they were read from does not.
type head struct {
	status int
	minor  int // of the version HTTP/1.minor
	header http.Header
}

// scanHead looks for the end of a head in b: an empty line. Lines end with LF,
// with or without CR before it. It returns the length of the head, or -1 and
// where to go on looking once there is more.
func scanHead(b []byte, from int) (length, next int) {
	for i := from; ; {
		lf := bytes.IndexByte(b[i:], '\n')
		if lf < 0 {
			return -1, max(from, len(b)-3) // CR, LF and CR may have come already
		}
		i += lf + 1
		rest := b[i:]
		switch {
		case len(rest) > 0 && rest[0] == '\n':
			return i + 1, 0
		case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
			return i + 2, 0
		}
	}
}

// looksLikeHTTP reports whether b may be the beginning of a response.
func looksLikeHTTP(b []byte) bool {
	const begin = "HTTP/1."
	n := min(len(b), len(begin))
	return string(b[:n]) == begin[:n]
}

// parseHead reads a complete head. It is as lenient as browsers: lines
// without a colon or with a name that is none are passed over, folded lines
// are joined, and the reason may be missing.
func parseHead(raw []byte) (head, *Error) {
	text := string(raw)
	line, text := cutLine(text)
	h, ok := parseStatus(line)
	if !ok {
		return h, &Error{Kind: KindNotHTTP}
	}
	fields := strings.Count(text, "\n")
	if fields > 2*maxFields { // some lines may be passed over or folded
		return h, &Error{Kind: KindHeadTooLarge, Detail: "too many fields"}
	}
	h.header = make(http.Header, min(fields, maxFields))
	values := make([]string, 0, fields) // one allocation for most of the one-element slices
	count, last := 0, ""                // last is the name of the field above, for folded lines
	for text != "" {
		line, text = cutLine(text)
		if line == "" {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			unfold(h.header[last], line)
			continue
		}
		var value string
		if last, value, ok = parseField(line); !ok {
			last = ""
			continue
		}
		if count++; count > maxFields {
			return h, &Error{Kind: KindHeadTooLarge, Detail: "too many fields"}
		}
		if old := h.header[last]; old != nil {
			h.header[last] = append(old, value)
			continue
		}
		values = append(values, value)
		h.header[last] = values[len(values)-1 : len(values) : len(values)]
	}
	return h, nil
}

// cutLine splits text after its first line, whose end is dropped.
func cutLine(text string) (line, rest string) {
	line, rest, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r"), rest
}

// parseStatus reads "HTTP/1.x NNN reason".
func parseStatus(line string) (head, bool) {
	version, rest, _ := strings.Cut(line, " ")
	if len(version) != len("HTTP/1.1") || !looksLikeHTTP([]byte(version)) || !isDigit(version[7]) {
		return head{}, false
	}
	rest = strings.TrimLeft(rest, " ")
	code, _, _ := strings.Cut(rest, " ")
	if len(code) != 3 || code[0] < '1' || !isDigit(code[0]) || !isDigit(code[1]) || !isDigit(code[2]) {
		return head{}, false
	}
	status := int(code[0]-'0')*100 + int(code[1]-'0')*10 + int(code[2]-'0')
	return head{status: status, minor: int(version[7] - '0')}, true
}

// parseField reads "Name: value". Blanks before the colon are dropped, as in
// browsers.
func parseField(line string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(line, ":")
	name = strings.TrimRight(name, " \t")
	if !ok || !content.IsToken(name) {
		return "", "", false
	}
	return textproto.CanonicalMIMEHeaderKey(name), strings.Trim(value, " \t\r"), true
}

// unfold joins a continuation line to the last value of its field.
func unfold(values []string, line string) {
	if len(values) == 0 {
		return
	}
	last := &values[len(values)-1]
	*last = strings.TrimLeft(*last+" "+strings.Trim(line, " \t\r"), " ")
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// listed reports whether a comma-separated list in values has the element
// want, in any case.
func listed(values []string, want string) bool {
	for _, v := range values {
		for e := range strings.SplitSeq(v, ",") {
			if strings.EqualFold(strings.Trim(e, " \t"), want) {
				return true
			}
		}
	}
	return false
}
