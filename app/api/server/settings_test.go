package server

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
)

func TestSettings_Calls(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	get := func(path string) string {
		return "GET " + path + " HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n"
	}
	for path, want := range map[string]string{
		"/api/settings":           `"file":"/f in en"`,
		"/api/settings?lang=de":   `"choices":[],"choice_names":[],"unit":"","number":"","number_unit":"","units":[],"min":null,"max":null,"no_limit":false,"limit":"","levels":[]`,
		"/api/setup?lang=de":      `{"needed":true,"consent":{"version":0,"given":false,"time":null,"title":"in de","text":[],"note":""},"facts":[],"presets":[],"questions":[],"startup":{"possible":true,"on":false}}`,
		"/api/settings?lang=fr":   `lang is \"fr\", want en or de`,
		"/api/setup?lang=en&a=b":  "there is no parameter",
		"/api/settings?lang=d%0a": "want en or de",
	} {
		if _, body := r.raw(t, get(path)); !strings.Contains(body, want) {
			t.Errorf("GET %s answers\n%s, want %s", path, body, want)
		}
	}
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	done, err := c.ChangeSettings(t.Context(), api.SettingsChange{Reset: []string{"disk.max"}, DryRun: true})
	if err != nil || len(done.Changed) != 1 {
		t.Errorf("ChangeSettings = %+v, %v", done, err)
	}
	if err := c.Agree(t.Context(), api.Agreement{Agree: true, ConnectionIsMine: true, Preset: "away"}); err != nil {
		t.Error(err)
	}
	if err := c.SetStartup(t.Context(), true); err != nil {
		t.Error(err)
	}
	if got, want := strings.Join(r.node.calls, ", "),
		"set  reset [disk.max] dry true, agree true true away, startup true"; got != want {
		t.Errorf("the node was told %s, want %s", got, want)
	}
}

// What is wrong with a setting is told part by part, so that a page can show it beside the field.
func TestSettings_ProblemsAreTold(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	r.node.err = &api.SettingError{Text: "disk.max = x is not a size", Key: "disk.max", Reason: "is not a size",
		Range: "a size"}
	for _, path := range []string{"/api/settings", "/api/setup"} {
		resp, body := r.raw(t,
			"POST "+path+" HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nContent-Type: "+
				"application/json\nContent-Length: 2\n\n{}")
		want := `{"error":"disk.max = x is not a size","key":"disk.max","line":0,"reason":"is not a size","range":"a size"}` + "\n"
		if resp.StatusCode != http.StatusBadRequest || body != want {
			t.Errorf("POST %s answers %d %s, want 400 %s", path, resp.StatusCode, body, want)
		}
	}
	var bad *api.SettingError
	if _, err := c.ChangeSettings(t.Context(), api.SettingsChange{}); !errors.As(err, &bad) ||
		*bad != *r.node.err.(*api.SettingError) {
		t.Errorf("ChangeSettings = %#v, want %#v", err, r.node.err)
	}
	r.node.err = errors.New("the disk is gone")
	if _, err := c.ChangeSettings(t.Context(), api.SettingsChange{}); errors.As(err, new(*api.SettingError)) ||
		err.Error() != "the disk is gone" {
		t.Errorf("ChangeSettings = %v, want the node's error", err)
	}
	many := api.SettingsChange{Reset: make([]string, maxChanges+1)}
	if _, err := c.ChangeSettings(t.Context(), many); err == nil || !strings.Contains(err.Error(), "at once") {
		t.Errorf("%d changes: %v", len(many.Reset), err)
	}
}

// A page sees at once what a command did, whoever gave it.
func TestServer_CommandsAreSeenAtOnce(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	node := r.node
	b := r.enter(t)
	see := func() string {
		t.Helper()
		_, body := r.ask(t, http.MethodGet, "/api/status", b.headers(), "")
		return body
	}
	set := func(state api.State) {
		node.mu.Lock()
		defer node.mu.Unlock()
		node.status.State = state
	}
	see()
	for _, who := range []string{b.headers(), "Authorization: Bearer TOKEN\n"} {
		for _, state := range []api.State{api.StatePaused, api.StateWorking} {
			set(state)
			if resp, body := r.ask(t, http.MethodPost, "/api/pause", who,
				"{}"); resp.StatusCode != http.StatusNoContent {
				t.Fatal(resp.Status, body)
			}
			if body := see(); !strings.Contains(body, string(state)) {
				t.Errorf("after a command the page sees %s, want %s", body, state)
			}
		}
	}
}
