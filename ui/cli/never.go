package cli

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/scope"
)

// maxNever is how many sites one command takes.
const maxNever = 100

func runNever(ctx context.Context, e *env, args []string) error {
	fs := e.flags("never")
	undo := fs.Bool("undo", false, "visit it again")
	show := fs.Bool("list", false, "print what is never visited, and why")
	erase := fs.Bool("erase", false, "erase its pages here, too")
	all := fs.Bool("all-of-it", false, "accept a name under which anyone can have a site, such as co.uk")
	rest, err := e.parse(fs, args, 0, maxNever)
	if err != nil {
		return done(err)
	}
	switch {
	case *erase && (*undo || *show):
		return usage("--erase goes with neither --undo nor --list")
	case *show && (*undo || len(rest) > 0):
		return usage("\"forage never --list\" takes nothing more")
	case *show:
		return e.listNever(ctx)
	case len(rest) == 0:
		return usage("say which site: \"forage never example.org\", or \"forage never --list\"")
	}
	for _, text := range rest { // all or none
		pattern, err := scope.NeverFrom(text)
		if err != nil {
			return usage("%v", err)
		}
		if !*undo && !*all && isSuffix(pattern) {
			return usage("%q is not one site: anybody can have one below it, and all of them would be meant. Add --all-of-it if they are", pattern)
		}
	}
	if err := e.never(ctx, rest, *undo); err != nil || !*erase {
		return err
	}
	return e.erasePart(ctx, api.Erasure{Sites: rest})
}

// isSuffix reports whether a pattern is a public suffix: names of many sites, of many people, end in it.
func isSuffix(pattern string) bool {
	if strings.ContainsAny(pattern, "/[:") {
		return false
	}
	if _, err := netip.ParseAddr(pattern); err == nil {
		return false
	}
	below := "a." + pattern // is a site if pattern is none
	return string(crawl.DomainOf(below)) == below
}

// never tells the node that runs here or, if none does, the settings.
func (e *env) never(ctx context.Context, texts []string, undo bool) error {
	client, err := e.dial()
	if err != nil && !errors.Is(err, api.ErrNotRunning) {
		return err
	}
	running := err == nil
	if !running {
		if err := e.paths.Create(); err != nil {
			return err
		}
	}
	ctx = api.WithLang(ctx, e.lang.of())
	changes := []api.NeverChange{}
	for _, text := range texts {
		var change api.NeverChange
		if running {
			change, err = client.Never(ctx, text, undo)
		} else {
			change, err = nodeapi.Never(ctx, e.paths, text, undo)
		}
		if err != nil {
			break
		}
		changes = append(changes, change)
		if !e.json {
			fmt.Fprintln(e.out, change.Text)
		}
	}
	if e.json {
		return errors.Join(err, printJSON(e.out, changes))
	}
	return err
}

func (e *env) listNever(ctx context.Context) error {
	var list api.NeverList
	client, err := e.dial()
	switch {
	case err == nil:
		list, err = client.NeverList(ctx)
	case errors.Is(err, api.ErrNotRunning):
		list, err = never.Listed(e.paths.Config)
	}
	if err != nil {
		return err
	}
	if e.json {
		return printJSON(e.out, list)
	}
	return table(e.out, neverRows(e.lang, list))
}

// neverRows is a table of what is never visited. The reasons of the built-in list are in English where no node runs.
func neverRows(lang language, list api.NeverList) [][]string {
	rows := [][]string{lang.heading("never", "site", "why")}
	for _, site := range list.Sites {
		rows = append(rows, []string{site, lang.text("never.asked", nil)})
	}
	for _, tld := range list.TLDs {
		rows = append(rows, []string{"." + tld, lang.text("never.tld", nil)})
	}
	for _, topic := range list.Topics { // as the settings have it
		rows = append(rows, []string{lang.text("never.topic", words.Args{"topic": topic}), lang.text("never.topics", nil)})
	}
	for _, b := range list.Builtin {
		rows = append(rows, []string{b.Pattern, lang.text("never.builtin", words.Args{"reason": lang.said(b.Reason)})})
	}
	return rows
}
