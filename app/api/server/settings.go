package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

// maxChanges bounds how many settings one call changes.
const maxChanges = 256

func (c calls) changeSettings(w http.ResponseWriter, r *http.Request) error {
	var body api.SettingsChange
	err := readBody(w, r, &body)
	if err != nil {
		return err
	}
	if body.Lang, err = langParam(r, body.Lang); err != nil {
		return err
	}
	if len(body.Set)+len(body.Reset) > maxChanges {
		return refuse(http.StatusBadRequest, "said.api.more-than-settings-at-once", words.Args{"most": maxChanges})
	}
	body.Afar = isAfar(r)
	change := func(ctx context.Context) (api.SettingsChanged, error) { return c.node.ChangeSettings(ctx, body) }
	done, err := ask(r, change)
	if err != nil {
		return settingProblem(w, err)
	}
	return writeJSON(w, done)
}

// settingProblem answers what is wrong with settings, and passes other errors on.
func settingProblem(w http.ResponseWriter, err error) error {
	var bad *api.SettingError
	if !errors.As(err, &bad) {
		return err
	}
	body, err := json.Marshal(bad)
	if err == nil {
		writeBody(w, http.StatusBadRequest, "application/json", append(body, '\n'))
	}
	return err
}

func (c calls) agree(w http.ResponseWriter, r *http.Request) error {
	var body api.Agreement
	err := readBody(w, r, &body)
	if err != nil {
		return err
	}
	if body.Lang, err = langParam(r, body.Lang); err != nil {
		return err
	}
	if len(body.Settings) > maxChanges {
		return refuse(http.StatusBadRequest, "said.api.more-than-settings-at-once", words.Args{"most": maxChanges})
	}
	body.Afar = isAfar(r)
	err = obey(w, r, http.StatusNoContent, func(ctx context.Context) error { return c.node.Agree(ctx, body) })
	if err != nil {
		return settingProblem(w, err)
	}
	return nil
}

func (c calls) setRun(w http.ResponseWriter, r *http.Request) error {
	var body api.RunRequest
	if err := readBody(w, r, &body); err != nil {
		return err
	}
	switch body.Run {
	case api.RunAlways, api.RunAway, api.RunOff:
	default:
		return refuse(http.StatusBadRequest, "said.api.run-must-be-always-away-or-off", nil)
	}
	set := func(ctx context.Context) error { return c.node.SetRun(ctx, body.Run) }
	return settingProblem(w, obey(w, r, http.StatusNoContent, set))
}

// withStartup answers with what a node says in a language. Callers at other computers do not change what this one
// starts.
func withStartup[T any](ask func(context.Context, string) (T, error), startup func(*T) *api.Startup) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		return replyTo(w, query(r, "lang"), func(ctx context.Context) (T, error) {
			is, err := ask(ctx, api.Lang(ctx))
			startup(&is).Possible = startup(&is).Possible && !isAfar(r)
			return is, err
		})
	}
}

func startupOfSettings(is *api.Settings) *api.Startup { return &is.Startup }
func startupOfSetup(is *api.Setup) *api.Startup       { return &is.Startup }

// setStartup answers POST /api/startup. What a computer starts is decided at that computer.
func setStartup(n api.Settler) handlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if isAfar(r) {
			return refuse(http.StatusForbidden, "said.api.what-starts-is-chosen", nil)
		}
		var body api.StartupRequest
		if err := readBody(w, r, &body); err != nil {
			return err
		}
		set := func(ctx context.Context) error { return n.SetStartup(ctx, body.On) }
		return obey(w, r, http.StatusNoContent, set)
	}
}
