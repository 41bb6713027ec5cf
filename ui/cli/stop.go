package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/ui/cli/env"
)

func newStop(e *env.Env) *cobra.Command {
	c := env.Command("stop", "stop Forage", 0, 0)
	return env.Does(c, func(ctx context.Context, _ []string) error {
		err := e.WithNode(func(c *client.Client) error { return c.Stop(ctx) })
		// Until it has ended, its files are in use.
		for err == nil && nodeapi.InUse(e.Paths) {
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		if err != nil {
			return err
		}
		return say(e, steered{Done: "stopped", Sentence: e.Lang.Text("stopped", nil)})
	})
}
