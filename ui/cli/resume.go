package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/ui/cli/env"
)

func newResume(e *env.Env) *cobra.Command {
	c := env.Command("resume [--for DURATION]", "resume; with --for, work while you are here", 0, 0)
	long := c.Flags().String("for", "", "work for a `DURATION` such as 2m or 1h30m while you use the computer")
	return env.Does(c, func(ctx context.Context, _ []string) error {
		var d time.Duration
		if *long != "" {
			var err error
			if d, err = durationOf(e, *long); err != nil {
				return err
			}
		}
		return e.WithNode(func(c *client.Client) error {
			if d == 0 {
				if err := c.Resume(ctx); err != nil {
					return err
				}
				st, err := c.StatusIn(ctx, e.Lang.Of())
				if err != nil {
					return err
				}
				return say(e, steered{Done: "resumed", Sentence: strings.TrimSpace(st.Sentence + "\n" + st.Remedy)})
			}
			if err := c.Work(ctx, d); err != nil {
				return err
			}
			l, sentence, err := limitsNow(ctx, e, c)
			if err != nil {
				return err
			}
			return say(e, steered{Done: "working", Until: l.Until, Sentence: sentence})
		})
	})
}

// limitsNow returns the limits, and their sentence with the command that changes what keeps the node from work.
func limitsNow(ctx context.Context, e *env.Env, c *client.Client) (api.Limits, string, error) {
	l, err := c.Limits(ctx, e.Lang.Of())
	if err != nil {
		return l, "", err
	}
	st, err := c.StatusIn(ctx, e.Lang.Of())
	return l, strings.TrimSpace(l.Sentence + "\n" + st.Remedy), err
}
