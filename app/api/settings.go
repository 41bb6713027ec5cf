package api

import (
	"context"
	"encoding/json"
)

// Settler is the part of a Node that knows and changes its settings.
type Settler interface {
	// Settings returns all settings; lang is the language of what is said of them, "en" or "de".
	Settings(ctx context.Context, lang string) (Settings, error)
	// ChangeSettings makes all of a change or nothing. What is wrong with it is a *SettingError.
	ChangeSettings(ctx context.Context, c SettingsChange) (SettingsChanged, error)
	// Setup returns what is to be known and asked before the first start.
	Setup(ctx context.Context, lang string) (Setup, error)
	// Agree writes down what the user agreed to and chose, and lets the node work. What is wrong with it
	// is a *SettingError.
	Agree(ctx context.Context, a Agreement) error
	// SetStartup has the system start the node when its user logs in, or not. Why it cannot is an *InputError.
	SetStartup(ctx context.Context, on bool) error
}

// Settings are all settings of a node, and how front ends show them.
type Settings struct {
	// Settings stand group by group, in the order to show them in.
	Settings []Setting `json:"settings"`
	// Cards are those that most people want.
	Cards []SettingsCard `json:"cards"`
	// Presets are settings that go together, the proposed one first.
	Presets []SetupPreset `json:"presets"`
	// Startup says whether the node starts with the computer.
	Startup Startup `json:"startup"`
	// File is where they are kept.
	File string `json:"file"`
	// Fault says what is wrong with the file, and that the last good settings are in force; "" if nothing
	// is.
	Fault string `json:"fault"`
}

// SettingsCard are settings that stand together. The first card begins with the presets; the last one has whether
// the node starts with the computer.
type SettingsCard struct {
	Title string        `json:"title"`
	Rows  []SettingsRow `json:"rows"`
}

// SettingsRow is one setting of a card.
type SettingsRow struct {
	Key string `json:"key"`
	// Label is a name for it that is short enough there. Note is to be read with it, "" if nothing is.
	Label string `json:"label"`
	Note  string `json:"note"`
}

// What a change of a setting needs to take effect.
const (
	AppliesNow     = "now"
	AppliesRestart = "restart"
)

// Control is what a setting is changed with. New ones may be added; whoever does not know one takes it for "text".
type Control string

// The controls.
const (
	ControlSaid   Control = "said"   // nothing: it is changed elsewhere
	ControlSwitch Control = "switch" // Texts are "yes" and "no".
	ControlChoice Control = "choice" // one of Choices
	ControlTicks  Control = "ticks"  // a list, of which each item is one of Choices
	ControlList   Control = "list"   // a list of anything
	ControlAmount Control = "amount" // Number and one of Units, or a plain number
	ControlShare  Control = "share"  // a plain number between Min and Max, for a slider
	ControlWeek   Control = "week"   // Levels
	ControlText   Control = "text"
)

// Setting is one setting.
type Setting struct {
	Key string `json:"key"`
	// Group is a word for what it belongs with, GroupName what that is called, and Name a short label.
	Group     string `json:"group"`
	GroupName string `json:"group_name"`
	Name      string `json:"name"`
	// Type is "text", "whole number", "size", "list", "yes or no", "time", "length of time", "level",
	// "week" or "choice".
	Type    string  `json:"type"`
	Control Control `json:"control"`
	// Value and Default are true or false for yes or no, a number for a whole number, a size (bytes) and a length of
	// time (seconds), a list of texts for a list, and else a text.
	Value   any `json:"value"`
	Default any `json:"default"`
	// Text and DefaultText are the same as the file has them, without quotes, and Words and DefaultWords as one says
	// them within a sentence.
	Text         string `json:"text"`
	DefaultText  string `json:"default_text"`
	Words        string `json:"words"`
	DefaultWords string `json:"default_words"`
	// Range says what is allowed, Meaning in a sentence what it is, Why why it might be changed.
	Range   string `json:"range"`
	Meaning string `json:"meaning"`
	Why     string `json:"why"`
	// Choices are what a text, or each item of a list, can be; none where it is free. ChoiceNames says them
	// in words, in the same order.
	Choices     []string `json:"choices"`
	ChoiceNames []string `json:"choice_names"`
	Amount
	Week
	// Set says that the value is not the default.
	Set bool `json:"set"`
	// ReadOnly says that it is changed elsewhere, as consent is.
	ReadOnly bool `json:"read_only"`
	// Applies is "now" or "restart". Pending says that it was changed, and holds from the next start on.
	Applies string `json:"applies"`
	Pending bool   `json:"pending"`
}

// Amount is what there is to know of a number.
type Amount struct {
	// Unit is that of Value: "B", "s", "%", "kbit/s" or "°C"; "" where there is none.
	Unit string `json:"unit"`
	// Number and NumberUnit are Text in two parts, for two fields. Units are what the second can be, none where the
	// first stands alone. Together, with a blank between, they are a text that the setting takes.
	Number     string         `json:"number"`
	NumberUnit string         `json:"number_unit"`
	Units      []SettingsUnit `json:"units"`
	// Min and Max are the bounds of a number, null where there are none. NoLimit says that -1 is allowed
	// too, for none; Limit is what a limit that is set again begins with.
	Min     *int64 `json:"min"`
	Max     *int64 `json:"max"`
	NoLimit bool   `json:"no_limit"`
	Limit   string `json:"limit"`
}

// SettingsUnit is a unit, as the file has it and in words.
type SettingsUnit struct {
	Text string `json:"text"`
	Name string `json:"name"`
}

// Week is what there is to know of the hours of a week.
type Week struct {
	// Levels say of each quarter of an hour, from Monday 00:00 on, 0 for off, 1 for gentle and 2 for full: 7 days of
	// 96. Empty for other types.
	Levels [][]int `json:"levels"`
	// SameAs is the text that makes it another week's, "" where there is none.
	SameAs string `json:"same_as"`
}

// SettingsChange is the body of POST /api/settings.
type SettingsChange struct {
	// Set has for each key a text as in the file, or a value as Setting has it; for a week also its levels.
	Set map[string]json.RawMessage `json:"set"`
	// Reset are keys that go back to their defaults.
	Reset []string `json:"reset"`
	// DryRun has everything checked and nothing written.
	DryRun bool `json:"dry_run"`
	// Lang is the language of errors, that of the call if it is left out.
	Lang string `json:"lang"`
	// Afar says that the call comes from another computer, which changes no setting that names files.
	Afar bool `json:"-"`
}

// SettingsChanged says what came of a change.
type SettingsChanged struct {
	// Changed are the keys that have another value now, Restart those of them that hold from the next start on.
	Changed []string `json:"changed"`
	Restart []string `json:"restart"`
	// Fault is as in Settings: it may be another setting that keeps the file from being used.
	Fault string `json:"fault"`
}

// SettingError says what is wrong with a change of settings. It is answered with 400.
type SettingError struct {
	// Text is a whole sentence.
	Text string `json:"error"`
	// Key is the setting, "" if it is none in particular; Line is that of the file, 0 if it is not what is in it.
	Key  string `json:"key"`
	Line int    `json:"line"`
	// Reason and Range say what is wrong and what would be right, "" where Text alone does.
	Reason string `json:"reason"`
	Range  string `json:"range"`
}

func (e *SettingError) Error() string { return e.Text }
