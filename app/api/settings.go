package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
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

// Settings are all settings of a node.
type Settings struct {
	Settings []Setting `json:"settings"`
	// File is where they are kept.
	File string `json:"file"`
	// Fault says what is wrong with the file, and that the last good settings are in force; "" if nothing
	// is.
	Fault string `json:"fault"`
}

// What a change of a setting needs to take effect.
const (
	AppliesNow     = "now"
	AppliesRestart = "restart"
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
	Type string `json:"type"`
	// Value and Default are true or false for yes or no, a number for a whole number, a size (bytes) and a length of
	// time (seconds), a list of texts for a list, and else a text.
	Value   any `json:"value"`
	Default any `json:"default"`
	// Text and DefaultText are the same as the file has them, without quotes.
	Text        string `json:"text"`
	DefaultText string `json:"default_text"`
	// Unit is that of numbers: "B", "s", "%", "kbit/s" or "°C"; "" where there is none. UnitName says it in words.
	Unit     string `json:"unit"`
	UnitName string `json:"unit_name"`
	// Range says what is allowed, Meaning in a sentence what it is, Why why it might be changed.
	Range   string `json:"range"`
	Meaning string `json:"meaning"`
	Why     string `json:"why"`
	// Choices are what a text, or each item of a list, can be; none where it is free. ChoiceNames says them
	// in words, in the same order.
	Choices     []string `json:"choices"`
	ChoiceNames []string `json:"choice_names"`
	// Min and Max are the bounds of a number, null where there are none. NoLimit says that -1 is allowed
	// too, for none.
	Min     *int64 `json:"min"`
	Max     *int64 `json:"max"`
	NoLimit bool   `json:"no_limit"`
	// Grid says of each quarter of an hour of a week, from Monday 00:00 on, whether anything is done in it: 7 days
	// of 96. Levels are the same with 0 for off, 1 for gentle and 2 for full. Empty for other types.
	Grid   [][]bool `json:"grid"`
	Levels [][]int  `json:"levels"`
	// Simple says that it is one of the few that somebody new wants.
	Simple bool `json:"simple"`
	// Set says that the value is not the default.
	Set bool `json:"set"`
	// ReadOnly says that it is changed elsewhere, as consent is.
	ReadOnly bool `json:"read_only"`
	// Applies is "now" or "restart". Pending says that it was changed, and holds from the next start on.
	Applies string `json:"applies"`
	Pending bool   `json:"pending"`
}

// SettingsChange is the body of POST /api/settings.
type SettingsChange struct {
	// Set has for each key a text as in the file, or a value as Setting has it; for a week also its grid or levels.
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

// maxChanges bounds how many settings one call changes.
const maxChanges = 256

func (s *Server) changeSettings(w http.ResponseWriter, r *http.Request) error {
	var body SettingsChange
	err := readBody(w, r, &body)
	if err != nil {
		return err
	}
	if body.Lang, err = langParam(r, body.Lang); err != nil {
		return err
	}
	if len(body.Set)+len(body.Reset) > maxChanges {
		return refuse(http.StatusBadRequest, "more than %d settings at once", maxChanges)
	}
	body.Afar = isAfar(r)
	done, err := ask(r, func(ctx context.Context) (SettingsChanged, error) { return s.node.ChangeSettings(ctx, body) })
	if err != nil {
		return settingProblem(w, err)
	}
	return writeJSON(w, done)
}

// settingProblem answers what is wrong with settings, and passes other errors on.
func settingProblem(w http.ResponseWriter, err error) error {
	var bad *SettingError
	if !errors.As(err, &bad) {
		return err
	}
	body, err := json.Marshal(bad)
	if err == nil {
		writeBody(w, http.StatusBadRequest, "application/json", append(body, '\n'))
	}
	return err
}

// Settings returns all settings. lang is "en" or "de".
func (c *Client) Settings(ctx context.Context, lang string) (Settings, error) {
	return getAs[Settings](ctx, c, "/api/settings?lang="+lang)
}

// ChangeSettings makes all of a change or nothing. What is wrong with it is a *SettingError.
func (c *Client) ChangeSettings(ctx context.Context, change SettingsChange) (SettingsChanged, error) {
	return postAs[SettingsChanged](ctx, c, "/api/settings", change)
}
