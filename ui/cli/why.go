package cli

import (
	"context"
	"fmt"

	"github.com/forage-net/forage/app/api"
)

func runWhy(ctx context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags("why"), args, 1, 1)
	if err != nil {
		return done(err)
	}
	return e.ask(ctx, func(s source) error {
		why, err := s.Why(api.WithLang(ctx, e.lang.of()), rest[0])
		if err != nil {
			return err
		}
		return e.show(why, func() {
			fmt.Fprintf(e.out, "%s\n%s\n", printable(why.URL), printable(why.Sentence))
			for _, detail := range why.Details {
				fmt.Fprintln(e.out, printable(detail))
			}
		})
	})
}
