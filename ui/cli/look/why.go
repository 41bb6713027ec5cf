package look

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

// NewWhy returns "forage why", which says what happened to an address.
func NewWhy(e *env.Env) *cobra.Command {
	c := env.Command("why URL", "what happened to an address, or why it was skipped", 1, 1)
	return env.Does(c, func(ctx context.Context, rest []string) error {
		return e.Ask(ctx, func(s env.Source) error {
			why, err := s.Why(api.WithLang(ctx, e.Lang.Of()), rest[0])
			if err != nil {
				return err
			}
			return e.Show(why, func() {
				fmt.Fprintf(e.Out, "%s\n%s\n", console.Printable(why.URL), console.Printable(why.Sentence))
				for _, detail := range why.Details {
					fmt.Fprintln(e.Out, console.Printable(detail))
				}
			})
		})
	})
}
