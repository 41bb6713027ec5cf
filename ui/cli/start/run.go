// Package start holds the commands that start a node and show it: run, consent, dashboard, and "forage" alone.
package start

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/autostart"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/doctor"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/priority"
	"github.com/forage-net/forage/app/settings"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/open"
	"github.com/forage-net/forage/ui/web"
)

// NewRun returns "forage run", a node in the foreground.
func NewRun(e *env.Env) *cobra.Command {
	c := env.Command("run [flags]", "crawl, in the foreground", 0, 0)
	fs := c.Flags()
	var f runFlags
	fs.BoolVar(&f.accept, "accept", false, "agree to what \"forage consent\" says")
	fs.BoolVar(&f.await, "await-consent", false, "start before you agree, and send nothing until you do")
	fs.StringArrayVar(&f.seeds, "seeds", nil, "start from a `URL`, or from a file with one a line; may be repeated")
	fs.StringArrayVar(&f.scope, "scope", nil, "keep to a domain or host/path `PATTERN`; may be repeated")
	fs.IntVar(&f.depth, "depth", -1, "follow at most `N` links from a seed, 0 to 255")
	fs.StringVar(&f.api, "api", "", "local API at `HOST:PORT`; port 0 takes any free one")
	fs.BoolVar(&f.anyPort, "any-port", false, "if the port of the local API is taken, take any free one")
	fs.StringVar(&f.network, "network", "", "belong to the network `NAME`: 1 to 32 of a-z, 0-9 and -")
	fs.StringArrayVar(&f.listen, "listen", nil,
		"accept other nodes at a `MULTIADDR` such as /ip4/0.0.0.0/tcp/4001; may be repeated")
	fs.StringArrayVar(&f.bootstrap, "bootstrap", nil,
		"find other nodes through the one at a `MULTIADDR`; may be repeated")
	fs.BoolVar(&f.verbose, "verbose", false, "log more, such as calls that other nodes do not answer")
	fs.BoolVar(&f.mdns, "mdns", false, "lab: look for other nodes on the local network")
	fs.StringVar(&f.logFile, "log", "", "write the log to `FILE`, up to 1 MiB, and keep the previous one")
	fs.BoolVar(&f.noTray, "no-tray", false, "no tray icon")
	fs.BoolVar(&f.lab, "lab", false, "closed test network: private and loopback addresses only")
	fs.StringVar(&f.hosts, "hosts", "", "lab: the only host names there are, from `FILE`: lines of ADDRESS[:PORT] NAME")
	fs.DurationVar(&f.gap, "gap", -1, "lab: wait `DUR` between requests instead of being polite")
	fs.IntVar(&f.fetchers, "fetchers", 0, "lab: `N` requests in flight, 1 to 1000")
	fs.BoolVar(&f.noLimits, "no-limits", false, "lab: lift the user's limits")
	fs.StringVar(&f.labTimes, "lab-times", "lab", "lab: real or short lease times, `lab|real`")
	fs.Bool("lab-slots", false, "lab: no effect; nodes always agree who visits a server")
	fs.BoolVar(&f.labLimits, "lab-limits", false, "lab: apply the user's limits")
	fs.BoolVar(&f.labNotices, "lab-notices", false, "lab: send desktop notifications")
	fs.StringVar(&f.labFooting, "lab-footing", "duty",
		"lab: standby fetches nothing, silent sends nothing, `duty|standby|silent`")
	fs.Int64Var(&f.labRotate, "lab-rotate", 0, "lab: begin a new WARC file after `BYTES` instead of 256 MiB")
	fs.DurationVar(&f.exitWhenIdle, "exit-when-idle", 0, "lab: end after `DUR` with nothing left to do")
	return env.Does(c, func(ctx context.Context, _ []string) error {
		opts, err := nodeOptions(e, &f, fs)
		if err != nil {
			return err
		}
		if f.verbose {
			e.Level = slog.LevelDebug
		}
		defer outliveReaders()()
		if f.logFile == "" {
			return serveNode(ctx, e, opts, e.Err, !f.noTray)
		}
		log, err := openRunLog(f.logFile)
		if err != nil {
			return err
		}
		defer log.Close()
		return serveNode(ctx, e, opts, log, !f.noTray)
	})
}

// outliveReaders has writes to a pipe fail that nobody reads any more, instead of ending the process: the log
// is for whoever reads it. Programs that are started from here are not told so. It ends with the function that
// it returns.
func outliveReaders() (end func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	return func() { signal.Stop(unread) }
}

// openRunLog opens the file for the log of a node, in which the text of a crash will be too.
func openRunLog(path string) (*open.Log, error) {
	log, err := open.OpenLog(path)
	if err != nil || log.IsStderr() {
		return log, err
	}
	return log, debug.SetCrashOutput(log.File(), debug.CrashOptions{})
}

