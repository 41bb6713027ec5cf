package desk

import "context"

// Starter has the system start the node when its user logs in.
type Starter interface {
	SetStartup(ctx context.Context, on bool) error
}

// Startup has the system start the node when its user logs in, or not.
func (d *Desk) Startup(node Starter, on bool) {
	d.Command("", func(ctx context.Context) error { return node.SetStartup(ctx, on) }, nil)
}
