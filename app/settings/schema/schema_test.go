package schema

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// Every setting has its texts, and no text is without use.
func TestSettings_Texts(t *testing.T) {
	used := map[string]bool{"settings.fault": true}
	need := func(key string) {
		used[key] = true
		for _, lang := range words.Languages() {
			if _, ok := words.Keys(lang)[key]; !ok {
				t.Errorf("%s is missing in assets/words/%s/settings.json", key, lang)
			}
		}
	}
	for _, name := range []string{"value", "unusable", "unknown", "file", "read_only", "local"} {
		need("settings.error." + name)
	}
	for _, name := range []string{"said.none", "said.stop", "said.empty", "unit.s", "unit.min", "unit.h", "unit.d"} {
		need("settings." + name)
	}
	for _, group := range groups {
		need("settings.group." + group.name)
	}
	en := words.Keys(words.English)
	for _, card := range cards {
		need("settings.card." + card.name)
		for _, key := range card.keys {
			if short := "settings." + strings.ReplaceAll(key, "*.", "") + ".short"; en[short] != "" {
				need(short)
			}
		}
	}
	for _, k := range config.Keys() {
		for _, part := range []string{"name", "meaning", "why", "range"} {
			need("settings." + k.Name + "." + part)
		}
		for _, choice := range k.Choices {
			need("settings.choice." + choice)
		}
		if groups[groupOf(k.Name)].name == groupOther {
			t.Errorf("%s belongs to no group", k.Name)
		}
	}
	for key := range en {
		if strings.HasPrefix(key, "settings.") && !used[key] {
			t.Errorf("%s is used by nobody", key)
		}
	}
}

// A setting of the configuration has its place, a control and words, and what the cards name are settings.
func TestOf_HasAll(t *testing.T) {
	for _, lang := range words.Languages() {
		s := Of(config.Defaults(), lang)
		known := map[string]api.Setting{}
		last := 0
		for _, one := range s.Settings {
			known[one.Key] = one
			if one.Control == "" || one.Words == "" || one.DefaultWords != one.Words || one.GroupName == "" {
				t.Errorf("%s is %+v", one.Key, one)
			}
			if at := groupOf(one.Key); at < last {
				t.Errorf("%s is behind what belongs to %s", one.Key, groups[last].name)
			} else {
				last = at
			}
		}
		for _, k := range config.Keys() {
			if _, ok := known[k.Name]; !ok {
				t.Errorf("%s is missing", k.Name)
			}
		}
		for _, level := range []limits.Level{limits.Full, limits.Gentle} {
			c := config.Defaults()
			c.Limits.Level.Away = level
			for _, card := range Of(c, lang).Cards {
				for _, row := range card.Rows {
					if _, ok := known[row.Key]; !ok || row.Label == "" {
						t.Errorf("%s of %s is not a setting", row.Key, card.Title)
					}
				}
			}
		}
	}
}

// Values are said as people say them.
func TestOf_Words(t *testing.T) {
	for _, c := range []struct{ key, text, english, german string }{
		{"pause.battery", "no", "No", "Nein"},
		{"level.in_use", "gentle", "gentle", "sanft"},
		{"data.day", "-1", "No limit", "Ohne Grenze"},
		{"data.day", "0", "nothing at all", "gar nichts"},
		{"data.day", "1500 MB", "1.5\u00a0GB", "1,5\u00a0GB"},
		{"budget.full.down_kbit", "4000", "4,000\u00a0kbit/s", "4.000\u00a0kbit/s"},
		{"idle.after", "90 min", "1 hour 30 minutes", "1 Stunde 30 Minuten"},
		{"topics.never", `["dating"]`, "dating", "Partnersuche"},
		{"pause.apps", `["full", "b"]`, "full, b", "full, b"},
		{"pause.apps", `[]`, "none", "leer"},
		{"archive.dir", "", "none", "keine"},
		{"schedule.net", "work", "Same as the working hours", "Wie die Arbeitszeiten"},
		{"schedule.work", "all full", "Around the clock", "Rund um die Uhr"},
		{"schedule.work", "all 22:00-06:00 full", "Every day 22:00–06:00", "Täglich 22:00–06:00"},
		{"schedule.work", "all full; mon-fri 09:00-17:30 off", "Around the clock, except Mon–Fri 09:00–17:30",
			"Rund um die Uhr, außer Mo–Fr 09:00–17:30"},
		{"schedule.work", "mon,tue,thu gentle; sat,sun 00:00-24:00 full", "Gently Mon/Tue/Thu all day, weekends all day",
			"Sanft Mo/Di/Do ganztags, am Wochenende ganztags"},
		{"consent.time", "2026-01-31T18:00:00Z", "31 January 2026", "31. Januar 2026"},
	} {
		path := t.TempDir() + "/config.toml"
		if _, err := config.Apply(path, config.Change{Set: map[string]string{c.key: c.text}}); err != nil {
			t.Errorf("%s = %s: %v", c.key, c.text, err)
			continue
		}
		cfg, err := config.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for lang, want := range map[string]string{"en": c.english, "de": c.german} {
			for _, s := range Of(cfg, lang).Settings {
				if s.Key == c.key && s.Words != want && !(s.Type == "time" && strings.HasPrefix(s.Words, want+", ")) {
					t.Errorf("%s = %s is %q, want %q", c.key, c.text, s.Words, want)
				}
			}
		}
	}
}

