package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

// setting is one, for get.
type setting struct {
	Key string `json:"key"`
	// Value and Default are written as in the file.
	Value   string `json:"value"`
	Default string `json:"default"`
	Type    string `json:"type"`
	Range   string `json:"range"`
	Meaning string `json:"meaning"`
	now     bool   // it holds when the file is saved
}

func newGet(e *env.Env) *cobra.Command {
	c := env.Command("get [KEY]", "print a setting, or all of them", 0, 1)
	return env.Does(c, func(_ context.Context, rest []string) error {
		if len(rest) == 0 {
			return listSettings(e)
		}
		value, err := settingOf(e, rest[0])
		if err != nil {
			return err
		}
		return e.Answer(value, value.Value)
	})
}

// listSettings prints all settings with their values.
func listSettings(e *env.Env) error {
	all, err := allSettings(e)
	if err != nil {
		return err
	}
	if e.JSON {
		return console.JSON(e.Out, all)
	}
	rows := make([][]string, len(all))
	for i, s := range all {
		rows[i] = []string{s.Key, s.Value}
	}
	return console.Table(e.Out, rows)
}

// settingOf returns a setting as it is in the file, or by default.
func settingOf(e *env.Env, key string) (setting, error) {
	all, err := allSettings(e)
	if err != nil {
		return setting{}, err
	}
	if i := slices.IndexFunc(all, func(s setting) bool { return s.Key == key }); i >= 0 {
		return all[i], nil
	}
	_, err = config.Defaults().Get(key) // says which ones there are
	return setting{}, err
}

// allSettings returns all of them in the order of the file.
func allSettings(e *env.Env) ([]setting, error) {
	cfg, err := config.Load(e.Paths.Config)
	if err != nil {
		return nil, err
	}
	var all []setting
	for _, k := range config.Keys() {
		value, err := cfg.Get(k.Name)
		if err != nil {
			return nil, err
		}
		all = append(all, setting{Key: k.Name, Value: value, Default: k.Default, Type: k.Type, Range: k.Range(),
			Meaning: k.Meaning(), now: k.Now})
	}
	return all, nil
}
