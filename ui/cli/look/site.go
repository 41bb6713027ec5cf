package look

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

// NewSite returns "forage site", which prints what the archive has of a site.
func NewSite(e *env.Env) *cobra.Command {
	c := env.Command("site DOMAIN", "what your archive has of a site", 1, 1)
	return env.Does(c, func(ctx context.Context, rest []string) error {
		lib, err := librarian(e)
		if err != nil {
			return err
		}
		site, err := lib.Site(ctx, rest[0])
		none := errors.Is(err, api.ErrNoSite)
		switch {
		case none && e.JSON:
			site = api.SiteSummary{Domain: rest[0]} // with no pages
		case none:
			e.Tell("site.none", words.Args{"domain": rest[0]})
			return nil
		case err != nil:
			return err
		}
		return e.Show(filledSite(site), func() error { return printSite(e, site) })
	})
}

// filledSite makes JSON say [] instead of null.
func filledSite(s api.SiteSummary) api.SiteSummary {
	s.Languages = append([]api.LanguageCount{}, s.Languages...)
	s.TopLinks = append([]api.InLink{}, s.TopLinks...)
	s.Top = append([]api.SearchResult{}, filledResults(s.Top)...)
	return s
}

func printSite(e *env.Env, s api.SiteSummary) error {
	lang, p := e.Lang, console.NewPrinter(e.Out)
	p.Line("", console.Printable(s.Domain))
	p.Wrapped("", console.Printable(s.Title))
	p.Wrapped("", console.Printable(s.Description))
	p.Line("", "")
	if err := p.Flush(); err != nil {
		return err
	}
	rows := [][]string{
		{"pages", lang.Number(int64(s.Pages)), lang.Text("site.pages.note", words.Args{"count": s.Fresh})},
		{"size", lang.Bytes(s.Bytes), ""},
		{"visited", s.First.Local().Format(time.DateOnly),
			lang.Text("site.visited.note", words.Args{"last": s.Last.Local().Format(time.DateOnly)})},
		{"languages", lang.Number(int64(len(s.Languages))), languagesText(lang, s.Languages)},
		{"links", lang.Number(int64(s.LinkingSites)), lang.Text("site.links.note", nil)},
	}
	for _, row := range rows {
		row[0] = lang.Text("site."+row[0], nil)
	}
	if err := console.Facts(e.Out, rows); err != nil {
		return err
	}
	return printSiteLists(console.NewPrinter(e.Out), lang, s)
}

// printSiteLists writes which pages there are, and who links to them.
func printSiteLists(p console.Printer, lang language.Language, s api.SiteSummary) error {
	if len(s.Top) > 0 {
		p.Line("", "\n"+lang.Text("site.top", nil))
	}
	for _, r := range s.Top {
		p.Line("  ", console.Printable(r.URL))
		p.Line("      ", r.Time.Local().Format("2006-01-02 15:04")+"  "+titleOr(lang, r.Title))
	}
	if len(s.TopLinks) > 0 {
		p.Line("", "\n"+lang.Text("site.toplinks", nil))
	}
	for _, l := range s.TopLinks {
		printLink(p, lang, "  ", l, true)
	}
	return p.Flush()
}

// languagesText names languages with their pages.
func languagesText(lang language.Language, list []api.LanguageCount) string {
	names := make([]string, len(list))
	for i, l := range list {
		names[i] = l.Language + " " + lang.Number(int64(l.Pages))
		if l.Language == "" {
			names[i] = lang.Text("site.otherlanguage", nil) + " " + lang.Number(int64(l.Pages))
		}
	}
	return strings.Join(names, ", ")
}
