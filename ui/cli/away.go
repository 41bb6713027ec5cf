package cli

import (
	"context"
	"fmt"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

func runAway(ctx context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags("away"), args, 0, 0); err != nil {
		return done(err)
	}
	return e.command(ctx, func(c *api.Client) error {
		a, err := c.Away(api.WithLang(ctx, e.lang.of()))
		if err != nil {
			return err
		}
		return e.show(a, func() { e.printAway(&a) })
	})
}

func (e *env) printAway(a *api.Away) {
	say := func(key string, args words.Args) string { return words.Text(e.lang.of(), key, args) } // the words of all front ends
	if a.Since == nil || a.Until == nil {
		fmt.Fprintln(e.out, say("away.none", nil))
		return
	}
	when := words.Args{"since": e.lang.clock(*a.Since), "until": e.lang.clock(*a.Until)}
	fmt.Fprintf(e.out, "%s, %s:\n%s\n", say("away.title", nil), say("away.when", when), a.Sentence)
	for _, m := range a.Milestones {
		key := "milestone." + m.Kind + ".other"
		if m.Language != "" {
			key = "milestone.language"
		}
		fmt.Fprintf(e.out, "* %s\n", say(key, words.Args{"n": m.Count, "language": m.Language}))
	}
	if f := a.First; f != nil {
		fmt.Fprintf(e.out, "%s: %s %s\n", say("away.first", nil), f.URL, f.Title)
	}
	for _, f := range a.Shown {
		fmt.Fprintf(e.out, "%s %s\n", f.URL, f.Title)
	}
	if a.Farthest != nil {
		fmt.Fprintln(e.out, say("away.farthest", words.Args{"site": a.Farthest.Domain, "ms": a.Farthest.Ms}))
	}
}
