package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/settings"
	"github.com/forage-net/forage/app/settings/schema"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/env"
)

// changedSetting is what set has done.
type changedSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"` // as in the file
	File  string `json:"file"`
	// Applies is "now", where a node runs and uses it, or "restart".
	Applies string `json:"applies"`
}

func newSet(e *env.Env) *cobra.Command {
	c := env.Command("set KEY=VALUE", "change a setting; limits take effect at once", 1, 1)
	return env.Does(c, func(ctx context.Context, rest []string) error {
		key, value, ok := strings.Cut(rest[0], "=")
		if !ok {
			return env.Usage("said.cli.write-key-value", nil)
		}
		key, value = strings.TrimSpace(key), config.Unquoted(strings.TrimSpace(value))
		if schema.IsReadOnly(key) {
			return env.Usage("said.cli.consent-is-given-by-reading", nil)
		}
		if err := e.Paths.Create(); err != nil {
			return err
		}
		change := config.Change{Set: map[string]string{key: value}, Check: settings.Check(e.Paths.Config)}
		if _, err := config.Apply(e.Paths.Config, change); err != nil {
			return err
		}
		now, err := settingOf(e, key)
		if err != nil { // another setting is wrong
			return words.New("said.cli.saved-but-not-in-force", words.Args{"error": err})
		}
		applies, text := api.AppliesRestart, "set.start"
		if client, err := e.Dial(); err == nil {
			text = "set.restart"
			// has it read the file
			if _, err := client.ChangeSettings(ctx, api.SettingsChange{Lang: e.Lang.Of()}); err != nil {
				return err
			}
			if now.now {
				applies, text = api.AppliesNow, "set.now"
			}
		}
		return e.Answer(changedSetting{Key: now.Key, Value: now.Value, File: e.Paths.Config, Applies: applies},
			e.Lang.Text(text, words.Args{"key": now.Key, "value": now.Value}))
	})
}
