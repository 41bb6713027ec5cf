package settings

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/assets/words"
)

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
		if _, err := config.Apply(path, config.Change{Set: p.settings, Check: Check(path)}); err != nil {
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
	if !presets()[0].isChosen(config.Defaults()) {
		t.Error("the first preset is not what holds where nothing is set")
	}
}

// Whatever the sensors say, there is a sentence for it in both languages.
func TestFacts_AllHaveWords(t *testing.T) {
	known := func(on bool, percent int) sense.Snapshot { // without a battery, the network is a guess
		return sense.Snapshot{
			Input:      sense.Reading[sense.Input]{Known: true, Source: "Mutter"},
			FullScreen: sense.Reading[bool]{Known: true},
			Power:      sense.Reading[sense.Power]{Known: true, Value: sense.Power{OnBattery: on, Percent: percent}},
			Metered:    sense.Reading[sense.Metered]{Known: true, Value: sense.Metered{Yes: on, Guess: percent < 0}},
			OtherCPU:   sense.Reading[float64]{Known: true, Value: 0.254},
		}
	}
	var never sense.Snapshot
	never.Input.Never, never.FullScreen.Never, never.Power.Never, never.Metered.Never, never.OtherCPU.Never = true, true, true, true, true
	used := make(map[string]bool)
	for _, lang := range words.Languages() {
		for name, is := range map[string]sense.Snapshot{"on battery": known(true, 50), "on mains": known(false, 50), "no charge": known(false, -1), "no charge, on battery": known(true, -1), "unknown": {}, "never": never} {
			f := facts{lang: lang}
			f.sensors(is)
			if len(f.list) != 5 {
				t.Errorf("%s: %+v", name, f.list)
			}
			for _, fact := range f.list {
				used[fact.Text] = true
				if fact.Known == (name == "unknown" || name == "never") || strings.HasPrefix(fact.Text, "setup.") || strings.Contains(fact.Text, "{") || !strings.HasSuffix(fact.Text, ".") {
					t.Errorf("%s, %s: %+v", name, lang, fact)
				}
			}
		}
	}
	for _, lang := range words.Languages() {
		for is, known := range map[int32]bool{traySeen: true, trayMissing: false} {
			f := facts{lang: lang}
			f.tray(is)
			if len(f.list) != 1 || f.list[0].Known != known || f.list[0].Name != "tray" {
				t.Fatalf("%d: %+v", is, f.list)
			}
			used[f.list[0].Text] = true
		}
	}
	for _, lang := range words.Languages() {
		for key, text := range words.Keys(lang) {
			text = strings.NewReplacer("{source}", "Mutter", "{percent}", "25").Replace(text)
			if strings.HasPrefix(key, "setup.fact.") && !strings.HasPrefix(key, "setup.fact.disk") && !strings.HasPrefix(key, "setup.fact.cores") && !used[text] {
				t.Errorf("%s is used by nobody", key)
			}
		}
	}
}
