package demo

import (
	"context"

	"github.com/forage-net/forage/app"
)

// trayIcon is the first node of the demo, as its icon shows it. With it all end.
type trayIcon struct {
	*app.Node
	quit func()
}

// Stop implements tray.Node.
func (d trayIcon) Stop(context.Context) error {
	d.quit()
	return nil
}

// Finish implements tray.Node: the demo brings home what is in flight as it ends.
func (d trayIcon) Finish(ctx context.Context) error { return d.Stop(ctx) }
