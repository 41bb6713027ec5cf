package replay

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// isBlank reports whether a byte is white space of CSS, or of HTML.
func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

func isNewline(c byte) bool { return c == '\n' || c == '\r' || c == '\f' }

// isNamePart reports whether a byte stands in names as it is. NUL counts as a
// character beyond ASCII (CSS Syntax 3 §3.3).
func isNamePart(c byte) bool {
	return isAlphanumeric(c) || c == '_' || c == '-' || c >= utf8.RuneSelf || c == 0
}

// startsName reports whether a name begins at i. Names that begin with a digit
// are taken too: no number is an address.
func (c *css) startsName(i int) bool {
	return i < len(c.in) && (isNamePart(c.in[i]) || c.startsEscape(i))
}

// startsEscape reports whether a backslash at i stands for a character.
func (c *css) startsEscape(i int) bool {
	return c.in[i] == '\\' && i+1 < len(c.in) && !isNewline(c.in[i+1])
}

// readName passes a name and returns it without escapes, in lower case.
func (c *css) readName() string {
	var name strings.Builder
	for c.startsName(c.i) {
		if c.in[c.i] == '\\' {
			name.WriteRune(c.readEscape())
			continue
		}
		name.WriteByte(c.in[c.i])
		c.i++
	}
	return strings.ToLower(name.String())
}

// readEscape passes a backslash and what belongs to it.
func (c *css) readEscape() rune {
	c.i++
	digits := c.i
	for c.i < len(c.in) && c.i-digits < 6 && isHex(c.in[c.i]) {
		c.i++
	}
	if c.i == digits {
		r, n := utf8.DecodeRuneInString(c.in[c.i:])
		c.i += n
		return r
	}
	n, _ := strconv.ParseUint(c.in[digits:c.i], 16, 32) // six digits at most
	if strings.HasPrefix(c.in[c.i:], "\r\n") {
		c.i += 2
	} else if c.i < len(c.in) && isBlank(c.in[c.i]) {
		c.i++
	}
	if r := rune(n); n > 0 && utf8.ValidRune(r) {
		return r
	}
	return utf8.RuneError
}

func isHex(c byte) bool { return isDigit(c) || (c|0x20)-'a' < 6 }

// readString passes a string and returns its text. whole is false if a new line
// ends it, which is not passed.
func (c *css) readString() (text string, whole bool) {
	quote := c.in[c.i]
	c.i++
	var b strings.Builder
	for c.i < len(c.in) {
		switch ch := c.in[c.i]; {
		case ch == quote:
			c.i++
			return b.String(), true
		case isNewline(ch):
			return b.String(), false
		case c.startsEscape(c.i):
			b.WriteRune(c.readEscape())
		case ch == '\\': // the string goes on in the next line
			c.i++
			if strings.HasPrefix(c.in[c.i:], "\r\n") {
				c.i++
			}
			c.i = min(c.i+1, len(c.in))
		default:
			b.WriteByte(ch)
			c.i++
		}
	}
	return b.String(), true
}

// readURL passes what comes after url( and the bracket that ends it. ok is false
// if it is no address.
func (c *css) readURL() (ref string, ok bool) {
	for c.i < len(c.in) && isBlank(c.in[c.i]) {
		c.i++
	}
	if c.i < len(c.in) && (c.in[c.i] == '"' || c.in[c.i] == '\'') {
		ref, ok = c.readString()
	} else {
		ref, ok = c.readBareURL()
	}
	c.skipToEnd()
	return ref, ok
}

func (c *css) readBareURL() (ref string, ok bool) {
	var b strings.Builder
	for c.i < len(c.in) {
		switch ch := c.in[c.i]; {
		case ch == ')' || isBlank(ch):
			return b.String(), true
		case ch == '"' || ch == '\'' || ch == '(' || ch < ' ' && ch != 0 || ch == 0x7f:
			return "", false
		case c.startsEscape(c.i):
			b.WriteRune(c.readEscape())
		case ch == '\\':
			return "", false
		default:
			b.WriteByte(ch)
			c.i++
		}
	}
	return b.String(), true
}

// skipToEnd passes everything up to a bracket that ends, and that.
func (c *css) skipToEnd() {
	for c.i < len(c.in) {
		switch {
		case c.in[c.i] == ')':
			c.i++
			return
		case c.startsEscape(c.i):
			c.readEscape()
		default:
			c.i++
		}
	}
}

// safeName returns a name as it stands in a sheet, without what could be read as
// markup.
func safeName(raw string) string {
	if !strings.ContainsAny(raw, "<&\x00") {
		return raw
	}
	// They can only stand behind a backslash.
	return nameEscapes.Replace(raw)
}

var nameEscapes = strings.NewReplacer(`\<`, `\3c `, `\&`, `\26 `, `\\`, `\\`, "\x00", "\uFFFD")

// escapeString returns a text as it stands between double quotes. Brackets and
// what markup is made of are escaped, so that nobody reads anything else in it.
func escapeString(text string) string { return stringEscapes.Replace(text) }

var stringEscapes = strings.NewReplacer(`"`, `\22 `, `\`, `\5c `, "\n", `\a `, "\r", `\d `, "\f", `\c `, "\x00",
	"\uFFFD",
	"<", `\3c `, ">", `\3e `, "&", `\26 `, "(", `\28 `, "@", `\40 `)
