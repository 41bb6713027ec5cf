// Package cli is the command line: it starts nodes, and asks and commands the
// one that runs. Texts go to standard output, complaints and the node's own
// log to standard error, and what went wrong is told by the exit code, so that
// others can script it.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/ui/locale"
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
	lang     language
	// probe, if not nil, is called by parse with the flags of a verb, which then ends.
	probe func(*flag.FlagSet)
	// now is the clock of bars; nil means time.Now.
	now   func() time.Time
	level slog.Level // of the log of a node
	// columns is how long lines of a log may be, 0 for any length.
	columns int
	paths   config.Paths
}

// verb is one command. What there is to say about it beyond a line stands in the file
// pages/NAME.txt; its flags are those that run gives to parse. Help, completion and manual page are made
// from these three.
type verb struct {
	name string
	// args are its arguments as in "usage: forage NAME ARGS". Completion reads them too: DIR is a directory,
	// KEY a setting, DOMAIN a site, VERB a command, and on|off one of these words.
	args string
	help string // what it does, in a line
	// run must call parse before it does anything else.
	run func(ctx context.Context, e *env, args []string) error
}

func verbs() []verb {
	return []verb{
		{"run", "[flags]", "crawl, in the foreground", runNode},
		{"demo", "[flags]", "crawl a practice web; no internet needed", runDemo},
		{"consent", "[--yes]", "read what Forage does, and agree to it", runConsent},
		{"dashboard", "[--print|--open]", "see and change everything, in a browser", runDashboard},
		{"password", "[--remove]", "let other computers open the dashboard", runPassword},
		{"status", "", "what Forage is doing, and why", runStatus},
		{"domains", "", "domains looked after here, and their next visits", runDomains},
		{"why", "URL", "what happened to an address, or why it was skipped", runWhy},
		{"peers", "", "the other nodes, and how they are reached", runPeers},
		{"invite", "", "a line that brings another computer here", runInvite},
		{"join", "LINE", "join the network of such a line", runJoin},
		{"log", "[--follow|--requests]", "recent events; with --requests every request", runLog},
		{"stats", "[--days|--years]", "what was fetched, by hour, day or year", runStats},
		{"limits", "[--history]", "what Forage may do now, and why; what it uses", runLimits},
		{"away", "", "what Forage fetched while you were away", runAway},
		{"pause", "[DURATION]", "pause, for a while or until you resume", runPause},
		{"resume", "[--for DURATION]", "resume; with --for, work while you are here", runResume},
		{"mode", "[always|away|off]", "when to work: always, while you are away, or not", runMode},
		{"finish", "", "finish what is under way, then stop", runFinish},
		{"stop", "", "stop Forage", runStop},
		{"get", "[KEY]", "print a setting, or all of them", runGet},
		{"set", "KEY=VALUE", "change a setting; limits take effect at once", runSet},
		{"autostart", "[on|off|status]", "start automatically when you log in", runAutostart},
		{"doctor", "[--dry-run | --reindex]", "check the files and repair them", runDoctor},
		{"never", "DOMAIN...", "never visit a site again; see --list, --undo", runNever},
		{"find", "WORDS...", "search your archive", runFind},
		{"links", "URL|DOMAIN", "pages of other sites that link to a page or site", runLinks},
		{"site", "DOMAIN", "what your archive has of a site", runSite},
		{"read", "URL", "read an archived page as plain text", runRead},
		{"export", "--format FORMAT DIR", "export what was fetched", runExport},
		{"import", "FILE...", "import WARC and WACZ files into the archive", runImport},
		{"erase", "[--site DOMAIN|--url URL]", "delete everything fetched, or one site", runErase},
		{"paths", "", "where the files are", runPaths},
		{"version", "[--check FILE|URL]", "print the version, or verify a release file", runVersion},
		{"completion", "bash|zsh|fish", "print a script for shell completion", runCompletion},
		{"man", "", "print the manual page, as roff", runMan},
		{"help", "[VERB]", "list all commands, or explain one", runHelp},
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
	e := &env{out: newPlain(stdout), err: newPlain(stderr), lang: language(locale.Lang(os.Getenv))}
	err := dispatch(ctx, e, args)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errNoneFound): // said already
	case e.json || asksJSON(args):
		_ = printJSON(e.err, complaint{Error: e.explain(err), Code: codeOf(err), Help: helpFor(args)}) // the exit code tells of it, too
	default:
		fmt.Fprintln(e.err, "forage:", e.explain(err))
	}
	return codeOf(err)
}

// asksJSON reports whether a command line wants JSON, also where its flags could not be read.
func asksJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json")
}

// helpFor is the command that tells more about the one in a command line.
func helpFor(args []string) string {
	for _, arg := range args {
		if v, ok := findVerb(arg); ok {
			return "forage help " + v.name
		}
	}
	return "forage help"
}

func dispatch(ctx context.Context, e *env, args []string) error {
	if len(args) > 0 && args[0] == completeVerb {
		return e.printCompletion(ctx, args[1:])
	}
	name, rest, err := e.splitVerb(args)
	if err != nil {
		return err
	}
	if name == "" {
		return openAll(ctx, e)
	}
	if v, ok := findVerb(name); ok {
		return v.run(ctx, e, rest)
	}
	return unknownVerb(name)
}

// findVerb returns the command of that name.
func findVerb(name string) (verb, bool) {
	for _, v := range verbs() {
		if v.name == name {
			return v, true
		}
	}
	return verb{}, false
}

func unknownVerb(name string) error {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return usage("there is no command %q%s", name, hint(nearest(name, names), "\"forage help\" lists them"))
}

// splitVerb takes what stands before the verb apart: --home and --json may.
func (e *env) splitVerb(args []string) (name string, rest []string, err error) {
	fs := e.flags("forage")
	help := fs.Bool("help", false, "")
	fs.BoolVar(help, "h", false, "")
	version := fs.Bool("version", false, "")
	if err := fs.Parse(args); err != nil {
		return "", nil, flagError(err, fs, "the flags of a command stand behind it: \"forage help COMMAND\"")
	}
	if *help {
		return "help", fs.Args()[:min(1, fs.NArg())], nil
	}
	if *version {
		return "version", fs.Args(), nil
	}
	if fs.NArg() == 0 {
		return "", nil, nil // the node is to be seen
	}
	return fs.Arg(0), fs.Args()[1:], nil
}

// moment is the time now.
func (e *env) moment() time.Time {
	if e.now != nil {
		return e.now()
	}
	return time.Now()
}

// findPaths resolves the node's places once all flags are read.
func (e *env) findPaths() (err error) {
	e.paths, err = config.Resolve(e.home, os.Getenv, runtime.GOOS)
	e.paths = e.paths.Chosen()
	return err
}

// explain says what went wrong and, where we know, what to do about it, in the language of the user as far as there
// are words for it.
func (e *env) explain(err error) string {
	text := e.lang.said(strings.TrimPrefix(err.Error(), errUsage.Error()+": "))
	switch {
	case errors.Is(err, storage.ErrLocked):
		return e.lang.text("trouble.in_use", words.Args{"error": text})
	case errors.Is(err, api.ErrNotRunning):
		return e.lang.text("trouble.none", nil)
	case errors.Is(err, storage.ErrDamaged) && e.paths.State != "":
		return e.lang.text("trouble.damaged", words.Args{"error": text, "archive": e.paths.WARC(), "store": e.paths.Store()})
	}
	return text
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
