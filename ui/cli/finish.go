package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/ui/cli/env"
)

func newFinish(e *env.Env) *cobra.Command {
	c := env.Command("finish", "finish what is under way, then stop", 0, 0)
	return env.Does(c, func(ctx context.Context, _ []string) error {
		return e.WithNode(func(c *client.Client) error {
			if err := c.Finish(ctx); err != nil {
				return err
			}
			return say(e, steered{Done: "finishing", Sentence: e.Lang.Text("finishing", nil)})
		})
	})
}
