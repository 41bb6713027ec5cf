package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/env"
)

func newPause(e *env.Env) *cobra.Command {
	c := env.Command("pause [DURATION]", "pause, for a while or until you resume", 0, maxLength)
	return env.Does(c, func(ctx context.Context, rest []string) error {
		var d time.Duration
		if len(rest) > 0 {
			var err error
			if d, err = durationOf(e, strings.Join(rest, " ")); err != nil {
				return err
			}
		}
		return e.WithNode(func(c *client.Client) error {
			if err := c.Pause(ctx, d); err != nil {
				return err
			}
			if d == 0 {
				return say(e, steered{Done: "paused", Sentence: e.Lang.Text("paused", nil)})
			}
			until := time.Now().Add(d)
			return say(e, steered{Done: "paused", Until: &until,
				Sentence: e.Lang.Text("paused.until", words.Args{"time": e.Lang.Clock(until)})})
		})
	})
}

// maxLength is how many words a length of time has at most: "1 day 2 hours 5 minutes".
const maxLength = 8
