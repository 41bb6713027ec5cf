package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/priority"
	"github.com/forage-net/forage/ui/open"
)

// Exit codes beside those of package open.
const (
	exitClosed = 0
	exitError  = 1
	exitUsage  = 2
)

// noWindowError is why no window can be shown.
type noWindowError string

func (e noWindowError) Error() string { return string(e) }

// options are the command line.
type options struct{ home, page string }

// parse reads the command line.
func parse(args []string, out io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("forage-window", flag.ContinueOnError)
	fs.SetOutput(out)
	fs.StringVar(&o.home, "home", "", "show the node with all its files in `DIR`")
	fs.StringVar(&o.page, "page", "", "begin at `PAGE`: overview, search, domains, statistics, settings or about")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	switch {
	case fs.NArg() > 0:
		err = fmt.Errorf("%q is not expected", fs.Arg(0))
	case o.page != "" && !api.IsWindowPage(o.page):
		err = fmt.Errorf("there is no page %.40q", o.page)
	}
	if err != nil {
		fmt.Fprintln(out, "forage-window:", err)
	}
	return o, err
}

// run is the program except for the window itself, which show shows. It returns the exit code.
func run(args []string, errs io.Writer, show func(*client.Client, open.Where, options) error) int {
	o, err := parse(args, errs)
	if errors.Is(err, flag.ErrHelp) {
		return exitClosed
	}
	if err != nil {
		return exitUsage
	}
	if err := checkDisplay(runtime.GOOS, os.Getenv); err != nil {
		return noWindow(errs, err)
	}
	_ = priority.Restore() // slow is better than not at all
	if address := noBus(runtime.GOOS, os.Getenv, exists); address != "" {
		_ = os.Setenv(busVariable, address)
	}
	if runtime.GOOS == "linux" && os.Getenv(readerVariable) != "no" && screenReader() {
		return noWindow(errs, errScreenReader)
	}
	where, err := open.At(o.home)
	if err == nil {
		err = look(where, o, show)
	}
	return codeOf(errs, err)
}

// codeOf says what went wrong and returns the exit code for it.
func codeOf(errs io.Writer, err error) int {
	switch {
	case err == nil:
		return exitClosed
	case errors.Is(err, api.ErrOtherWindow):
		return open.ExitRaised
	}
	if _, ok := errors.AsType[noWindowError](err); ok {
		return noWindow(errs, err)
	}
	fmt.Fprintln(errs, "forage-window:", err)
	return exitError
}

// noWindow says why there is none.
func noWindow(errs io.Writer, err error) int {
	fmt.Fprintln(errs, "forage-window:", err)
	return open.ExitNoWindow
}

// checkDisplay makes sure that there is a display before Fyne looks for one, which would panic.
func checkDisplay(goos string, env func(string) string) error {
	if goos == "windows" || goos == "darwin" || env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != "" {
		return nil
	}
	return noWindowError("there is no display")
}

// busVariable says where the session bus of the user is.
const busVariable = "DBUS_SESSION_BUS_ADDRESS"

// noBus returns what that variable is to be so that nobody starts a bus, which would outlive the window; "" where there
// is one, or none is asked for.
func noBus(goos string, env func(string) string, exists func(path string) bool) string {
	if goos == "windows" || goos == "darwin" || env(busVariable) != "" {
		return ""
	}
	if dir := env("XDG_RUNTIME_DIR"); dir != "" && exists(filepath.Join(dir, "bus")) {
		return ""
	}
	return "unix:path=" + os.DevNull
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// look shows the node, which is started if it does not run. Where another window is open, that one is raised, and the
// error is api.ErrOtherWindow.
func look(where open.Where, o options, show func(*client.Client, open.Where, options) error) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	_, err := open.Node(ctx, where)
	var node *client.Client
	if err == nil {
		node, err = open.Dial(ctx, where.StateDir)
	}
	stop() // Fyne ends by these signals in its own way
	if err != nil {
		return err
	}
	defer keepLog(where.StateDir)()
	if raised, err := node.ShowWindow(context.Background(), o.page); raised && err == nil {
		return api.ErrOtherWindow
	}
	err = show(node, where, o)
	if errors.Is(err, api.ErrOtherWindow) { // opened at the same moment
		_, _ = node.ShowWindow(context.Background(), o.page) // it is open, whatever comes of it
	}
	return err
}

// keepLog bounds the file that standard error is, if it is the one of the window.
func keepLog(stateDir string) (done func()) {
	l, err := open.OpenLog(filepath.Join(stateDir, open.WindowLog))
	if err != nil {
		return func() {}
	}
	if l.IsStderr() {
		log.SetOutput(l) // where Fyne complains
	}
	return func() { l.Close() }
}
