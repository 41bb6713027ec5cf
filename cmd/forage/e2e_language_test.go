//go:build unix

package main

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/demo"
)

// localeOf is how the environment of who speaks a language may begin.
var localeOf = map[string][]string{"en": {"LC_ALL=", "LANG=en_US.UTF-8"}, "de": {"LC_ALL=", "LANG=de_DE.UTF-8"}}

// forageIn returns what a command prints for who speaks a language.
func (l *lab) forageIn(lang string, args ...string) string {
	l.t.Helper()
	cmd := exec.Command(program, append(args, "--home", l.home)...)
	cmd.Dir = l.t.TempDir()
	return startWith(l.t, cmd, localeOf[lang]...).succeed().stdout.String()
}

// What the command line says to a German is what the API says in German, word for word, and so in English; what is
// for programs is the same for both.
func TestLanguage_CommandLineAndAPI(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{})
	node := l.start("--lab-limits", "--gap", "1h")
	node.awaitUp(l.home)
	c := dial(t, l.home)
	l.forage("pause", "2h")
	says := func(lang string) (is api.Limits, sentences []string) {
		status, err := c.StatusIn(t.Context(), lang)
		if err == nil {
			is, err = c.Limits(t.Context(), lang)
		}
		if err != nil {
			t.Fatal(err)
		}
		sentences = []string{status.Sentence, is.Sentence}
		for _, r := range is.Reasons {
			sentences = append(sentences, r.Sentence)
		}
		return is, sentences
	}
	for lang, doctor := range map[string]string{"en": "A node is running here", "de": "Hier läuft ein Knoten"} {
		var is, asJSON api.Limits
		var sentences []string
		var statusText, limitsText string
		until(t, "the node to say the same before and after", func() bool { // reasons come and go, and seconds are told for a while only
			is, sentences = says(lang)
			statusText, limitsText = l.forageIn(lang, "status"), l.forageIn(lang, "limits")
			asJSON = parseJSON[api.Limits](t, l.forageIn(lang, "limits", "--json"))
			_, after := says(lang)
			return slices.Equal(sentences, after)
		})
		if !strings.HasPrefix(statusText, sentences[0]+"\n") {
			t.Errorf("%s: the API says %q, \"forage status\"\n%s", lang, sentences[0], statusText)
		}
		for _, r := range is.Reasons {
			if !strings.Contains(limitsText, r.Sentence+"\n") {
				t.Errorf("%s: %q is not in what \"forage limits\" says\n%s", lang, r.Sentence, limitsText)
			}
		}
		if asJSON.Level != "off" || asJSON.Mode != "off" || asJSON.Sentence != is.Sentence || len(asJSON.Reasons) == 0 || asJSON.Reasons[0].Kind != is.Reasons[0].Kind {
			t.Errorf("%s: as JSON %+v, the API says %+v", lang, asJSON, is)
		}
		if text := l.forageIn(lang, "doctor", "--dry-run"); !strings.Contains(text, doctor) {
			t.Errorf("%s: the doctor says\n%s", lang, text)
		}
	}
	if text := l.forageIn("de", "limits", "--history"); regexp.MustCompile(`\b(the|was|is|minutes)\b`).MatchString(text) {
		t.Errorf("the history is not in German:\n%s", text)
	}
	if text := l.forageIn("de", "resume"); !strings.Contains(text, "Das ändern: ") {
		t.Errorf("resume says %q", text)
	}
	at := regexp.MustCompile(`^Angehalten bis (morgen )?\d\d:\d\d Uhr\.\n$`)
	if text := l.forageIn("de", "pause", (2 * time.Hour).String()); !at.MatchString(text) {
		t.Errorf("pause says %q", text)
	}
	l.forage("stop")
	node.wait()
	if text := l.forageIn("de", "status"); !strings.HasPrefix(text, "Beendet. ") {
		t.Errorf("of a node that ended the status says\n%s", text)
	}
	cmd := exec.Command(program, "pause", "--home", l.home)
	if p := startWith(t, cmd, localeOf["de"]...); p.wait() != 1 || !strings.Contains(p.stderr.String(), "Hier läuft kein Forage") {
		t.Errorf("pause says %q", p.stderr.String())
	}
}
