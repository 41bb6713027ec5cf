package api

import (
	"context"
	"encoding/json"
	"net/http"
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
	// Topics are kinds of sites that can be left out.
	Topics []SetupTopic `json:"topics"`
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
	// Chosen says that all of them are so now.
	Chosen bool `json:"chosen"`
}

// SetupTopic is a kind of sites.
type SetupTopic struct {
	// Name is what stands in the setting topics.never, Text what it is in words.
	Name string `json:"name"`
	Text string `json:"text"`
	// Never says that it is left out now.
	Never bool `json:"never"`
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

func (s *Server) agree(w http.ResponseWriter, r *http.Request) error {
	var body Agreement
	err := readBody(w, r, &body)
	if err != nil {
		return err
	}
	if body.Lang, err = langParam(r, body.Lang); err != nil {
		return err
	}
	if len(body.Settings) > maxChanges {
		return refuse(http.StatusBadRequest, "more than %d settings at once", maxChanges)
	}
	body.Afar = isAfar(r)
	err = obey(w, r, http.StatusNoContent, func(ctx context.Context) error { return s.node.Agree(ctx, body) })
	if err != nil {
		return settingProblem(w, err)
	}
	return nil
}

// startupRequest is the body of POST /api/startup.
type startupRequest struct {
	On bool `json:"on"`
}

// setupFor answers GET /api/setup.
func setupFor(n Settler) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, err := query(r, "lang"); err != nil {
			return err
		}
		return reply(w, r, func(ctx context.Context) (Setup, error) {
			is, err := n.Setup(ctx, Lang(ctx))
			is.Startup.Possible = is.Startup.Possible && !isAfar(r)
			return is, err
		})
	}
}

// setStartup answers POST /api/startup. What a computer starts is decided at that computer.
func setStartup(n Settler) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if isAfar(r) {
			return refuse(http.StatusForbidden, "what starts with the computer is chosen on that computer")
		}
		var body startupRequest
		if err := readBody(w, r, &body); err != nil {
			return err
		}
		set := func(ctx context.Context) error { return n.SetStartup(ctx, body.On) }
		return obey(w, r, http.StatusNoContent, set)
	}
}

// Setup returns what is to be known and asked before the first start. lang is "en" or "de".
func (c *Client) Setup(ctx context.Context, lang string) (Setup, error) {
	return getAs[Setup](ctx, c, "/api/setup?lang="+lang)
}

// Agree agrees to the present text and chooses settings. What is wrong with it is a *SettingError.
func (c *Client) Agree(ctx context.Context, a Agreement) error {
	return c.call(ctx, http.MethodPost, "/api/setup", a, nil)
}

// SetStartup has the system start the node when its user logs in, or not.
func (c *Client) SetStartup(ctx context.Context, on bool) error {
	return c.call(ctx, http.MethodPost, "/api/startup", startupRequest{On: on}, nil)
}
