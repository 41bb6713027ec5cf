package look

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/env"
)

// NewAway returns "forage away", which says what was fetched while the user was away.
func NewAway(e *env.Env) *cobra.Command {
	c := env.Command("away", "what Forage fetched while you were away", 0, 0)
	return env.Does(c, func(ctx context.Context, _ []string) error {
		return e.WithNode(func(c *api.Client) error {
			a, err := c.Away(api.WithLang(ctx, e.Lang.Of()))
			if err != nil {
				return err
			}
			return e.Show(a, func() { printAway(e, &a) })
		})
	})
}

func printAway(e *env.Env, a *api.Away) {
	// the words of all front ends
	say := func(key string, args words.Args) string { return words.Text(e.Lang.Of(), key, args) }
	if a.Since == nil || a.Until == nil {
		fmt.Fprintln(e.Out, say("away.none", nil))
		return
	}
	when := words.Args{"since": e.Lang.Clock(*a.Since), "until": e.Lang.Clock(*a.Until)}
	fmt.Fprintf(e.Out, "%s, %s:\n%s\n", say("away.title", nil), say("away.when", when), a.Sentence)
	for _, m := range a.Milestones {
		key := "milestone." + m.Kind + ".other"
		if m.Language != "" {
			key = "milestone.language"
		}
		fmt.Fprintf(e.Out, "* %s\n", say(key, words.Args{"n": m.Count, "language": m.Language}))
	}
	if f := a.First; f != nil {
		fmt.Fprintf(e.Out, "%s: %s %s\n", say("away.first", nil), f.URL, f.Title)
	}
	for _, f := range a.Shown {
		fmt.Fprintf(e.Out, "%s %s\n", f.URL, f.Title)
	}
	if a.Farthest != nil {
		fmt.Fprintln(e.Out, say("away.farthest", words.Args{"site": a.Farthest.Domain, "ms": a.Farthest.Ms}))
	}
}
