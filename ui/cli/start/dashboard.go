package start

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/open"
)

// NewDashboard lets a browser in to the node that runs.
func NewDashboard(e *env.Env) *cobra.Command {
	c := env.Command("dashboard [--print|--open]", "see and change everything, in a browser", 0, 0)
	fs := c.Flags()
	print := fs.Bool("print", false, "print the link and open nothing")
	show := fs.Bool("open", false, "open it even without a terminal, and start Forage if it is not running")
	return env.Does(c, func(ctx context.Context, _ []string) error {
		if *show {
			return openDashboard(ctx, e)
		}
		return e.WithNode(func(c *client.Client) error {
			link, err := c.Link(ctx)
			if err != nil {
				return err
			}
			switch {
			case e.JSON:
				return console.JSON(e.Out, link)
			case *print || !console.OnTerminal(e.Out):
				_, err := fmt.Fprintln(e.Out, link.URL)
				return err
			}
			if err := open.Link(ctx, open.Where{StateDir: e.Paths.State}, link.URL); err == nil {
				e.Tell("dashboard.opens", nil)
				return nil
			} else if !errors.Is(err, open.ErrNoDisplay) {
				fmt.Fprintln(e.Err, "forage:", e.Lang.Text("dashboard.none",
					words.Args{"error": e.Lang.Said(err)}))
			}
			e.Tell("dashboard.link", words.Args{"time": link.Expires.Local().Format("15:04")})
			fmt.Fprintln(e.Out, link.URL)
			return nil
		})
	})
}

// openDashboard opens the dashboard, of a node that is started if none runs.
func openDashboard(ctx context.Context, e *env.Env) error {
	where, err := whereIs(e)
	if err != nil {
		return err
	}
	started, err := open.Node(ctx, where)
	if err != nil {
		return notStarted(ctx, e, where, err)
	}
	if err := open.Dashboard(ctx, where, ""); err != nil {
		return err
	}
	if e.JSON {
		return printOpened(ctx, e, Opened{Started: started, Opened: open.ShownDashboard})
	}
	outcome := open.Outcome{Shown: open.ShownDashboard}
	_, err = fmt.Fprint(e.Out, openedText(e.Lang, started, true, outcome, e.HomeFlag()))
	return err
}

// linkWait is how long a node that has just begun to start is waited for.
const linkWait = 5 * time.Second

// FirstLink returns a link to a node that is starting.
func FirstLink(ctx context.Context, stateDir string) (api.Link, error) {
	ctx, cancel := context.WithTimeout(ctx, linkWait)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		node, err := client.Dial(stateDir)
		if err == nil {
			return node.Link(ctx)
		}
		select {
		case <-ctx.Done():
			return api.Link{}, err
		case <-ticker.C:
		}
	}
}
