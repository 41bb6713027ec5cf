// Package schematest adds made-up settings to a schema: front ends must draw what they have never heard of.
package schematest

import "github.com/forage-net/forage/app/api"

// Unknown is a control that no front end has.
const Unknown api.Control = "dial"

// Controls are all that there are, and one that a later version may have.
var Controls = []api.Control{
	api.ControlSaid, api.ControlSwitch, api.ControlChoice, api.ControlTicks, api.ControlList, api.ControlAmount,
	api.ControlShare, api.ControlWeek, api.ControlText, Unknown,
}

// Key is the setting that Add adds for a control.
func Key(c api.Control) string { return "made." + string(c) }

// Name is what it is called, and Label what it is called on its card.
func Name(c api.Control) string  { return "Made up, with " + string(c) }
func Label(c api.Control) string { return "Short for " + string(c) }

// Add adds a setting for each control, in a group and a card of their own.
func Add(s *api.Settings) {
	card := api.SettingsCard{Title: "Made up"}
	least, most := int64(0), int64(10)
	for _, c := range Controls {
		one := api.Setting{Key: Key(c), Group: "made", GroupName: "Made up too", Name: Name(c), Control: c, Text: "3",
			Words: "three", DefaultWords: "three", Applies: api.AppliesNow}
		switch c {
		case api.ControlSwitch:
			one.Value, one.Text = true, "yes"
		case api.ControlChoice, api.ControlTicks:
			one.Choices, one.ChoiceNames = []string{"3", "4"}, []string{"three", "four"}
			one.Value = []string{"3"}
		case api.ControlList:
			one.Value = []string{"3"}
		case api.ControlAmount:
			one.Number, one.NumberUnit = "3", "ell"
			one.Units = []api.SettingsUnit{{Text: "ell", Name: "ells"}}
		case api.ControlShare:
			one.Number, one.Unit, one.Min, one.Max = "3", "%", &least, &most
		case api.ControlWeek:
			for range 7 {
				one.Levels = append(one.Levels, make([]int, 96))
			}
		}
		s.Settings = append(s.Settings, one)
		card.Rows = append(card.Rows, api.SettingsRow{Key: one.Key, Label: Label(c), Note: "Note on " + string(c)})
	}
	s.Cards = append(s.Cards, card)
}
