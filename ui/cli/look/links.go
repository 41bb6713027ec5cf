package look

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

// NewLinks returns "forage links", which prints who links to a page or site.
func NewLinks(e *env.Env) *cobra.Command {
	c := env.Command("links URL|DOMAIN", "pages of other sites that link to a page or site", 1, 1)
	limit := c.Flags().Int("limit", 20, "print at most `N` links, 1 to 1000")
	return env.Does(c, func(ctx context.Context, rest []string) error {
		if err := checkLimit(*limit); err != nil {
			return err
		}
		lib, err := librarian(e)
		if err != nil {
			return err
		}
		all, err := linksTo(ctx, lib, rest[0], *limit)
		if err != nil {
			return err
		}
		return e.Show(all, func() error { return printLinks(console.NewPrinter(e.Out), e.Lang, all) })
	})
}

// linksTo asks for links until there are as many as wanted, or no more.
func linksTo(ctx context.Context, lib api.LinkFinder, target string, limit int) (api.LinksPage, error) {
	all := api.LinksPage{List: []api.InLink{}}
	for from := ""; ; {
		page, err := lib.LinksTo(ctx, target, from, min(limit-len(all.List), perCall))
		if err != nil {
			return all, err
		}
		page.List = append(all.List, page.List...)
		if all, from = page, page.Next; from == "" || len(all.List) >= limit {
			return all, nil
		}
	}
}

func printLinks(p console.Printer, lang language.Language, all api.LinksPage) error {
	for _, l := range all.List {
		printLink(p, lang, "", l, all.Domain)
	}
	key := "links.all"
	switch {
	case len(all.List) == 0:
		key = "links.none"
	case all.Next != "":
		key = "links.more"
	}
	sites := lang.Text("links.sites", words.Args{"count": all.Sites})
	p.Wrapped("", console.Printable(lang.Text(key,
		words.Args{"count": all.Links, "sites": sites, "target": all.Target})))
	return p.Flush()
}

// printLink adds the address of the linking page, which begins a line, and below it what the link is like. Where a link
// leads is said if that is not the same for all.
func printLink(p console.Printer, lang language.Language, indent string, l api.InLink, domain bool) {
	p.Line(indent, console.Printable(l.From))
	seen := l.Last.Local().Format(time.DateOnly)
	if first := l.First.Local().Format(time.DateOnly); first != seen {
		seen = lang.Text("links.seen", words.Args{"first": first, "last": seen})
	}
	p.Line(indent+"    ", seen+"  "+titleOr(lang, l.Title))
	if l.Text != "" {
		p.Wrapped(indent+"      ", console.Printable(lang.Text("links.text", words.Args{"text": l.Text})))
	}
	if domain {
		p.Line(indent+"      ", "-> "+console.Printable(l.To))
	}
	if l.Pages > 1 {
		p.Wrapped(indent+"      ", console.Printable(lang.Text("links.pages",
			words.Args{"count": l.Pages, "site": l.Site})))
	}
}
