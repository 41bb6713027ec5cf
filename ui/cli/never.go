package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/never"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
)

// maxNever is how many sites one command takes.
const maxNever = 100

func newNever(e *env.Env) *cobra.Command {
	c := env.Command("never DOMAIN...", "never visit a site again; see --list, --undo", 0, maxNever)
	fs := c.Flags()
	undo := fs.Bool("undo", false, "visit it again")
	show := fs.Bool("list", false, "print what is never visited, and why")
	erase := fs.Bool("erase", false, "erase its pages here, too")
	all := fs.Bool("all-of-it", false, "accept a name under which anyone can have a site, such as co.uk")
	return env.Does(c, func(ctx context.Context, rest []string) error {
		switch {
		case *erase && (*undo || *show):
			return env.Usage("said.cli.erase-goes-with-neither", nil)
		case *show && (*undo || len(rest) > 0):
			return env.Usage("said.cli.never-list-takes-nothing-more", nil)
		case *show:
			return listNever(ctx, e)
		case len(rest) == 0:
			return env.Usage("said.cli.say-which-site", nil)
		}
		for _, text := range rest { // all or none
			pattern, err := scope.NeverFrom(text)
			if err != nil {
				return refused(err, e, *undo)
			}
			if !*undo && !*all && isSuffix(pattern) {
				return env.Usage("said.cli.is-not-one-site", words.Args{"name": strconv.Quote(pattern)})
			}
		}
		if err := changeNever(ctx, e, rest, *undo); err != nil || !*erase {
			return err
		}
		return erasePart(ctx, e, api.Erasure{Sites: rest})
	})
}

// refused says what is wrong with a site, and of a top-level domain which command leaves it out, or lets it in again.
func refused(err error, e *env.Env, undo bool) error {
	var bad *scope.PatternError
	if !errors.As(err, &bad) {
		return env.WithCode(err, env.ExitUsage)
	}
	tld, wrong := scope.TopLevel(bad.Text)
	if wrong != nil {
		return env.WithCode(err, env.ExitUsage)
	}
	cfg, wrong := config.Load(e.Paths.Config)
	if wrong != nil {
		return wrong
	}
	list := slices.DeleteFunc(cfg.TLD.Never, func(listed string) bool { return listed == tld })
	if !undo {
		list = append(list, tld)
	}
	return env.Usage("said.cli.is-a-whole-top-level-domain",
		words.Args{"name": strconv.Quote(tld), "setting": "tld.never=" + strings.Join(list, ",")})
}

// changeNever tells the node that runs here or, if none does, the settings.
func changeNever(ctx context.Context, e *env.Env, texts []string, undo bool) error {
	client, err := e.Dial()
	if err != nil && !errors.Is(err, api.ErrNotRunning) {
		return err
	}
	running := err == nil
	if !running {
		if err := e.Paths.Create(); err != nil {
			return err
		}
	}
	ctx = api.WithLang(ctx, e.Lang.Of())
	changes := []api.NeverChange{}
	for _, text := range texts {
		var change api.NeverChange
		if running {
			change, err = client.Never(ctx, text, undo)
		} else {
			change, err = nodeapi.Never(ctx, e.Paths, text, undo)
		}
		if err != nil {
			break
		}
		changes = append(changes, change)
		if !e.JSON {
			fmt.Fprintln(e.Out, change.Text)
		}
	}
	if e.JSON {
		return errors.Join(err, console.JSON(e.Out, changes))
	}
	return err
}

func listNever(ctx context.Context, e *env.Env) error {
	var list api.NeverList
	client, err := e.Dial()
	switch {
	case err == nil:
		list, err = client.NeverList(ctx)
	case errors.Is(err, api.ErrNotRunning):
		list, err = never.Listed(e.Paths.Config, e.Lang.Of())
	}
	if err != nil {
		return err
	}
	return e.Show(list, func() error { return console.Table(e.Out, neverRows(e.Lang, list)) })
}

// neverRows is a table of what is never visited. The reasons of the built-in list are in English where no node runs.
func neverRows(lang language.Language, list api.NeverList) [][]string {
	rows := [][]string{lang.Heading("never", "site", "why")}
	for _, site := range list.Sites {
		rows = append(rows, []string{site, lang.Text("never.asked", nil)})
	}
	for _, tld := range list.TLDs {
		rows = append(rows, []string{"." + tld, lang.Text("never.tld", nil)})
	}
	for _, topic := range list.Topics { // as the settings have it
		rows = append(rows, []string{lang.Text("never.topic", words.Args{"topic": topic}),
			lang.Text("never.topics", nil)})
	}
	for _, b := range list.Builtin {
		rows = append(rows, []string{b.Pattern, lang.Text("never.builtin", words.Args{"reason": b.Reason})})
	}
	return rows
}
