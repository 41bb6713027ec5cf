package desktest

import (
	"embed"
	"encoding/json"
	"testing"
)

//go:embed testdata/settings-*.json
var settings embed.FS

// Keep has a node answer with settings and presets, in a language.
func Keep(t *testing.T, node *StandIn, lang string) {
	t.Helper()
	data, err := settings.ReadFile("testdata/settings-" + lang + ".json")
	if err == nil {
		err = json.Unmarshal(data, &node.Is.Settings)
	}
	if err != nil {
		t.Fatal(err)
	}
	node.Is.Setup = SetupIn(lang)
	node.Is.Setup.Presets[1].Settings = map[string]string{"level.in_use": "gentle", "data.month": "20 GB"}
	node.Is.Setup.Presets[2].Settings = map[string]string{"schedule.work": "all 23:00-07:00 full"}
}
