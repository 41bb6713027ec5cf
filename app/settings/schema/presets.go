package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/scope"
)

// preset are settings that go together. All presets are about the same keys, so that one takes the place of
// another.
type preset struct {
	id       string
	settings map[string]string
}

// presets returns all presets, the proposed one first. Its values are the defaults, written out: whoever agreed to
// them keeps them, whatever later versions think.
func presets() []preset {
	away := map[string]string{
		"idle.after": "5 min", "level.in_use": "off", "level.away": "full", "schedule.work": "all full",
		"budget.full.cpu_percent": "25", "budget.full.down_kbit": "4000", "budget.full.up_kbit": "500",
		"budget.full.sockets":       "60",
		"budget.gentle.cpu_percent": "10", "budget.gentle.down_kbit": "1000", "budget.gentle.up_kbit": "200",
		"data.day": "1 GB", "data.month": "20 GB", "disk.max": "2 GB",
		"pause.battery": "yes", "pause.metered": "yes", "pause.fullscreen": "yes",
	}
	with := func(others map[string]string) map[string]string {
		m := maps.Clone(away)
		maps.Copy(m, others)
		return m
	}
	return []preset{
		{"away", away},
		{"gentle", with(map[string]string{"level.in_use": "gentle", "level.away": "gentle"})},
		{"nights", with(map[string]string{"schedule.work": "all 23:00-07:00 full"})},
	}
}

// isChosen reports whether all of a preset is so.
func (p preset) isChosen(c config.Config) bool {
	for key, text := range p.settings {
		is, err := c.Get(key)
		if err != nil || config.Unquoted(is) != text {
			return false
		}
	}
	return true
}

// Presets returns the settings that go together, the proposed ones first.
func Presets(c config.Config, lang string) (list []api.SetupPreset) {
	for _, p := range presets() {
		list = append(list, api.SetupPreset{
			ID: p.id, Title: words.Text(lang, "setup.preset."+p.id+".title", nil),
			Text: words.Text(lang, "setup.preset."+p.id+".text", nil), Most: p.most(lang),
			Settings: p.settings, Chosen: p.isChosen(c),
		})
	}
	return list
}

// most says what a preset comes to.
func (p preset) most(lang string) string {
	size := func(key string) string { return strings.ReplaceAll(p.settings[key], " ", "\u00a0") }
	return words.Text(lang, "setup.most", words.Args{"month": size("data.month"), "disk": size("disk.max")})
}

// Questions returns what is asked on the first run beside the presets. Whether somebody sits at the computer is asked
// where nothing tells.
func Questions(c config.Config, idleKnown bool, lang string) (list []api.SetupQuestion) {
	if !idleKnown {
		list = append(list, api.SetupQuestion{
			Key: "idle.unknown_is", Text: words.Text(lang, "setup.alone.text", nil),
			Choices: []api.SetupChoice{{Value: "away", Text: words.Text(lang, "setup.alone", nil)}},
		})
	}
	topics := api.SetupQuestion{
		Key: "topics.never", Title: words.Text(lang, "settings.topics.never.name", nil),
		Text: words.Text(lang, "settings.topics.never.meaning", nil), Many: true,
	}
	for _, name := range scope.TopicNames() {
		topics.Choices = append(topics.Choices, api.SetupChoice{
			Value: name, Text: ChoiceName(lang, name), On: slices.Contains(c.Topics.Never, name),
		})
	}
	return append(list, topics)
}
