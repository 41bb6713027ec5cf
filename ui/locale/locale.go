// Package locale says which language the user of this computer reads, of those there are in assets/words.
package locale

import (
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/assets/words"
)

// langOf returns the language of the first locale that is set.
func langOf(locales ...string) string {
	for _, locale := range locales {
		if locale == "" {
			continue
		}
		if tell.LangOf(locale) == tell.German {
			return words.German
		}
		break
	}
	return words.English
}