// nodeOptions brings configuration and flags together. Nothing has left the
// machine when it returns.
func nodeOptions(e *env.Env, f *runFlags, given *pflag.FlagSet) (app.Options, error) {
	if err := f.check(given); err != nil {
		return app.Options{}, err
	}
	cfg, err := config.Load(e.Paths.Config)
	if err != nil {
		return app.Options{}, env.WithCode(err, env.ExitConfig)
	}
	if err := e.Paths.Create(); err != nil {
		return app.Options{}, err
	}
	if err := config.WriteDefault(e.Paths.Config); err != nil {
		return app.Options{}, err
	}
	if cfg, err = ensureConsent(e, cfg, f); err != nil {
		return app.Options{}, err
	}
	f.apply(&cfg, given)
	if _, err := scope.New(scope.Config{Patterns: cfg.Crawl.Scope, Depth: int(cfg.Crawl.Depth)}); err != nil {
		if len(f.scope) > 0 {
			return app.Options{}, env.WithCode(err, env.ExitUsage)
		}
		return app.Options{}, env.WithCode(config.WrongIn(e.Paths.Config, "crawl.scope"), env.ExitConfig)
	}
	if err := membership.CheckDoors(config.Config{Net: cfg.Net}); err != nil { // flags were checked before
		return app.Options{}, env.WithCode(config.WrongIn(e.Paths.Config, "net.bootstrap"), env.ExitConfig)
	}
	if err := membership.CheckDoors(config.Config{Peer: cfg.Peer}); err != nil {
		return app.Options{}, env.WithCode(config.WrongIn(e.Paths.Config, "peer.listen"), env.ExitConfig)
	}
	opts := app.Options{Paths: e.Paths, Home: e.Home, Config: cfg, ExitWhenIdle: f.exitWhenIdle,
		Dashboard: web.Files(), AnyPort: f.anyPort}
	if !f.lab || len(cfg.Crawl.Seeds) > 0 { // those built in are of the public web
		if opts.Seeds, err = settings.ReadSeeds(cfg.Crawl.Seeds); err != nil && len(f.seeds) > 0 {
			return opts, env.WithCode(err, env.ExitUsage)
		} else if err != nil {
			return opts, env.WithCode(fmt.Errorf("%s: crawl.seeds: %w", e.Paths.Config, err), env.ExitConfig)
		}
	}
	opts.Reload = func() (config.Config, error) {
		cfg, err := config.Load(e.Paths.Config)
		if err == nil {
			f.apply(&cfg, given)
		}
		return cfg, err
	}
	if !f.lab {
		opts.Startup = Program(e)
	} else {
		_ = opts.Footing.UnmarshalText([]byte(f.labFooting)) // it is one of them
		opts.Lab, err = f.makeLab(given)
	}
	return opts, err
}

// serveNode runs a node and shows its progress until it ends, with an icon in the tray if there is to be one.
func serveNode(ctx context.Context, e *env.Env, opts app.Options, log io.Writer, icon bool) error {
	out := e.Out
	if e.JSON {
		out = e.Err // the summary alone is JSON
	}
	screen := console.NewScreen(out, log)
	opts.Log = slog.New(slog.NewTextHandler(screen, &slog.HandlerOptions{Level: e.Level}))
	opts.Examine = func(ctx context.Context) (api.DoctorReport, error) { return doctor.Beside(ctx, opts.Paths) }
	opts.Quiet = onOneProcessor
	opts.Launcher = priority.NewLauncher() // before the node steps back
	defer opts.Launcher.Close()
	for {
		if again, err := serveOnce(ctx, e, opts, out, screen, icon); !again || err != nil {
			return err
		}
		if cfg, err := opts.Reload(); err == nil {
			opts.Config = cfg // what is never visited may have changed meanwhile
		}
	}
}

// serveOnce is serveNode, until the node ends. again says that it did so to erase sites.
func serveOnce(
	ctx context.Context, e *env.Env, opts app.Options, out io.Writer, screen *console.Screen, icon bool,
) (again bool, err error) {
	node, err := app.New(opts)
	if err != nil {
		return false, err
	}
	watch, cancel := context.WithCancel(api.WithLang(context.WithoutCancel(ctx), e.Lang.Of()))
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		showProgress(watch, node, screen)
	}()
	endTray := func() {}
	if icon {
		endTray = ShowTray(ctx, e, node, node.SetTray, opts.Launcher, opts.Log)
	}
	life, deaf := onHangup(ctx, node.Reload)
	err = node.Serve(life)
	deaf()
	endTray()
	status, statusErr := node.Status(context.WithoutCancel(ctx))
	cancel()
	<-watched
	if closeErr := node.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = statusErr
	}
	switch {
	case err != nil:
	case node.Again():
		return ctx.Err() == nil, nil
	case node.Erased():
		if err := open.EraseLogs(e.Paths.State); err != nil {
			return false, err
		}
		fmt.Fprintln(out, e.Lang.Text("erase.done", words.Args{"file": e.Paths.Config}))
	default:
		_ = printSummary(e, status) // who looked is gone
	}
	return false, err
}

// printSummary says what came of a run, and where it is.
func printSummary(e *env.Env, s api.Status) error {
	return e.Answer(s, "\n"+e.Lang.Text("run.summary", words.Args{
		"session": e.Lang.Count("page", s.PagesSession), "pages": s.Pages,
		"domains": e.Lang.Count("domain", s.Domains), "known": s.Known, "queued": s.Queued,
	})+"\n"+e.Lang.Text("run.archive", words.Args{"size": e.Lang.Bytes(s.ArchiveBytes), "folder": s.ArchiveDir})+
		"\n"+e.Lang.Text("run.export", words.Args{"home": e.HomeFlag()}))
}

// Program is what the system starts when it starts this node.
func Program(e *env.Env) autostart.Program {
	// The variable need not be there when the system starts it.
	home := cmp.Or(e.Home, os.Getenv("FORAGE_HOME"))
	return autostart.Program{Options: autostart.Options{Paths: e.Paths}, Home: home}
}
