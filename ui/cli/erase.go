package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/erase"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/ui/open"
)

func runErase(ctx context.Context, e *env, args []string) error {
	fs := e.flags("erase")
	yes := fs.Bool("yes", false, "erase without being asked")
	var what api.Erasure
	fs.Var((*list)(&what.Sites), "site", "erase only the pages of `DOMAIN` and the hosts below it; may be repeated")
	fs.Var((*list)(&what.URLs), "url", "erase only the page `URL`; may be repeated")
	fs.BoolVar(&what.KeepIdentity, "keep-identity", false, "keep this computer's name in the network")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	if what.IsPart() {
		return e.erasePart(ctx, what)
	}
	if _, err := e.dial(); err == nil {
		return coded{errors.New("a node is running here; \"forage stop\" first"), exitRunning}
	}
	if !*yes && (e.json || !e.confirm(e.lang.text("erase.ask", words.Args{"archive": e.paths.WARC(), "state": e.paths.State}))) {
		return errors.New("nothing was erased; add --yes to erase without being asked")
	}
	watched, done := e.watched(ctx)
	erased, err := erase.All(watched, e.paths, what.KeepIdentity)
	done()
	if errors.Is(err, context.Canceled) {
		return errors.New(e.lang.text("erase.stopped", words.Args{"count": erased.Files}))
	}
	if err == nil {
		err = open.EraseLogs(e.paths.State)
	}
	if err != nil {
		return err
	}
	answer := eraseAnswer{Erased: true, Files: erased.Files, Bytes: erased.Bytes, Settings: e.paths.Config}
	return e.show(answer, func() { e.tell("erase.done", words.Args{"file": e.paths.Config}) })
}

// erasePart erases sites and addresses. A node that runs does so, and starts again.
func (e *env) erasePart(ctx context.Context, what api.Erasure) error {
	for _, text := range what.Sites {
		pattern, err := scope.NeverFrom(text)
		if err != nil {
			return usage("%v", err)
		}
		if isSuffix(pattern) {
			return usage("%q is not one site: anybody can have one below it", pattern)
		}
	}
	client, err := e.dial()
	switch {
	case err == nil:
		if err = client.Erase(ctx, what); err == nil {
			err = e.awaitErase(ctx)
		}
	case errors.Is(err, api.ErrNotRunning):
		if err = e.paths.Create(); err == nil {
			err = erase.Mark(e.paths, what)
		}
		if err == nil {
			watched, done := e.watched(ctx)
			_, err = erase.Finish(watched, e.paths)
			done()
		}
	}
	var bad *api.InputError
	if errors.As(err, &bad) {
		return usage("%v", err)
	}
	if err != nil {
		return err
	}
	names := strings.Join(append(what.Sites, what.URLs...), ", ")
	return e.show(eraseAnswer{Erased: true, Settings: e.paths.Config}, func() { e.tell("erase.part", words.Args{"names": names}) })
}

// awaitErase waits until the node that runs has erased.
func (e *env) awaitErase(ctx context.Context) error {
	for {
		_, found, err := erase.Marked(e.paths)
		if err != nil || !found {
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%w; it goes on", ctx.Err())
		}
	}
}
