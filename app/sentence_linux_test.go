package app

import (
	"regexp"
	"testing"

	"github.com/forage-net/forage/app/api"
)

// At work the sentence says why that may be, and what came of it.
func TestStatus_SentencesAtWork(t *testing.T) {
	t.Parallel()
	v := startVisitor(t, text(10), withFile(t))
	v.works()
	says := func(what, en, de string) {
		t.Helper()
		const count = ` ([\d.,]+ pages|[\d.,]+ Seiten) (in the last minute, from|in der letzten Minute, von) [2-4] (sites|Websites)\.$`
		for lang, want := range map[string]string{"en": en, "de": de} {
			v.until(what, func() bool {
				st, err := v.api.StatusIn(t.Context(), lang)
				return err == nil && st.State == api.StateWorking && regexp.MustCompile("^"+want+count).MatchString(st.Sentence)
			})
		}
	}
	says("full work", `Working while you're away\.`, `Arbeitet, während Sie weg sind\.`)
	setSetting(t, v.o, "level.away", "gentle")
	says("gentle work", `Working gently, as you set for the time you're away\.`, `Arbeitet sanft, wie für Ihre Abwesenheit eingestellt\.`)
}
