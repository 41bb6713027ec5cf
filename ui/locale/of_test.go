package locale

import (
	"testing"

	"github.com/forage-net/forage/assets/words"
)

func TestOf(t *testing.T) {
	for locale, want := range map[string]string{
		"de": words.German, "de_DE.UTF-8": words.German, "DE-at": words.German, "de.UTF-8": words.German, "den": words.English, "en_GB": words.English,
		"": words.English, "C": words.English, "d": words.English,
	} {
		if got := Of(locale); got != want {
			t.Errorf("Of(%q) = %s", locale, got)
		}
	}
}
