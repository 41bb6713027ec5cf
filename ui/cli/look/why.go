package look

import (
	"context"
	"strings"

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
			var lines []string
			for _, text := range append([]string{why.URL, why.Sentence}, why.Details...) {
				lines = append(lines, console.Printable(text))
			}
			return e.Answer(why, strings.Join(lines, "\n"))
		})
	})
}
