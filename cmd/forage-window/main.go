//go:build cgo

// Forage-window is the window of a forage node: it is started when somebody wants to look, and ends when
// it is closed. It is a client of the node's local API, and whatever becomes of it does not matter to the node.
//
// It ends with 0 when it was closed, 2 for a command line that makes no sense, 3 where no window can be
// shown, 4 when another window was raised instead, and 1 when there is no node and none can be started.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/lang"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/assets/icons"
	"github.com/forage-net/forage/ui/desktop"
	"github.com/forage-net/forage/ui/locale"
	"github.com/forage-net/forage/ui/open"
)

// appID is what desktops know the program by.
const appID = "io.github.forage_net.forage"

func main() { os.Exit(run(os.Args[1:], os.Stderr, show)) }

// show is the window, from the first frame to its end.
func show(node *client.Client, where open.Where, o options) (err error) {
	frame := newFirstFrame(func() { os.Exit(noWindow(os.Stderr, errNoFrame)) })
	defer frame.stop()
	defer func() { // Fyne panics where there is no OpenGL
		if cause := recover(); cause != nil && !frame.seen() {
			err = noWindowError(fmt.Sprintf("the display cannot be used: %v", cause))
		} else if cause != nil {
			panic(cause)
		}
	}()
	a := app.NewWithID(appID)
	a.SetIcon(fyne.NewStaticResource("forage.png", icons.App()))
	speaks := locale.Of(string(lang.SystemLocale()))
	node.SetLang(speaks) // what is wrong is said in it, too
	w := desktop.New(a, desktop.Config{
		Node: seenNode{node, frame}, Lang: speaks, Page: o.page, Drawn: frame.drawn,
		Dashboard: func(ctx context.Context, route string) error { return open.Dashboard(ctx, where, route) },
		StartNode: func(ctx context.Context) error { return startNode(ctx, where) },
	})
	return w.Run(a.Run)
}

func startNode(ctx context.Context, where open.Where) error {
	_, err := open.Node(ctx, where)
	return err
}

// seenNode is the node of a window that follows it once it can be seen: that is how who started the window knows.
type seenNode struct {
	*client.Client
	frame *firstFrame
}

// FollowWindow implements desktop.Node.
func (n seenNode) FollowWindow(ctx context.Context, boot string, since uint64, events func(api.EventPage) error,
	show func(string)) error {
	if !n.frame.wait(ctx) {
		return errors.New("the window was closed before it could be seen")
	}
	return n.Client.FollowWindow(ctx, boot, since, events, show)
}
