package schema

import (
	"cmp"
	"slices"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
)

// Of returns what front ends draw of a configuration, in a language. The caller adds what the configuration does not
// say: Startup, File and Fault, and which settings are Pending.
func Of(c config.Config, lang string) api.Settings {
	var s api.Settings
	for _, item := range c.Items() {
		s.Settings = append(s.Settings, describe(item, c, lang))
	}
	slices.SortStableFunc(s.Settings, func(a, b api.Setting) int { return cmp.Compare(groupOf(a.Key), groupOf(b.Key)) })
	for _, card := range cards {
		is := api.SettingsCard{Title: words.Text(lang, "settings.card."+card.name, nil)}
		for _, key := range card.keys {
			is.Rows = append(is.Rows, rowOf(key, levelShown(c), lang))
		}
		s.Cards = append(s.Cards, is)
	}
	s.Presets = Presets(c, lang)
	return s
}

// rowOf is a setting where little stands around it. Its short name, if there is one, is the same at all levels.
func rowOf(key, level, lang string) api.SettingsRow {
	short := "settings." + strings.ReplaceAll(key, "*.", "") + ".short"
	key = strings.ReplaceAll(key, "*", level)
	row := api.SettingsRow{Key: key, Label: words.Text(lang, short, nil)}
	if row.Label == short {
		row.Label = words.Text(lang, "settings."+key+".name", nil)
	}
	if promiseLess[key] {
		row.Note = words.Text(lang, "settings."+key+".meaning", nil)
	}
	return row
}

// IsReadOnly reports whether a setting is changed elsewhere: consent is given by reading.
func IsReadOnly(key string) bool { return strings.HasPrefix(key, "consent.") }

// describe puts a setting into words.
func describe(item config.Item, c config.Config, lang string) api.Setting {
	say := func(part string) string { return words.Text(lang, "settings."+item.Name+"."+part, nil) }
	group := groups[groupOf(item.Name)].name
	s := api.Setting{
		Key: item.Name, Group: group, GroupName: words.Text(lang, "settings.group."+group, nil), Name: say("name"),
		Type: item.Type, Value: item.Value, Default: item.Default, Text: item.Text, DefaultText: item.DefaultText,
		Range: say("range"), Meaning: say("meaning"), Why: say("why"), Choices: slices.Clone(item.Choices),
		Set: item.Text != item.DefaultText, ReadOnly: item.Fixed || IsReadOnly(item.Name),
		Applies: api.AppliesRestart,
	}
	if item.Now {
		s.Applies = api.AppliesNow
	}
	for _, choice := range item.Choices {
		s.ChoiceNames = append(s.ChoiceNames, ChoiceName(lang, choice))
	}
	s.Control = controlOf(item, s.ReadOnly)
	s.Amount = amountOf(item, lang)
	s.Week = weekOf(item, c)
	s.Words = inWords(item, item.Value, item.Text, lang)
	s.DefaultWords = inWords(item, item.Default, item.DefaultText, lang)
	return s
}

// controlOf returns what a setting is changed with.
func controlOf(item config.Item, readOnly bool) api.Control {
	switch {
	case readOnly:
		return api.ControlSaid
	case item.Type == "yes or no":
		return api.ControlSwitch
	case item.Type == "week":
		return api.ControlWeek
	case item.Type == "whole number" && item.Unit == "%" && item.Lo < item.Hi:
		return api.ControlShare
	case item.Type == "whole number", item.Type == "size", item.Type == "length of time":
		return api.ControlAmount
	case item.Type == "list" && len(item.Choices) > 0:
		return api.ControlTicks
	case item.Type == "list":
		return api.ControlList
	case len(item.Choices) > 0:
		return api.ControlChoice
	}
	return api.ControlText
}
