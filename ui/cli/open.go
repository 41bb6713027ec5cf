package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/forage-net/forage/app/priority"
	"github.com/forage-net/forage/assets/words"
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
		fmt.Fprintln(e.err, "forage:", e.lang.text("open.neither", words.Args{"error": e.lang.said(err.Error())}))
	}
	if e.json {
		return e.printOpened(ctx, opened{Started: started, Opened: outcome.Shown})
	}
	_, err = fmt.Fprint(e.out, openedText(e.lang, started, outcome, e.homeFlag()))
	return err
}

// notStarted says why there is no node: in the browser too, if nobody reads what is printed.
func (e *env) notStarted(ctx context.Context, where open.Where, err error) error {
	if ctx.Err() == nil && !e.json && !onTerminal(e.err) {
		_ = open.Trouble(ctx, where, e.lang.of(), e.lang.said(err.Error())) // the error is printed as well
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
	return " --home " + shellQuoted(e.home)
}

// shellQuoted returns an argument as it is written in a command line.
func shellQuoted(arg string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+,=-"
	switch {
	case strings.Trim(arg, plain+`\`) == "" && (runtime.GOOS == "windows" || !strings.Contains(arg, `\`)) && arg != "":
		return arg
	case runtime.GOOS == "windows":
		return `"` + arg + `"` // no name of a file holds one
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// openedText says what is to be seen now, and where.
func openedText(lang language, started bool, outcome open.Outcome, home string) string {
	at := words.Args{"home": home}
	text := ""
	switch outcome.Shown {
	case open.ShownWindow:
		text = lang.text("open.window", nil) + "\n"
	case open.ShownDashboard:
		var ended *open.EndedError
		if errors.As(outcome.Missed, &ended) {
			text = lang.text("open.missed", words.Args{"reason": lang.said(ended.Reason)}) + "\n"
		}
		text += lang.text("open.dashboard", nil) + "\n"
	default:
		text = lang.text("open.nothing", at) + "\n"
	}
	if started {
		text += lang.text("open.started", at) + "\n"
	}
	return text
}
