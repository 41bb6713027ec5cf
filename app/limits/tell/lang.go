package tell

import "strings"

// Lang is a language that something is told in.
type Lang uint8

const (
	English Lang = iota
	German

	langs
)

// LangOf returns the language of a locale such as "de_DE.UTF-8" or "de-AT", English for those without
// texts.
func LangOf(locale string) Lang {
	if len(locale) >= 2 && strings.EqualFold(locale[:2], "de") &&
		(len(locale) == 2 || strings.ContainsRune("-_.@", rune(locale[2]))) {
		return German
	}
	return English
}
