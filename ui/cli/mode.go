package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/env"
)

// runsAnswer is what "forage mode" prints.
type runsAnswer struct {
	// Mode is "always", "away" or "off".
	Mode api.RunMode `json:"mode"`
}

func newMode(e *env.Env) *cobra.Command {
	c := env.Command("mode [always|away|off]", "when to work: always, while you are away, or not", 0, 1)
	return env.Does(c, func(ctx context.Context, rest []string) error {
		if len(rest) > 0 && !slices.Contains(runModes, rest[0]) {
			return env.Usage("said.cli.mode-is-always-away-or", nil)
		}
		return e.WithNode(func(c *client.Client) error {
			if len(rest) > 0 {
				if err := c.SetRun(ctx, api.RunMode(rest[0])); err != nil {
					return err
				}
			}
			l, sentence, err := limitsNow(ctx, e, c)
			if err != nil {
				return err
			}
			return e.Answer(runsAnswer{Mode: l.Run}, words.Text(e.Lang.Of(), "run."+string(l.Run), nil)+"\n"+sentence)
		})
	})
}

// runModes are what "forage mode" takes.
var runModes = []string{string(api.RunAlways), string(api.RunAway), string(api.RunOff)}
