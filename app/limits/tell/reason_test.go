package tell

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// checkSentence checks what holds for every sentence.
func checkSentence(t testing.TB, r limits.Reason, now time.Time) {
	t.Helper()
	for _, l := range words.Languages() {
		s := Reason(r, l, now)
		first, _ := utf8.DecodeRuneInString(s)
		if s == "" || !unicode.IsUpper(first) && r.Name == "" || !strings.HasSuffix(s, ".") ||
			strings.ContainsAny(s, "[]{}|") ||
			strings.Contains(s, "  ") || strings.Contains(s, " ;") || strings.Contains(s, " ,") ||
			strings.Contains(s, " .") || !utf8.ValidString(s) {
			t.Errorf("%s in language %s: %q", r.Kind, l, s)
		}
	}
}

func TestSentence_EveryReasonInEveryLanguage(t *testing.T) {
	now := time.Date(2026, 11, 25, 10, 0, 0, 0, time.UTC)
	seen := map[string]limits.Kind{}
	for k := range limits.Kinds {
		if k.String() == "" {
			t.Errorf("kind %d has no name", k)
		}
		for l, all := range texts() {
			en, this := texts()[words.English][k], all[k]
			if this == (text{}) {
				t.Errorf("%s has no text in language %s", k, l)
			}
			if (this.off == "") != (en.off == "") || (this.gentle == "") != (en.gentle == "") ||
				(this.full == "") != (en.full == "") {
				t.Errorf("%s has texts for other levels in language %s than in English", k, l)
			}
			for _, s := range []string{this.off, this.gentle, this.full} {
				if other, ok := seen[s]; s != "" && ok && other != k {
					t.Errorf("%s and %s have the same text %q", k, other, s)
				}
				seen[s] = k
				checkTemplate(t, k, s)
			}
		}
		for _, level := range []limits.Level{limits.Off, limits.Gentle, limits.Full} {
			r := limits.Reason{Kind: k, Allows: level, After: time.Minute, Limit: 60, Value: 12e8}
			for _, since := range []time.Time{{}, now.Add(-time.Hour), now.Add(-3 * 24 * time.Hour)} {
				for _, until := range []time.Time{{}, now.Add(time.Minute), now.Add(20 * 24 * time.Hour)} {
					for _, name := range []string{"", "blender"} {
						r.Since, r.Until, r.Name = since, until, name
						if (k == limits.SetToZero || k == limits.OtherWifi) && name == "" {
							continue // they always have one
						}
						checkSentence(t, r, now)
						if k == limits.KeptAwake || k == limits.OtherPrograms { // for which there need be no time after
							r.After = 0
							checkSentence(t, r, now)
							r.After = time.Minute
						}
					}
				}
			}
		}
	}
}

// checkTemplate checks that each word is known, and that brackets match.
func checkTemplate(t *testing.T, k limits.Kind, s string) {
	t.Helper()
	fill(s, func(name string) string {
		switch name {
		case "until", "when", "after", "name", "limit", "bytes", "most", "fault":
		default:
			t.Errorf("%s has the word %q", k, name)
		}
		return "x"
	})
	for _, pair := range []string{"[]", "{}"} {
		if strings.Count(s, pair[:1]) != strings.Count(s, pair[1:]) {
			t.Errorf("%s: %q has brackets that do not match", k, s)
		}
	}
}

