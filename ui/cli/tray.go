package cli

import (
	"context"
	"log/slog"
	"os"
	"runtime"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/priority"
	"github.com/forage-net/forage/ui/locale"
	"github.com/forage-net/forage/ui/tray"
)

// showTray shows the icon of a node until the function is called that it returns. Where there is no tray it says so
// in the log. launcher starts what is opened from its menu.
func (e *env) showTray(ctx context.Context, node tray.Node, seen func(bool), launcher *priority.Launcher, log *slog.Logger) (end func()) {
	ok, why := tray.Available(runtime.GOOS, os.Getenv)
	if !ok {
		log.Info("No tray here: the app icon or \"forage\" opens the window", "why", why)
		seen(false)
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // it shows that the node ends, too
	c := tray.Config{
		Node: node, Lang: locale.Lang(os.Getenv), Seen: seen, Log: log, State: e.paths.State,
		Open: e.opener(ctx, launcher),
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

// demoTray is the first node of the demo, as its icon shows it. With it all end.
type demoTray struct {
	*app.Node
	quit func()
}

// Stop implements tray.Node.
func (d demoTray) Stop(context.Context) error {
	d.quit()
	return nil
}

// Finish implements tray.Node: the demo brings home what is in flight as it ends.
func (d demoTray) Finish(ctx context.Context) error { return d.Stop(ctx) }
