package words

import (
	"slices"
	"strings"
	"testing"
)

func TestSaid(t *testing.T) {
	for _, c := range []struct{ english, german string }{
		{"", ""},
		{"connection refused", "Verbindung abgelehnt"},
		{"open /home/x: permission denied", "/home/x öffnen: permission denied"},
		{"limit must be a whole number from 1 to 1000", "limit muss eine ganze Zahl von 1 bis 1000 sein"},
		{`"a b" is not a web address`, `"a b" ist keine Webadresse`},
		{"TLS certificate problem: expired or not yet valid", "Problem mit dem TLS-Zertifikat: abgelaufen oder noch nicht gültig"},
		{"built-in list: search results", "eingebaute Liste: Suchergebnisse"},
		{"logind: it did not answer in time; X11: no DISPLAY is set", "logind: hat nicht rechtzeitig geantwortet; X11: DISPLAY ist nicht gesetzt"},
		{"erase: remove /x: busy; the next start goes on with it", "Löschen: remove /x: busy; der nächste Start macht damit weiter"},
		{"on battery, 42 %", "im Akkubetrieb, 42 %"},
		{"input: in use (logind)", "Eingabe: in Gebrauch (logind)"},
		{"metered: no (a guess) (sysfs)", "Kosten der Verbindung: nein (vermutet) (sysfs)"},
		{"78.4 GB free of 271 GB, 0 B stored", "78.4 GB frei von 271 GB, 0 B gespeichert"},
		{"temperature: 71 °C (100 °C is high) (thermal zones)", "Temperatur: 71 °C (100 °C sind hoch) (Temperaturzonen)"},
		{"Damaged tasks in the queue: 3, dropped.", "Beschädigte Aufgaben in der Warteschlange: 3, verworfen."},
		{`The part "x" is missing. "forage doctor" without --dry-run repairs this.`, `Der Teil "x" fehlt. „forage doctor“ ohne --dry-run repariert das.`},
		{"export: nothing has been archived yet", "Export: es ist noch nichts archiviert"},
		{`budget.full.fetchers = 40 is out of range: a whole number from 1 to 16`, "budget.full.fetchers = 40 liegt außerhalb des Bereichs: eine ganze Zahl von 1 bis 16"},
		{`/home/x/config.toml:12: pause.vpn = "perhaps" is none of ["ask" "yes" "no"]: "ask", "yes" or "no"`, `/home/x/config.toml:12: pause.vpn = "perhaps" ist nicht möglich; möglich sind ["ask" "yes" "no"]: „ask“ (fragen), „yes“ (ja) oder „no“ (nein)`},
		{"a sentence that nobody ever wrote", "a sentence that nobody ever wrote"},
		{"{site} is none: {x}", "{site} is none: {x}"},
	} {
		if got := Said(German, c.english); got != c.german {
			t.Errorf("Said(%q) = %q, want %q", c.english, got, c.german)
		}
		for _, lang := range []string{English, "fr"} {
			if got := Said(lang, c.english); got != c.english {
				t.Errorf("Said(%s, %q) = %q", lang, c.english, got)
			}
		}
	}
	if long := strings.Repeat("connection refused; ", 1000); Said(German, long) != long {
		t.Error("a text that is too long was looked at")
	}
	for text, want := range map[string]bool{"connection refused": true, "7x7 is given twice": true, "nonsense": false, "a: b": false, "x (y)": false} {
		if got := IsSaid(text); got != want {
			t.Errorf("IsSaid(%q) = %t", text, got)
		}
	}
}

// Each phrase is found by its own English form, and not taken for another that says more.
func TestSaid_FindsEachPhrase(t *testing.T) {
	de := Keys(German)
	for key, english := range Keys(English) {
		if !strings.HasPrefix(key, saidPrefix) {
			continue
		}
		want := de[key]
		for i, name := range slices.Compact(names(english)) {
			value := "7x" + strings.Repeat("y", i)
			english, want = strings.ReplaceAll(english, "{"+name+"}", value), strings.ReplaceAll(want, "{"+name+"}", value)
		}
		if got := Said(German, english); got != want {
			t.Errorf("%s: Said(%q) = %q, want %q", key, english, got, want)
		}
	}
}

func FuzzSaid(f *testing.F) {
	f.Add("fetch x: connection refused; {a} is given twice (in use), yes.")
	f.Add(strings.Repeat(": ", 200) + ".")
	f.Add(strings.Repeat("; (", 100) + ")")
	f.Fuzz(func(t *testing.T, text string) {
		if said := Said(German, text); len(text) > 0 && said == "" {
			t.Errorf("nothing is said of %q", text)
		}
	})
}
