package capture

import (
	"bytes"
	"net/netip"
	"strings"
	"time"
)

// dateLayout is the form of all dates we write. WARC 1.1 allows fractions of a
// second; a fixed width keeps dates comparable as strings.
const dateLayout = "2006-01-02T15:04:05.000000Z"

// AppendURL appends a URL as it is stored: every byte is escaped that could end
// a header line, a CDXJ field or an ASCII-only parser.
func AppendURL(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c > ' ' && c < 0x7f {
			b = append(b, c)
		} else {
			b = append(b, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		}
	}
	return b
}

// appendField appends a line of application/warc-fields. Control characters
// become spaces, and characters that cannot be in a name become hyphens.
func appendField(b []byte, name, value string) []byte {
	for i := range len(name) {
		if isToken(name[i]) {
			b = append(b, name[i])
		} else {
			b = append(b, '-')
		}
	}
	b = append(b, ": "...)
	for _, c := range []byte(strings.TrimSpace(value)) {
		if c < ' ' || c == 0x7f {
			c = ' '
		}
		b = append(b, c)
	}
	return append(b, '\r', '\n')
}

// isToken reports whether c may be in a field name (RFC 9110 §5.6.2).
func isToken(c byte) bool {
	return c > ' ' && c < 0x7f && !strings.ContainsRune(`"(),/:;<=>?@[\]{}`, rune(c))
}

// parseFields is the reverse of appendField for a whole block. Lines that are
// no fields are passed over.
func parseFields(block []byte) [][2]string {
	var fields [][2]string
	for line := range bytes.Lines(block) {
		name, value, ok := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(":"))
		if ok && len(name) > 0 {
			fields = append(fields, [2]string{string(name), string(bytes.TrimSpace(value))})
		}
	}
	return fields
}

// parseDate returns the zero time for what is no date.
func parseDate(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// validIP returns the address in its usual form, "" if s is none.
func validIP(s string) string {
	addr, err := netip.ParseAddr(s)
	if err != nil {
		return ""
	}
	return addr.Unmap().WithZone("").String()
}
