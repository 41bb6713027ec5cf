package look

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

// NewAway returns "forage away", which says what was fetched while the user was away.
func NewAway(e *env.Env) *cobra.Command {
	c := env.Command("away", "what Forage fetched while you were away", 0, 0)
	return env.Does(c, func(ctx context.Context, _ []string) error {
		return e.WithNode(func(c *client.Client) error {
			a, err := c.Away(api.WithLang(ctx, e.Lang.Of()))
			if err != nil {
				return err
			}
			return e.Answer(a, awayText(e.Lang, a))
		})
	})
}

// awayText says what was fetched, in the words of all front ends.
func awayText(lang language.Language, a api.Away) string {
	say := func(key string, args words.Args) string { return words.Text(lang.Of(), key, args) }
	if a.Since == nil || a.Until == nil {
		return say("away.none", nil)
	}
	when := words.Args{"since": lang.Clock(*a.Since), "until": lang.Clock(*a.Until)}
	lines := []string{say("away.title", nil) + ", " + say("away.when", when) + ":", a.Sentence}
	for _, m := range a.Milestones {
		key := "milestone." + m.Kind + ".other"
		if m.Language != "" {
			key = "milestone.language"
		}
		lines = append(lines, "* "+say(key, words.Args{"n": m.Count, "language": m.Language}))
	}
	if f := a.First; f != nil {
		lines = append(lines, say("away.first", nil)+": "+f.URL+" "+f.Title)
	}
	for _, f := range a.Shown {
		lines = append(lines, f.URL+" "+f.Title)
	}
	if a.Farthest != nil {
		lines = append(lines, say("away.farthest", words.Args{"site": a.Farthest.Domain, "ms": a.Farthest.Ms}))
	}
	return strings.Join(lines, "\n")
}
