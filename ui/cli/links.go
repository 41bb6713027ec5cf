package cli

import (
	"context"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

func runLinks(ctx context.Context, e *env, args []string) error {
	fs := e.flags("links")
	limit := fs.Int("limit", 20, "print at most `N` links, 1 to 1000")
	rest, err := e.parse(fs, args, 1, 1)
	if err != nil {
		return done(err)
	}
	if err := checkLimit(*limit); err != nil {
		return err
	}
	lib, err := e.librarian()
	if err != nil {
		return err
	}
	all, err := linksTo(ctx, lib, rest[0], *limit)
	if err != nil {
		return err
	}
	if e.json {
		return printJSON(e.out, all)
	}
	return printLinks(e.terminal(), e.lang, all)
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

func printLinks(p printer, lang language, all api.LinksPage) error {
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
	sites := lang.text("links.sites", words.Args{"count": all.Sites})
	p.wrapped("", printable(lang.text(key, words.Args{"count": all.Links, "sites": sites, "target": all.Target})))
	return p.flush()
}

// printLink adds the address of the linking page, which begins a line, and below it what the link is like. Where a link
// leads is said if that is not the same for all.
func printLink(p printer, lang language, indent string, l api.InLink, domain bool) {
	p.line(indent, printable(l.From))
	seen := l.Last.Local().Format(time.DateOnly)
	if first := l.First.Local().Format(time.DateOnly); first != seen {
		seen = lang.text("links.seen", words.Args{"first": first, "last": seen})
	}
	p.line(indent+"    ", seen+"  "+titleOr(lang, l.Title))
	if l.Text != "" {
		p.wrapped(indent+"      ", printable(lang.text("links.text", words.Args{"text": l.Text})))
	}
	if domain {
		p.line(indent+"      ", "-> "+printable(l.To))
	}
	if l.Pages > 1 {
		p.wrapped(indent+"      ", printable(lang.text("links.pages", words.Args{"count": l.Pages, "site": l.Site})))
	}
}
