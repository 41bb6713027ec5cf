package start

import (
	"context"
	"log/slog"
	"os"
	"runtime"

	"github.com/forage-net/forage/app/priority"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/locale"
	"github.com/forage-net/forage/ui/tray"
)

// ShowTray shows the icon of a node until the function is called that it returns. Where there is no tray it says so
// in the log. launcher starts what is opened from its menu.
func ShowTray(
	ctx context.Context, e *env.Env, node tray.Node, seen func(bool), launcher *priority.Launcher, log *slog.Logger,
) (end func()) {
	ok, why := tray.Available(runtime.GOOS, os.Getenv)
	if !ok {
		log.Info("No tray here: the app icon or \"forage\" opens the window", "why", why)
		seen(false)
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it shows that the node ends, too
	c := tray.Config{
		Node: node, Lang: locale.Lang(os.Getenv), Seen: seen, Log: log, State: e.Paths.State,
		Open: Opener(ctx, e, launcher),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := tray.Run(ctx, c); err != nil {
			log.Info("No tray here: the app icon or \"forage\" opens the window", "why", err.Error())
			seen(false)
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}
