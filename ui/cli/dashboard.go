package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/open"
)

// runDashboard lets a browser in to the node that runs.
func runDashboard(ctx context.Context, e *env, args []string) error {
	fs := e.flags("dashboard")
	print := fs.Bool("print", false, "print the link and open nothing")
	show := fs.Bool("open", false, "open it even without a terminal, and start Forage if it is not running")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	if *show {
		return e.openDashboard(ctx)
	}
	return e.command(ctx, func(c *api.Client) error {
		link, err := c.Link(ctx)
		if err != nil {
			return err
		}
		switch {
		case e.json:
			return printJSON(e.out, link)
		case *print || !onTerminal(e.out):
			_, err := fmt.Fprintln(e.out, link.URL)
			return err
		}
		if err := open.Link(ctx, open.Where{StateDir: e.paths.State}, link.URL); err == nil {
			e.tell("dashboard.opens", nil)
			return nil
		} else if !errors.Is(err, open.ErrNoDisplay) {
			fmt.Fprintln(e.err, "forage:", e.lang.text("dashboard.none", words.Args{"error": e.lang.said(err.Error())}))
		}
		e.tell("dashboard.link", words.Args{"time": link.Expires.Local().Format("15:04")})
		fmt.Fprintln(e.out, link.URL)
		return nil
	})
}

// openDashboard opens the dashboard, of a node that is started if none runs.
func (e *env) openDashboard(ctx context.Context) error {
	where, err := e.where()
	if err != nil {
		return err
	}
	started, err := open.Node(ctx, where)
	if err != nil {
		return e.notStarted(ctx, where, err)
	}
	if err := open.Dashboard(ctx, where, ""); err != nil {
		return err
	}
	if e.json {
		return e.printOpened(ctx, opened{Started: started, Opened: open.ShownDashboard})
	}
	_, err = fmt.Fprint(e.out, openedText(e.lang, started, open.Outcome{Shown: open.ShownDashboard}, e.homeFlag()))
	return err
}

// onTerminal reports whether somebody reads what is printed as it is printed.
func onTerminal(out io.Writer) bool {
	if p, is := out.(*plain); is {
		out = p.to
	}
	f, ok := out.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// linkWait is how long a node that has just begun to start is waited for.
const linkWait = 5 * time.Second

// firstLink returns a link to a node that is starting.
func firstLink(ctx context.Context, stateDir string) (api.Link, error) {
	ctx, cancel := context.WithTimeout(ctx, linkWait)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		client, err := api.Dial(stateDir)
		if err == nil {
			return client.Link(ctx)
		}
		select {
		case <-ctx.Done():
			return api.Link{}, err
		case <-ticker.C:
		}
	}
}
