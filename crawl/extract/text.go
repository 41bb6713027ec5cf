package extract

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forage-net/forage/crawl/extract/tags"
)

// maxTitle and maxLanguage bound what is for people to read, in bytes.
const (
	maxTitle    = 200
	maxLanguage = 35
)

// title returns the text of a title element in UTF-8, fit for showing.
func title(raw []byte) string {
	text := strings.ToValidUTF8(html.UnescapeString(string(raw)), "\uFFFD")
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(text, blank) {
		if b.Len() > 0 {
			word = " " + word
		}
		b.WriteString(word)
		if b.Len() > maxTitle {
			break
		}
	}
	short := b.String()
	if len(short) > maxTitle {
		n := maxTitle
		for !utf8.RuneStart(short[n]) {
			n--
		}
		short = strings.Clone(strings.TrimRight(short[:n], " "))
	}
	return short
}

// blank reports whether a character has no place in a line of text.
func blank(c rune) bool { return c <= ' ' || 0x7f <= c && c <= 0xa0 || unicode.IsSpace(c) }

// language returns raw if it may be a language tag, "" if not.
func language(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) > maxLanguage {
		return ""
	}
	for _, c := range raw {
		if !tags.IsAlphanumeric(c) && c != '-' && c != '_' {
			return ""
		}
	}
	return string(raw)
}