func TestSentence_Whole(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return now.Add(d) }
	for _, c := range []struct {
		r      limits.Reason
		en, de string
	}{
		{limits.Reason{Kind: limits.UserPresent, Since: at(-time.Hour), After: 5 * time.Minute},
			"Resting while you use the computer. Starts 5 minutes after you stop.",
			"Ruht, solange Sie den Computer benutzen. Beginnt 5 Minuten nach Ihrer letzten Eingabe."},
		{limits.Reason{Kind: limits.UserPresent, Allows: limits.Gentle, After: time.Minute},
			"Working gently while you use the computer, and for 1 minute after.",
			"Arbeitet sanft, solange Sie den Computer benutzen, und noch 1 Minute danach."},
		{limits.Reason{Kind: limits.PausedByUser, Since: at(-time.Minute), Until: at(11 * time.Hour)},
			"Paused by you until tomorrow 01:00.",
			"Von Ihnen angehalten bis morgen 01:00 Uhr."},
		{limits.Reason{Kind: limits.PausedByUser, Until: at(6*day + time.Hour)},
			"Paused by you until Saturday 15:00.",
			"Von Ihnen angehalten bis Samstag 15:00 Uhr."},
		{limits.Reason{Kind: limits.PausedByUser, Until: at(7 * day)}, // another Sunday
			"Paused by you until 29 November 2026, 14:00.",
			"Von Ihnen angehalten bis 29. November 2026, 14:00 Uhr."},
		{limits.Reason{Kind: limits.PausedByUser},
			"Paused by you until you resume.",
			"Von Ihnen angehalten, bis Sie fortsetzen."},
		{limits.Reason{Kind: limits.OutsideHours, Since: at(-15 * time.Hour), Until: at(time.Hour)},
			"Resting outside your hours. Starts at 15:00.",
			"Ruht außerhalb Ihrer Zeiten. Beginnt um 15:00 Uhr."},
		{limits.Reason{Kind: limits.OutsideHours, Until: at(day)},
			"Resting outside your hours. Starts tomorrow at 14:00.",
			"Ruht außerhalb Ihrer Zeiten. Beginnt morgen um 14:00 Uhr."},
		{limits.Reason{Kind: limits.OutsideHours, Until: at(5 * day)},
			"Resting outside your hours. Starts on Friday at 14:00.",
			"Ruht außerhalb Ihrer Zeiten. Beginnt am Freitag um 14:00 Uhr."},
		{limits.Reason{Kind: limits.OutsideHours, Until: at(9 * day)},
			"Resting outside your hours. Starts on 1 December 2026 at 14:00.",
			"Ruht außerhalb Ihrer Zeiten. Beginnt am 1. Dezember 2026 um 14:00 Uhr."},
		{limits.Reason{Kind: limits.OutsideHours}, "Resting outside your hours.", "Ruht außerhalb Ihrer Zeiten."},
		{limits.Reason{Kind: limits.MonthUsedUp, Since: at(-time.Hour), Until: at(9 * day), Limit: 20e9},
			"Resting until 1 December 2026, 14:00 because this month's 20 GB are used up.",
			"Ruht bis 1. Dezember 2026, 14:00 Uhr, weil die 20 GB für diesen Monat verbraucht sind."},
		{limits.Reason{Kind: limits.AppRunning, Since: at(-time.Hour), Name: "blender", After: 15 * time.Second},
			"Resting while blender runs. Resumes 15 seconds after it ends.",
			"Ruht, solange blender läuft. Weiter 15 Sekunden danach."},
		{limits.Reason{Kind: limits.OtherPrograms, Limit: 60, After: 2 * time.Minute, Until: at(90 * time.Second)},
			"Resting while other programs use more than 60 % of the computer. Resumes at 14:01:30.",
			"Ruht, solange andere Programme mehr als 60 % des Computers brauchen. Weiter um 14:01:30 Uhr."},
		{limits.Reason{Kind: limits.OtherPrograms, Limit: 60, After: 2 * time.Minute},
			"Resting while other programs use more than 60 % of the computer. Resumes after 2 minutes of quiet.",
			"Ruht, solange andere Programme mehr als 60 % des Computers brauchen. Weiter nach 2 Minuten Ruhe."},
		{limits.Reason{Kind: limits.DiskNearlyFull, Value: 4_950_000_000, Limit: 5e9},
			"Resting because the disk is almost full: 5 GB free, 5 GB kept in reserve.",
			"Ruht, weil der Datenträger fast voll ist: 5 GB frei, 5 GB bleiben in Reserve."},
		{limits.Reason{Kind: limits.UnknownPower, Since: at(-time.Hour)},
			"Resting because it is not known whether the computer runs on battery.",
			"Ruht, weil nicht bekannt ist, ob der Computer mit Akku läuft."},
		{limits.Reason{Kind: limits.SetToZero, Name: "data.day"},
			"Resting because your setting data.day is 0.",
			"Ruht, weil Ihre Einstellung data.day auf 0 steht."},
		{limits.Reason{Kind: limits.Recalled, Until: at(time.Hour), Value: 1, Name: "1.2"},
			"Resting until 15:00 because Forage's makers ask for it: versions before 1.2 may visit sites too " +
				"often. Update Forage, or let it go on in the settings.",
			"Ruht bis 15:00 Uhr auf Bitte der Entwickler: Versionen vor 1.2 besuchen Websites womöglich zu oft. " +
				"Aktualisieren Sie Forage, oder erlauben Sie die Arbeit in den Einstellungen."},
	} {
		if got := Reason(c.r, words.English, now); got != c.en {
			t.Errorf("%s:\n%s, want\n%s", c.r.Kind, got, c.en)
		}
		if got := Reason(c.r, words.German, now); got != c.de {
			t.Errorf("%s:\n%s, want\n%s", c.r.Kind, got, c.de)
		}
	}
	if got := Reason(limits.Reason{Kind: 200}, "fr", now); got == "" {
		t.Error("no sentence for what does not exist")
	}
}

func ExampleDecision() {
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	d := limits.Decision{Reasons: []limits.Reason{{Kind: limits.FullscreenApp, After: 15 * time.Second}}}
	fmt.Println(Decision(d, words.English, now))
	fmt.Println(Decision(d, words.German, now))
	// Output:
	// Resting while a program fills the screen. Resumes 15 seconds after it leaves.
	// Ruht, solange ein Programm den ganzen Bildschirm füllt. Weiter 15 Sekunden danach.
}
