// Package locale says which language the user of this computer reads, of those there are in assets/words.
package locale

import (
	"strings"

	"github.com/forage-net/forage/assets/words"
)

// langOf returns the language of the first locale that is set.
func langOf(locales ...string) string {
	for _, locale := range locales {
		if locale != "" {
			return Of(locale)
		}
	}
	return words.English
}

// Of returns the language of a locale such as "de_DE.UTF-8" or "de-AT", English for those without texts.
func Of(locale string) string {
	if len(locale) >= 2 && strings.EqualFold(locale[:2], words.German) &&
		(len(locale) == 2 || strings.ContainsRune("-_.@", rune(locale[2]))) {
		return words.German
	}
	return words.English
}
