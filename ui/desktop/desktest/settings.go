package desktest

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/settings/schema"
	"github.com/forage-net/forage/assets/words"
)

// Keeper is a node that keeps settings in a file of a test, and describes them as every node does.
type Keeper struct {
	*StandIn
	file string
	// Tweak, if not nil, changes what it answers.
	Tweak func(*api.Settings)
}

// NewKeeper returns a keeper at which nothing is set.
func NewKeeper(t *testing.T, node *StandIn) *Keeper {
	t.Helper()
	return &Keeper{StandIn: node, file: filepath.Join(t.TempDir(), "config.toml")}
}

// Set changes a setting as another front end does.
func (k *Keeper) Set(t *testing.T, key, text string) {
	t.Helper()
	if _, err := config.Apply(k.file, config.Change{Set: map[string]string{key: text}}); err != nil {
		t.Fatal(err)
	}
}

// Settings implements the node of the page of settings.
func (k *Keeper) Settings(_ context.Context, lang string) (api.Settings, error) {
	k.Mu.Lock()
	defer k.Mu.Unlock()
	c, err := config.Read(k.file)
	if err = errors.Join(k.Err, err); err != nil {
		return api.Settings{}, err
	}
	s := schema.Of(c, lang)
	s.File, s.Fault, s.Startup = "/home/me/.config/forage/config.toml", k.Is.Settings.Fault, k.Is.Setup.Startup
	if k.Tweak != nil {
		k.Tweak(&s)
	}
	return s, nil
}

// ChangeSettings implements the node of the page of settings.
func (k *Keeper) ChangeSettings(_ context.Context, c api.SettingsChange) (api.SettingsChanged, error) {
	k.Mu.Lock()
	defer k.Mu.Unlock()
	if err := errors.Join(k.Err, k.Refuse); err != nil {
		return api.SettingsChanged{}, err
	}
	change := config.Change{Set: map[string]string{}, Reset: c.Reset, Dry: c.DryRun}
	for _, key := range config.Keys() {
		if raw, ok := c.Set[key.Name]; ok {
			change.Set[key.Name], _ = schema.Text(key.Type, raw)
		}
	}
	changed, err := config.Apply(k.file, change)
	if bad := new(config.Error); errors.As(err, &bad) {
		return api.SettingsChanged{}, &api.SettingError{Text: bad.Error(), Key: bad.Key,
			Reason: words.In(words.English, bad.Reason), Range: bad.Range}
	}
	if !c.DryRun {
		k.Changes = append(k.Changes, c)
	}
	return api.SettingsChanged{Changed: changed}, err
}

// workWeek is how a node describes hours of work.
func workWeek(t *testing.T, lang, text string) api.Setting {
	t.Helper()
	k := NewKeeper(t, NewStandIn())
	k.Set(t, "schedule.work", text)
	s, err := k.Settings(t.Context(), lang)
	if err != nil {
		t.Fatal(err)
	}
	return s.Settings[slices.IndexFunc(s.Settings, func(s api.Setting) bool { return s.Key == "schedule.work" })]
}

// Rows are the levels of a week.
func Rows(t *testing.T, text string) [][]int { t.Helper(); return workWeek(t, "en", text).Levels }

// Said is a week in words.
func Said(t *testing.T, lang, text string) string { t.Helper(); return workWeek(t, lang, text).Words }
