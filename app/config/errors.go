package config

import (
	"strings"
	"unicode"

	"github.com/forage-net/forage/app/config/toml"
)

// Error says what is wrong with one setting or one line, in words for the person who wrote it.
type Error = toml.Error

// shorten cuts text for a message, which goes to a terminal: one line, nothing
// but printable characters.
func shorten(s string) string {
	const most = 60
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
