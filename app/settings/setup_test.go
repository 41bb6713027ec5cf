package settings

import (
	"strings"
	"testing"

	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/assets/words"
)

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
