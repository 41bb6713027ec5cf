package start

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/priority"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/language"
	"github.com/forage-net/forage/ui/open"
)

// Opened is what "forage" alone has done.
type Opened struct {
	// Started says that no node was running before.
	Started bool `json:"started"`
	// Opened is "window", "dashboard" or "none".
	Opened open.Shown `json:"opened"`
	// URL leads to the dashboard, once, if nothing was opened; else it is "".
	URL string `json:"url"`
}

// whereIs says where the node is, and that its program is this one.
func whereIs(e *env.Env) (open.Where, error) {
	w, err := open.At(e.Home)
	if err == nil {
		w.Program, err = os.Executable()
	}
	return w, err
}

// Opener returns what shows a page of the node that runs in this process: "dashboard" in the browser, others, as
// api.IsWindowPage has them, in the window, "" for the window as it is.
func Opener(ctx context.Context, e *env.Env, launcher *priority.Launcher) func(page string) error {
	return func(page string) error {
		w, err := whereIs(e)
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

// OpenAll is "forage" alone: it starts the node if none runs, and shows it.
func OpenAll(ctx context.Context, e *env.Env) error {
	where, err := whereIs(e)
	if err != nil {
		return err
	}
	if err := e.FindPaths(); err != nil {
		return err
	}
	started, err := open.Node(ctx, where)
	if err != nil {
		return notStarted(ctx, e, where, err)
	}
	outcome, err := open.Window(ctx, where, "")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && !errors.Is(err, open.ErrNoDisplay) {
		fmt.Fprintln(e.Err, "forage:", e.Lang.Text("open.neither", words.Args{"error": e.Lang.Said(err)}))
	}
	if e.JSON {
		return printOpened(ctx, e, Opened{Started: started, Opened: outcome.Shown})
	}
	cfg, wrong := config.Load(e.Paths.Config)
	agreed := wrong != nil || config.Consented(cfg)
	_, err = fmt.Fprint(e.Out, openedText(e.Lang, started, agreed, outcome, e.HomeFlag()))
	return err
}

// notStarted says why there is no node: in the browser too, if nobody reads what is printed.
func notStarted(ctx context.Context, e *env.Env, where open.Where, err error) error {
	if ctx.Err() == nil && !e.JSON && !console.OnTerminal(e.Err) {
		_ = open.Trouble(ctx, where, e.Lang.Of(), e.Lang.Said(err)) // the error is printed as well
	}
	if ended, ok := errors.AsType[*open.EndedError](err); ok && ended.Code > env.ExitOK {
		return env.WithCode(err, ended.Code)
	}
	return err
}

func printOpened(ctx context.Context, e *env.Env, o Opened) error {
	if o.Opened == open.ShownNothing {
		client, err := e.Dial()
		if err != nil {
			return err
		}
		link, err := client.Link(ctx)
		if err != nil {
			return err
		}
		o.URL = link.URL
	}
	return console.JSON(e.Out, o)
}

// openedText says what is to be seen now, and where; where nothing is, it says how to agree to what Forage does.
func openedText(lang language.Language, started, agreed bool, outcome open.Outcome, home string) string {
	at := words.Args{"home": home}
	text := ""
	switch outcome.Shown {
	case open.ShownWindow:
		text = lang.Text("open.window", nil) + "\n"
	case open.ShownDashboard:
		if ended, ok := errors.AsType[*open.EndedError](outcome.Missed); ok {
			text = lang.Text("open.missed", words.Args{"reason": lang.Said(ended)}) + "\n"
		}
		text += lang.Text("open.dashboard", nil) + "\n"
	default:
		text = lang.Text("open.nothing", at) + "\n"
	}
	if started {
		text += lang.Text("open.started", at) + "\n"
	}
	if !agreed && outcome.Shown == open.ShownNothing {
		text += lang.Text("open.agree", at) + "\n"
	}
	return text
}
