package api

import (
	"encoding/json"
	"time"
)

// Setup is what somebody is told and asked who starts for the first time.
type Setup struct {
	// Needed says that nobody has agreed to the present text yet; until then nothing is sent.
	Needed  bool         `json:"needed"`
	Consent SetupConsent `json:"consent"`
	// Facts are what was found out about this computer.
	Facts []SetupFact `json:"facts"`
	// Presets are settings that go together, the proposed one first.
	Presets []SetupPreset `json:"presets"`
	// Questions are what else is asked. What is not answered stays as it is.
	Questions []SetupQuestion `json:"questions"`
	// Startup says whether it starts with the computer.
	Startup Startup `json:"startup"`
}

// Startup says whether the system starts a node when its user logs in.
type Startup struct {
	// Possible says that this caller can change it. It is false for callers at other computers, and for labs.
	Possible bool `json:"possible"`
	On       bool `json:"on"`
}

// SetupConsent is the text to agree to.
type SetupConsent struct {
	// Version is that of the text, Given says that somebody agreed to it, at Time.
	Version int        `json:"version"`
	Given   bool       `json:"given"`
	Time    *time.Time `json:"time"`
	Title   string     `json:"title"`
	// Text are its paragraphs.
	Text []string `json:"text"`
	// Note says which language counts, "" where it is this one.
	Note string `json:"note"`
}

// SetupFact is what is known of one thing about the computer, in a sentence.
type SetupFact struct {
	// Name is a word for programs.
	Name  string `json:"name"`
	Known bool   `json:"known"`
	Text  string `json:"text"`
}

// SetupPreset are settings that go together.
type SetupPreset struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// Settings are values as the file has them, without quotes.
	Settings map[string]string `json:"settings"`
	// Most says what they come to at most.
	Most string `json:"most"`
	// Chosen says that all of them are so now.
	Chosen bool `json:"chosen"`
}

// SetupQuestion asks for a setting.
type SetupQuestion struct {
	Key string `json:"key"`
	// Title is what the choices are about, "" where a choice says it itself. Text explains them.
	Title string `json:"title"`
	Text  string `json:"text"`
	// Many says that the answer is the list of all choices that are ticked. Else there is one choice; the answer is its
	// value if it is ticked, and there is none if it is not.
	Many    bool          `json:"many"`
	Choices []SetupChoice `json:"choices"`
}

// SetupChoice is one answer.
type SetupChoice struct {
	Value string `json:"value"`
	Text  string `json:"text"`
	// On says that it is ticked at first.
	On bool `json:"on"`
}

// Agreement is the body of POST /api/setup.
type Agreement struct {
	// Agree and ConnectionIsMine must both be true.
	Agree            bool `json:"agree"`
	ConnectionIsMine bool `json:"connection_is_mine"`
	// Preset is the ID of one, "" for leaving the settings as they are. Settings are others on top of it, as in
	// SettingsChange.
	Preset   string                     `json:"preset"`
	Settings map[string]json.RawMessage `json:"settings"`
	// Version is that of the text that was shown, 0 for not checking it.
	Version int    `json:"version"`
	Lang    string `json:"lang"`
	// Afar is as in SettingsChange.
	Afar bool `json:"-"`
}

// StartupRequest is the body of POST /api/startup.
type StartupRequest struct {
	On bool `json:"on"`
}
