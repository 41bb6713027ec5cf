package start

import (
	"strings"
	"testing"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/env"
)

// The text that counts is the English one, and who is asked in German sees both.
func TestConsent_InGermanShowsTheTextThatCounts(t *testing.T) {
	e := &env.Env{Lang: "de", Home: t.TempDir()}
	if err := e.FindPaths(); err != nil {
		t.Fatal(err)
	}
	cfg := config.Defaults()
	english, german := config.ConsentText(words.English, e.Paths, cfg), config.ConsentText(words.German, e.Paths, cfg)
	if text := wholeConsent(e, cfg); !strings.Contains(text, "\n\n"+english+"\n") || !strings.HasSuffix(text, "\n\n"+german) {
		t.Errorf("the text is\n%s", text)
	}
	if text := translatedConsent(e, cfg); strings.Contains(text, "If you agree") || !strings.HasPrefix(text, words.Text(words.German, "consent.note", nil)+"\n\n") {
		t.Errorf("the translation is\n%s", text)
	}
	for _, paragraph := range answerConsent(e, cfg).Text {
		if !strings.Contains(english, paragraph) {
			t.Errorf("a program is told %q", paragraph)
		}
	}
	if e.Lang = "en"; wholeConsent(e, cfg) != english || translatedConsent(e, cfg) != english {
		t.Errorf("in English the text is\n%s", wholeConsent(e, cfg))
	}
}
