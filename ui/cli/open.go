package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/forage-net/forage/app/priority"
	"github.com/forage-net/forage/ui/open"
)

// opened is what "forage" alone has done.
type opened struct {
	// Started says that no node was running before.
	Started bool `json:"started"`
	// Opened is "window", "dashboard" or "none".
	Opened open.Shown `json:"opened"`
	// URL leads to the dashboard, once, if nothing was opened; else it is "".
	URL string `json:"url"`
}

// where says where the node is, and that its program is this one.
func (e *env) where() (open.Where, error) {
	w, err := open.At(e.home)
	if err == nil {
		w.Program, err = os.Executable()
	}
	return w, err
}

// opener returns what shows a page of the node that runs in this process: "dashboard" in the browser, others, as
// api.IsWindowPage has them, in the window, "" for the window as it is.
func (e *env) opener(ctx context.Context, launcher *priority.Launcher) func(page string) error {
	return func(page string) error {
		w, err := e.where()
		if err != nil {
			return err
		}
		w.Start = launcher.Start
		if page == string(open.ShownDashboard) {
			return open.Dashboard(ctx, w, "")
		}
		_, err = open.Window(ctx, w, page)
		return err
	}
}

// openAll is "forage" alone: it starts the node if none runs, and shows it.
func openAll(ctx context.Context, e *env) error {
	where, err := e.where()
	if err != nil {
		return err
	}
	if err := e.findPaths(); err != nil {
		return err
	}
	started, err := open.Node(ctx, where)
	if err != nil {
		return e.notStarted(ctx, where, err)
	}
	outcome, err := open.Window(ctx, where, "")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && !errors.Is(err, open.ErrNoDisplay) {
		fmt.Fprintln(e.err, "forage: neither window nor browser could be opened:", err)
	}
	if e.json {
		return e.printOpened(ctx, opened{Started: started, Opened: outcome.Shown})
	}
	_, err = fmt.Fprint(e.out, openedText(started, outcome, e.homeFlag()))
	return err
}

// notStarted says why there is no node: in the browser too, if nobody reads what is printed.
func (e *env) notStarted(ctx context.Context, where open.Where, err error) error {
	if ctx.Err() == nil && !e.json && !onTerminal(e.err) {
		_ = open.Trouble(ctx, where, err.Error()) // the error is printed as well
	}
	var ended *open.EndedError
	if errors.As(err, &ended) && ended.Code > exitOK {
		return coded{err, ended.Code}
	}
	return err
}

func (e *env) printOpened(ctx context.Context, o opened) error {
	if o.Opened == open.ShownNothing {
		client, err := e.dial()
		if err != nil {
			return err
		}
		link, err := client.Link(ctx)
		if err != nil {
			return err
		}
		o.URL = link.URL
	}
	return printJSON(e.out, o)
}

// homeFlag returns what commands for the same node need, "" if nothing.
func (e *env) homeFlag() string {
	if e.home == "" {
		return ""
	}
	return " --home " + e.home
}

// openedText says what is to be seen now, and where.
func openedText(started bool, outcome open.Outcome, home string) string {
	text := ""
	switch outcome.Shown {
	case open.ShownWindow:
		text = "The window of forage is open.\n"
	case open.ShownDashboard:
		text = "The dashboard of forage opens in your browser.\n"
		var ended *open.EndedError
		if errors.As(outcome.Missed, &ended) {
			text = fmt.Sprintf("The window cannot be shown here: %s.\n%s", ended.Reason, text)
		}
	default:
		text = fmt.Sprintf("There is no screen here to show it on. To look at it:\n"+
			"  forage status%s            what it is doing, and why\n"+
			"  forage dashboard --print%s a link for a browser on this computer\n", home, home)
	}
	if started {
		text += fmt.Sprintf("Forage runs in the background now, and goes on when you close this. \"forage status%s\" tells what\n"+
			"it does, \"forage stop%s\" ends it. Before you have agreed, it sends nothing.\n", home, home)
	}
	return text
}