// An amount is a number and a unit, which together are what the file takes.
func TestOf_Amounts(t *testing.T) {
	for _, c := range []struct{ key, text, number, unit, limit string }{
		{"data.day", "1.5 GiB", "1536", "MiB", "1536 MiB"},
		{"data.day", "20 GB", "20", "GB", "20 GB"},
		{"data.day", "0", "0", "GB", "0 B"},
		{"data.day", "-1", "-1", "GB", "1 GB"},
		{"idle.after", "1 h 30 min", "90", "min", ""},
		{"idle.after", "120 min", "2", "h", ""},
		{"pause.hold_in", "90 s", "90", "s", ""},
		{"pause.hold_in", "0 s", "0", "s", ""},
		{"budget.full.up_kbit", "-1", "-1", "", "500"},
		{"pause.other_cpu", "70", "70", "", ""},
	} {
		path := t.TempDir() + "/config.toml"
		if _, err := config.Apply(path, config.Change{Set: map[string]string{c.key: c.text}}); err != nil {
			t.Errorf("%s = %s: %v", c.key, c.text, err)
			continue
		}
		cfg, err := config.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range Of(cfg, "en").Settings {
			if s.Key != c.key {
				continue
			}
			if s.Number != c.number || s.NumberUnit != c.unit || s.Limit != c.limit {
				t.Errorf("%s = %s is %q %q, limit %q", c.key, c.text, s.Number, s.NumberUnit, s.Limit)
			}
			if err := config.Check(c.key, strings.TrimSpace(s.Number+" "+s.NumberUnit)); err != nil && c.text != "-1" {
				t.Error(err)
			}
			if i := slices.IndexFunc(s.Units, func(u api.SettingsUnit) bool { return u.Text == c.unit }); c.unit != "" && i < 0 {
				t.Errorf("%s = %s has no unit %s", c.key, c.text, c.unit)
			}
		}
	}
}

// Presets are settings that exist and are allowed, about the same keys, and no two of them are the same. Their texts
// say what they set.
func TestPresets(t *testing.T) {
	keys := slices.Sorted(maps.Keys(presets()[0].settings))
	for _, p := range presets() {
		if got := slices.Sorted(maps.Keys(p.settings)); !slices.Equal(got, keys) {
			t.Errorf("%s is about %v, want %v", p.id, got, keys)
		}
		for key, text := range p.settings {
			if err := config.Check(key, text); err != nil {
				t.Errorf("%s: %v", p.id, err)
			}
		}
		path := t.TempDir() + "/config.toml"
		if _, err := config.Apply(path, config.Change{Set: p.settings}); err != nil {
			t.Errorf("%s: %v", p.id, err)
		}
		cfg, err := config.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range presets() {
			if other.isChosen(cfg) != (other.id == p.id) {
				t.Errorf("with %s set, %s is chosen: %t", p.id, other.id, other.isChosen(cfg))
			}
		}
		numbers := []string{p.settings["budget.full.cpu_percent"] + " %", "4 Mbit/s"}
		if p.settings["level.in_use"] == "gentle" {
			numbers = []string{p.settings["budget.gentle.cpu_percent"] + " %", "1 Mbit/s"}
		}
		for _, lang := range words.Languages() {
			for _, number := range numbers { // what is promised is what is set
				text := strings.ReplaceAll(words.Text(lang, "setup.preset."+p.id+".text", nil), "\u00a0", " ")
				if !strings.Contains(text, number) {
					t.Errorf("%s does not say %s: %s", p.id, number, text)
				}
			}
			for _, part := range []string{".title", ".text"} {
				if key := "setup.preset." + p.id + part; words.Text(lang, key, nil) == key {
					t.Errorf("%s is missing in %s", key, lang)
				}
			}
		}
	}
	for _, p := range presets() { // "rests on battery and on metered connections"
		if p.settings["pause.battery"] != "yes" || p.settings["pause.metered"] != "yes" {
			t.Errorf("%s does not rest as it says", p.id)
		}
		if most := Presets(config.Defaults(), "en")[0].Most; !strings.Contains(most, "20\u00a0GB a month") {
			t.Errorf("%s comes to %q", p.id, most)
		}
	}
	if !presets()[0].isChosen(config.Defaults()) {
		t.Error("the first preset is not what holds where nothing is set")
	}
}
