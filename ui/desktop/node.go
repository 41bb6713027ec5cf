package desktop

import (
	"context"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/about"
	"github.com/forage-net/forage/ui/desktop/domains"
	"github.com/forage-net/forage/ui/desktop/overview"
	"github.com/forage-net/forage/ui/desktop/search"
	"github.com/forage-net/forage/ui/desktop/settings"
	"github.com/forage-net/forage/ui/desktop/setup"
	"github.com/forage-net/forage/ui/desktop/statistics"
)

// Node is what the window asks and commands; *client.Client is one. It is called from many goroutines at once.
type Node interface {
	setup.Node
	settings.Node
	overview.Node
	statistics.Node
	domains.Node
	about.Node
	search.Node
	StatusIn(ctx context.Context, lang string) (api.Status, error)
	Limits(ctx context.Context, lang string) (api.Limits, error)
	Pause(ctx context.Context, d time.Duration) error
	Resume(ctx context.Context) error
	Finish(ctx context.Context) error
	SetRun(ctx context.Context, mode api.RunMode) error
	// FollowWindow calls events as Follow does, and show when this window is to come to the front, at a page.
	// It returns api.ErrOtherWindow if there is another window already.
	FollowWindow(ctx context.Context, boot string, since uint64, events func(api.EventPage) error,
		show func(page string)) error
}
