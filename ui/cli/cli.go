// Package cli is the command line: it starts nodes, and asks and commands the
// one that runs. Texts go to standard output, complaints and the node's own
// log to standard error, and what went wrong is told by the exit code, so that
// others can script it.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// Exit codes. Scripts rely on them.
const (
	exitOK        = 0
	exitError     = 1
	exitUsage     = 2
	exitRunning   = 5
	exitConfig    = 6
	exitNoConsent = 7
)

// errUsage is returned for a command line that makes no sense.
var errUsage = errors.New("usage")

// exitError carries an exit code other than 1.
type coded struct {
	error
	code int
}

func (c coded) Unwrap() error { return c.error }

func usage(format string, args ...any) error {
	return coded{fmt.Errorf("%w: %s", errUsage, fmt.Sprintf(format, args...)), exitUsage}
}

// env is what every verb is given.
type env struct {
	out, err io.Writer
	home     string
	json     bool
	level    slog.Level // of the log of a node
	paths    config.Paths
}

// verb is one command.
type verb struct {
	name, args, help string
	run              func(ctx context.Context, e *env, args []string) error
}

func verbs() []verb {
	return []verb{
		{"run", "[flags]", "crawl, in the foreground", runNode},
		{"demo", "[flags]", "crawl a practice web on this computer; no internet needed", runDemo},
		{"consent", "[--yes]", "read what a node does, and agree to it", runConsent},
		{"dashboard", "[--print]", "see and change everything, in a browser", runDashboard},
		{"status", "", "what the node is doing, and why", runStatus},
		{"domains", "", "the domains it owns, and when they are visited next", runDomains},
		{"peers", "", "the other nodes of the network, and how they are reached", runPeers},
		{"invite", "", "a line by which another computer finds this network", runInvite},
		{"join", "LINE", "find a network by such a line, from the next start on", runJoin},
		{"log", "[--follow]", "what happened lately", runLog},
		{"stats", "", "what was fetched, hour by hour", runStats},
		{"limits", "[--history]", "what it may do now, and why; what it used", runLimits},
		{"pause", "[DURATION]", "stop everything, for a while or until resumed", runPause},
		{"resume", "[--for DURATION]", "go on; with --for although you are here, so that you can watch", runResume},
		{"finish", "", "end what is under way, and begin nothing more until resumed", runFinish},
		{"stop", "", "end the node", runStop},
		{"get", "KEY", "print a setting", runGet},
		{"set", "KEY=VALUE", "change a setting; limits take effect at once, others at the next start", runSet},
		{"autostart", "[on|off|status]", "start with your session, or with --service as a service", runAutostart},
		{"doctor", "[--dry-run] [--thorough]", "find out what is wrong with the files, and repair it", runDoctor},
		{"never", "DOMAIN|HOST/PATH...", "visit a site no more, at once and for good; see --list, --undo", runNever},
		{"find", "WORDS... [--limit N]", "search titles and addresses of what was archived", runFind},
		{"read", "URL [--links]", "read an archived page as plain text", runRead},
		{"export", "--format warc|wacz|cdxj|links|stats DIR", "write out what was fetched", runExport},
		{"erase", "[--yes]", "delete everything that was fetched and found", runErase},
		{"paths", "", "where the files are", runPaths},
		{"version", "", "the version of this program", runVersion},
	}
}

// Main runs a command line, without the program's name, and returns the exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() { // a second signal ends the process at once
		<-ctx.Done()
		stop()
	}()
	e := &env{out: stdout, err: stderr}
	err := dispatch(ctx, e, args)
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(stderr, "forage:", explain(err)+e.advise(err))
	return codeOf(err)
}

func dispatch(ctx context.Context, e *env, args []string) error {
	name, rest, err := e.splitVerb(args)
	if err != nil {
		return err
	}
	switch name {
	case "help", "":
		fmt.Fprint(e.out, helpText())
		return nil
	}
	for _, v := range verbs() {
		if v.name == name {
			return v.run(ctx, e, rest)
		}
	}
	return usage("there is no command %q; \"forage help\" lists them", name)
}

// splitVerb takes what stands before the verb apart: --home and --json may.
func (e *env) splitVerb(args []string) (name string, rest []string, err error) {
	fs := e.flags("forage")
	help := fs.Bool("help", false, "")
	fs.BoolVar(help, "h", false, "")
	if err := fs.Parse(args); err != nil {
		return "", nil, usage("%v", err)
	}
	if *help || fs.NArg() == 0 {
		return "help", nil, nil
	}
	return fs.Arg(0), fs.Args()[1:], nil
}

// findPaths resolves the node's places once all flags are read.
func (e *env) findPaths() (err error) {
	e.paths, err = config.Resolve(e.home, os.Getenv, runtime.GOOS)
	return err
}

func helpText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "forage %s lends this computer to a crawl of the web.\n\n", crawl.Version)
	b.WriteString("usage: forage [--home DIR] [--json] COMMAND\n\n")
	for _, v := range verbs() {
		fmt.Fprintf(&b, "  %-44s %s\n", strings.TrimSpace(v.name+" "+v.args), v.help)
	}
	b.WriteString("\n\"forage COMMAND --help\" tells more. Try \"forage demo\" first.\n")
	return b.String()
}

// explain says what went wrong and, where we know, what to do about it.
func explain(err error) string {
	switch {
	case errors.Is(err, storage.ErrLocked):
		return err.Error() + "; a node seems to run: \"forage status\" tells"
	case errors.Is(err, api.ErrNotRunning):
		return "no node is running here; \"forage run\" starts one"
	}
	return strings.TrimPrefix(err.Error(), errUsage.Error()+": ")
}

// advise says what to do about a store that is damaged.
func (e *env) advise(err error) string {
	if !errors.Is(err, storage.ErrDamaged) || e.paths.State == "" {
		return ""
	}
	return fmt.Sprintf("; what is archived in %s is safe: run \"forage doctor\", or move %s away and start anew",
		e.paths.WARC(), app.StorePath(e.paths.State))
}

func codeOf(err error) int {
	var c coded
	var bad *config.Error
	switch {
	case errors.As(err, &c):
		return c.code
	case errors.As(err, &bad), errors.Is(err, app.ErrOtherNetwork):
		return exitConfig
	case errors.Is(err, storage.ErrLocked):
		return exitRunning
	}
	return exitError
}
