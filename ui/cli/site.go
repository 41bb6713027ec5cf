package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

func runSite(ctx context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags("site"), args, 1, 1)
	if err != nil {
		return done(err)
	}
	lib, err := e.librarian()
	if err != nil {
		return err
	}
	site, err := lib.Site(ctx, rest[0])
	none := errors.Is(err, api.ErrNoSite)
	switch {
	case none && e.json:
		site = api.SiteSummary{Domain: rest[0]} // with no pages
	case none:
		e.tell("site.none", words.Args{"domain": rest[0]})
		return nil
	case err != nil:
		return err
	}
	if e.json {
		return printJSON(e.out, filledSite(site))
	}
	return printSite(e, site)
}

// filledSite makes JSON say [] instead of null.
func filledSite(s api.SiteSummary) api.SiteSummary {
	s.Languages = append([]api.LanguageCount{}, s.Languages...)
	s.TopLinks = append([]api.InLink{}, s.TopLinks...)
	s.Top = append([]api.SearchResult{}, filledResults(s.Top)...)
	return s
}

func printSite(e *env, s api.SiteSummary) error {
	lang, p := e.lang, e.terminal()
	p.line("", printable(s.Domain))
	p.wrapped("", printable(s.Title))
	p.wrapped("", printable(s.Description))
	p.line("", "")
	if err := p.flush(); err != nil {
		return err
	}
	rows := [][]string{
		{"pages", lang.number(int64(s.Pages)), lang.text("site.pages.note", words.Args{"count": s.Fresh})},
		{"size", lang.bytes(s.Bytes), ""},
		{"visited", s.First.Local().Format(time.DateOnly), lang.text("site.visited.note", words.Args{"last": s.Last.Local().Format(time.DateOnly)})},
		{"languages", lang.number(int64(len(s.Languages))), languagesText(lang, s.Languages)},
		{"links", lang.number(int64(s.LinkingSites)), lang.text("site.links.note", nil)},
	}
	for _, row := range rows {
		row[0] = lang.text("site."+row[0], nil)
	}
	if err := facts(e.out, rows); err != nil {
		return err
	}
	return printSiteLists(e.terminal(), lang, s)
}

// printSiteLists writes which pages there are, and who links to them.
func printSiteLists(p printer, lang language, s api.SiteSummary) error {
	if len(s.Top) > 0 {
		p.line("", "\n"+lang.text("site.top", nil))
	}
	for _, r := range s.Top {
		p.line("  ", printable(r.URL))
		p.line("      ", r.Time.Local().Format("2006-01-02 15:04")+"  "+titleOr(lang, r.Title))
	}
	if len(s.TopLinks) > 0 {
		p.line("", "\n"+lang.text("site.toplinks", nil))
	}
	for _, l := range s.TopLinks {
		printLink(p, lang, "  ", l, true)
	}
	return p.flush()
}

// languagesText names languages with their pages.
func languagesText(lang language, list []api.LanguageCount) string {
	names := make([]string, len(list))
	for i, l := range list {
		names[i] = l.Language + " " + lang.number(int64(l.Pages))
		if l.Language == "" {
			names[i] = lang.text("site.otherlanguage", nil) + " " + lang.number(int64(l.Pages))
		}
	}
	return strings.Join(names, ", ")
}
