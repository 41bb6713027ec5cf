package settings

import (
	"maps"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
)

// Every setting has its texts, in English those of the table that the manual is made of, and no text is without use.
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
	need("settings.group." + groupOther)
	for _, group := range settingGroups {
		need("settings.group." + group)
	}
	en := words.Keys(words.English)
	simple := maps.Clone(simpleSettings)
	for _, k := range config.Keys() {
		for _, part := range []string{"name", "meaning", "why", "range"} {
			need("settings." + k.Name + "." + part)
		}
		if got := en["settings."+k.Name+".meaning"]; got != k.Meaning {
			t.Errorf("%s means %q, in the manual %q", k.Name, got, k.Meaning)
		}
		if got := en["settings."+k.Name+".range"]; got != k.Range {
			t.Errorf("%s allows %q, in the manual %q", k.Name, got, k.Range)
		}
		if k.Unit != "" {
			need(unitKey(k.Unit))
		}
		for _, choice := range k.Choices {
			need("settings.choice." + choice)
		}
		if groupOf(k.Name) == groupOther {
			t.Errorf("%s belongs to no group", k.Name)
		}
		delete(simple, k.Name)
	}
	if len(simple) > 0 {
		t.Errorf("%v are no settings", simple)
	}
	for key := range en {
		if strings.HasPrefix(key, "settings.") && !used[key] {
			t.Errorf("%s is used by nobody", key)
		}
	}
}
