package cli

import (
	"context"
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/erase"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/open"
)

// eraseAnswer is what erase has deleted.
type eraseAnswer struct {
	Erased bool  `json:"erased"`
	Files  int   `json:"files"`
	Bytes  int64 `json:"bytes"`
	// Settings is the file that is kept.
	Settings string `json:"settings"`
}

func newErase(e *env.Env) *cobra.Command {
	c := env.Command("erase [--site DOMAIN|--url URL]", "delete everything fetched, or one site", 0, 0)
	fs := c.Flags()
	yes := fs.Bool("yes", false, "erase without being asked")
	var what api.Erasure
	fs.StringArrayVar(&what.Sites, "site", nil,
		"erase only the pages of `DOMAIN` and the hosts below it; may be repeated")
	fs.StringArrayVar(&what.URLs, "url", nil, "erase only the page `URL`; may be repeated")
	fs.BoolVar(&what.KeepIdentity, "keep-identity", false, "keep this computer's name in the network")
	return env.Does(c, func(ctx context.Context, _ []string) error {
		if what.IsPart() {
			return erasePart(ctx, e, what)
		}
		if _, err := e.Dial(); err == nil {
			return env.WithCode(words.New("said.cli.a-node-is-running-here", nil), env.ExitRunning)
		}
		if !*yes && (e.JSON || !e.Confirm(e.Lang.Text("erase.ask",
			words.Args{"archive": e.Paths.WARC(), "state": e.Paths.State}))) {
			return words.New("said.cli.nothing-was-erased", nil)
		}
		watched, done := e.Watched(ctx)
		erased, err := erase.All(watched, e.Paths, what.KeepIdentity)
		done()
		if errors.Is(err, context.Canceled) {
			return words.New("cli.erase.stopped", words.Args{"count": erased.Files})
		}
		if err == nil {
			err = open.EraseLogs(e.Paths.State)
		}
		if err != nil {
			return err
		}
		answer := eraseAnswer{Erased: true, Files: erased.Files, Bytes: erased.Bytes, Settings: e.Paths.Config}
		return e.Answer(answer, e.Lang.Text("erase.done", words.Args{"file": e.Paths.Config}))
	})
}

// erasePart erases sites and addresses. A node that runs does so, and starts again.
func erasePart(ctx context.Context, e *env.Env, what api.Erasure) error {
	for _, text := range what.Sites {
		pattern, err := scope.NeverFrom(text)
		if err != nil {
			return env.WithCode(err, env.ExitUsage)
		}
		if isSuffix(pattern) {
			return env.Usage("said.cli.anybody-can-have-one-below", words.Args{"name": strconv.Quote(pattern)})
		}
	}
	client, err := e.Dial()
	switch {
	case err == nil:
		if err = client.Erase(ctx, what); err == nil {
			err = awaitErase(ctx, e)
		}
	case errors.Is(err, api.ErrNotRunning):
		if err = e.Paths.Create(); err == nil {
			err = erase.Mark(e.Paths, what)
		}
		if err == nil {
			watched, done := e.Watched(ctx)
			_, err = erase.Finish(watched, e.Paths)
			done()
		}
	}
	if _, ok := errors.AsType[*api.InputError](err); ok {
		return env.WithCode(err, env.ExitUsage)
	}
	if err != nil {
		return err
	}
	names := strings.Join(append(what.Sites, what.URLs...), ", ")
	return e.Answer(eraseAnswer{Erased: true, Settings: e.Paths.Config},
		e.Lang.Text("erase.part", words.Args{"names": names}))
}

// awaitErase waits until the node that runs has erased.
func awaitErase(ctx context.Context, e *env.Env) error {
	for {
		_, found, err := erase.Marked(e.Paths)
		if err != nil || !found {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return words.New("said.cli.it-goes-on", words.Args{"error": ctx.Err()})
		}
	}
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
