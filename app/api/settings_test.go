package api

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestSettings_Calls(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	get := func(path string) string {
		return "GET " + path + " HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\n\n"
	}
	for path, want := range map[string]string{
		"/api/settings":           `"file":"/f in en"`,
		"/api/settings?lang=de":   `"choices":[],"choice_names":[],"min":null,"max":null,"no_limit":false,"grid":[],"levels":[]`,
		"/api/setup?lang=de":      `{"needed":true,"consent":{"version":0,"given":false,"time":null,"title":"in de","text":[],"note":""},"facts":[],"presets":[],"topics":[],"startup":{"possible":true,"on":false}}`,
		"/api/settings?lang=fr":   `lang is \"fr\", want en or de`,
		"/api/setup?lang=en&a=b":  "there is no parameter",
		"/api/settings?lang=d%0a": "want en or de",
	} {
		if _, body := r.raw(t, get(path)); !strings.Contains(body, want) {
			t.Errorf("GET %s answers\n%s, want %s", path, body, want)
		}
	}
	c, err := Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	done, err := c.ChangeSettings(t.Context(), SettingsChange{Reset: []string{"disk.max"}, DryRun: true})
	if err != nil || len(done.Changed) != 1 {
		t.Errorf("ChangeSettings = %+v, %v", done, err)
	}
	if err := c.Agree(t.Context(), Agreement{Agree: true, ConnectionIsMine: true, Preset: "away"}); err != nil {
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
	c, err := Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	r.node.err = &SettingError{Text: "disk.max = x is not a size", Key: "disk.max", Reason: "is not a size",
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
	var bad *SettingError
	if _, err := c.ChangeSettings(t.Context(), SettingsChange{}); !errors.As(err, &bad) ||
		*bad != *r.node.err.(*SettingError) {
		t.Errorf("ChangeSettings = %#v, want %#v", err, r.node.err)
	}
	r.node.err = errors.New("the disk is gone")
	if _, err := c.ChangeSettings(t.Context(), SettingsChange{}); errors.As(err, new(*SettingError)) ||
		err.Error() != "the disk is gone" {
		t.Errorf("ChangeSettings = %v, want the node's error", err)
	}
	many := SettingsChange{Reset: make([]string, maxChanges+1)}
	if _, err := c.ChangeSettings(t.Context(), many); err == nil || !strings.Contains(err.Error(), "at once") {
		t.Errorf("%d changes: %v", len(many.Reset), err)
	}
}
