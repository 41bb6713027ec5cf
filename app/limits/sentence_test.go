package limits

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// checkSentence checks what holds for every sentence.
func checkSentence(t testing.TB, r Reason, now time.Time) {
	t.Helper()
	for l := range langs {
		s := r.Sentence(l, now)
		first, _ := utf8.DecodeRuneInString(s)
		if s == "" || !unicode.IsUpper(first) && r.Name == "" || !strings.HasSuffix(s, ".") || strings.ContainsAny(s, "[]{}|") ||
			strings.Contains(s, "  ") || strings.Contains(s, " ;") || strings.Contains(s, " ,") || strings.Contains(s, " .") || !utf8.ValidString(s) {
			t.Errorf("%s in language %d: %q", r.Kind, l, s)
		}
	}
}

func TestSentence_EveryReasonInEveryLanguage(t *testing.T) {
	now := start(t).Wall
	seen := map[string]Kind{}
	for k := range kinds {
		if kindNames[k] == "" {
			t.Errorf("kind %d has no name", k)
		}
		for l := range langs {
			en, this := texts[k][English], texts[k][l]
			if this == (text{}) {
				t.Errorf("%s has no text in language %d", k, l)
			}
			if (this.off == "") != (en.off == "") || (this.gentle == "") != (en.gentle == "") || (this.full == "") != (en.full == "") {
				t.Errorf("%s has texts for other levels in language %d than in English", k, l)
			}
			for _, s := range []string{this.off, this.gentle, this.full} {
				if other, ok := seen[s]; s != "" && ok && other != k {
					t.Errorf("%s and %s have the same text %q", k, other, s)
				}
				seen[s] = k
				checkTemplate(t, k, s)
			}
		}
		for _, level := range []Level{Off, Gentle, Full} {
			r := Reason{Kind: k, Allows: level, After: time.Minute, Limit: 60, Value: 12e8}
			for _, since := range []time.Time{{}, now.Add(-time.Hour), now.Add(-3 * day)} {
				for _, until := range []time.Time{{}, now.Add(time.Minute), now.Add(20 * day)} {
					for _, name := range []string{"", "blender"} {
						r.Since, r.Until, r.Name = since, until, name
						if (k == SetToZero || k == OtherWifi) && name == "" {
							continue // they always have one
						}
						checkSentence(t, r, now)
						if k == KeptAwake || k == OtherPrograms { // for which there need be no time after
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
func checkTemplate(t *testing.T, k Kind, s string) {
	t.Helper()
	fill(s, func(name string) string {
		switch name {
		case "since", "until", "after", "name", "limit", "bytes", "most", "fault":
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

// Every text that Decide can need exists for the very level.
func TestSentence_FitsTheLevel(t *testing.T) {
	for _, r := range ruleTable(t) {
		for _, inUse := range []Level{Off, Gentle, Full} {
			for _, work := range []bool{false, true} {
				w := quiet(t)
				w.cfg.Level.InUse = inUse
				r.set(w)
				if work {
					w.st.Work(w.now, time.Hour)
				}
				for _, reason := range w.decide().Reasons {
					have := texts[reason.Kind][English]
					if got := [...]string{have.off, have.gentle, have.full}[reason.Allows]; got == "" {
						t.Errorf("%s: %s has no text for %s", r.name, reason.Kind, reason.Allows)
					}
				}
			}
		}
	}
}

func TestSentence_Whole(t *testing.T) {
	now := start(t).Wall
	at := func(d time.Duration) time.Time { return now.Add(d) }
	for _, c := range []struct {
		r      Reason
		en, de string
	}{
		{Reason{Kind: UserPresent, Since: at(-time.Hour), After: 5 * time.Minute},
			"You have been using the computer since 13:00; work goes on 5 minutes after you stop.",
			"Sie benutzen den Computer seit 13:00 Uhr; die Arbeit geht 5 Minuten nach Ihrer letzten Eingabe weiter."},
		{Reason{Kind: UserPresent, Allows: Gentle, After: time.Minute},
			"You are using the computer; forage works gently until 1 minute after you stop.",
			"Sie benutzen den Computer; forage arbeitet sanft, bis Ihre letzte Eingabe 1 Minute her ist."},
		{Reason{Kind: PausedByUser, Since: at(-time.Minute), Until: at(11 * time.Hour)},
			"You have paused forage until tomorrow 01:00; it has been resting since 13:59:00.",
			"Sie haben forage bis morgen 01:00 Uhr angehalten; es ruht seit 13:59:00 Uhr."},
		{Reason{Kind: PausedByUser, Until: at(6*day + time.Hour)},
			"You have paused forage until Saturday 15:00.",
			"Sie haben forage bis Samstag 15:00 Uhr angehalten."},
		{Reason{Kind: PausedByUser, Until: at(7 * day)}, // another Sunday
			"You have paused forage until 29 November 2026, 14:00.",
			"Sie haben forage bis 29. November 2026, 14:00 Uhr angehalten."},
		{Reason{Kind: PausedByUser},
			"You have paused forage until you resume it.",
			"Sie haben forage angehalten, bis Sie es fortsetzen."},
		{Reason{Kind: OutsideHours, Since: at(-15 * time.Hour), Until: at(5 * day)},
			"Since yesterday 23:00 it has been outside the hours you set for work; forage rests until Friday 14:00.",
			"Außerhalb der Stunden, die Sie für die Arbeit festgelegt haben, ruht forage seit gestern 23:00 Uhr bis Freitag 14:00 Uhr."},
		{Reason{Kind: MonthUsedUp, Since: at(-time.Hour), Until: at(9 * day), Limit: 20e9},
			"Since 13:00 this month's 20 GB of data have been used up; forage sends nothing until 1 December 2026, 14:00.",
			"Die 20 GB Daten für diesen Monat sind seit 13:00 Uhr verbraucht; forage sendet bis 1. Dezember 2026, 14:00 Uhr nichts."},
		{Reason{Kind: AppRunning, Since: at(-time.Hour), Name: "blender", After: 15 * time.Second},
			"blender has been running since 13:00; work goes on 15 seconds after it ends.",
			"blender läuft seit 13:00 Uhr; die Arbeit geht 15 Sekunden nach dem Ende weiter."},
		{Reason{Kind: OtherPrograms, Limit: 60, After: 2 * time.Minute, Until: at(90 * time.Second)},
			"Other programs have been using more than 60 % of the computer; work does not go on before 14:01:30.",
			"Andere Programme brauchen mehr als 60 % des Computers; die Arbeit geht weiter, aber nicht vor 14:01:30 Uhr."},
		{Reason{Kind: DiskNearlyFull, Value: 4_950_000_000, Limit: 5e9},
			"The disk has been nearly full, with 5 GB free of the 5 GB that stay so; forage fetches nothing until there is more room.",
			"Der Datenträger ist fast voll: 5 GB sind frei, 5 GB sollen es bleiben; forage holt nichts, bis mehr Platz ist."},
		{Reason{Kind: UnknownPower, Since: at(-time.Hour)},
			"Since 13:00 it has not been known whether the computer runs on battery; that counts as use of the computer, and forage does not work until it is known.",
			"Seit 13:00 Uhr ist nicht bekannt, ob der Computer mit Akku läuft; das zählt als Benutzung des Computers, und forage arbeitet nicht, bis es bekannt ist."},
		{Reason{Kind: SetToZero, Name: "data.day"},
			"Your setting data.day is 0, which means stop; forage does not work until you change it.",
			"Ihre Einstellung data.day ist 0, und das heißt anhalten; forage arbeitet nicht, bis Sie sie ändern."},
	} {
		if got := c.r.Sentence(English, now); got != c.en {
			t.Errorf("%s:\n%s, want\n%s", c.r.Kind, got, c.en)
		}
		if got := c.r.Sentence(German, now); got != c.de {
			t.Errorf("%s:\n%s, want\n%s", c.r.Kind, got, c.de)
		}
	}
	if got := (Reason{Kind: 200}).Sentence(9, now); got == "" {
		t.Error("no sentence for what does not exist")
	}
}

func TestLangOf(t *testing.T) {
	for locale, want := range map[string]Lang{
		"de": German, "de_DE.UTF-8": German, "DE-at": German, "de.UTF-8": German, "den": English, "en_GB": English, "": English, "C": English, "d": English,
	} {
		if got := LangOf(locale); got != want {
			t.Errorf("LangOf(%q) = %d", locale, got)
		}
	}
}
