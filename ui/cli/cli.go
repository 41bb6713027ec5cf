// Package cli is the command line: it starts nodes, and asks and commands the
// one that runs. Texts go to standard output, complaints and the node's own
// log to standard error, and what went wrong is told by the exit code, so that
// others can script it.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/ui/cli/complete"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/demo"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/help"
	"github.com/forage-net/forage/ui/cli/language"
	"github.com/forage-net/forage/ui/cli/look"
	"github.com/forage-net/forage/ui/cli/start"
	"github.com/forage-net/forage/ui/locale"
)

// complaint is what goes to standard error when a command ends with another exit code than 0.
type complaint struct {
	// Error says what went wrong and, where that is known, what to do about it.
	Error string `json:"error"`
	Code  int    `json:"exit_code"`
	// Help is the command line that tells more.
	Help string `json:"help"`
}

func init() {
	cobra.EnableCommandSorting = false // their order tells what is used most
	cobra.MousetrapHelpText = ""       // opened from the Explorer, Forage starts like anywhere else
}

// Main runs a command line, without the program's name, and returns the exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() { // a second signal ends the process at once
		<-ctx.Done()
		stop()
	}()
	e := &env.Env{Out: console.NewPlain(stdout), Err: console.NewPlain(stderr),
		Lang: language.Language(locale.Lang(os.Getenv))}
	c, err := dispatch(ctx, e, args)
	switch {
	case err == nil:
		return env.ExitOK
	case errors.Is(err, look.ErrNoneFound): // said already
	case e.JSON || asksJSON(args):
		help := "forage help"
		if c.HasParent() {
			help += " " + c.Name()
		}
		// the exit code tells of it, too
		_ = console.JSON(e.Err, complaint{Error: e.Explain(err), Code: env.CodeOf(err), Help: help})
	default:
		fmt.Fprintln(e.Err, "forage:", e.Explain(err))
	}
	return env.CodeOf(err)
}

// asksJSON reports whether a command line wants JSON, also where its flags could not be read.
func asksJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json")
}

// dispatch runs a command line, and returns the command that it names.
func dispatch(ctx context.Context, e *env.Env, args []string) (*cobra.Command, error) {
	var wrong error
	root := newRoot(e)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		if words := c.Flags().Args(); c == root && len(words) > 0 {
			wrong = help.UnknownCommand(c, words[0])
			return
		}
		_ = help.Print(e, c) // who asked is gone
	})
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if c, rest, err := root.Find(args); err == nil && c.Name() == "find" {
		args = append([]string{"find"}, look.AsWords(rest)...)
	}
	root.SetArgs(args)
	c, err := root.ExecuteContextC(ctx)
	return c, cmp.Or(err, wrong)
}

// newRoot returns "forage" with all its commands, in the order in which help lists them.
func newRoot(e *env.Env) *cobra.Command {
	root := &cobra.Command{Use: "forage", SilenceErrors: true, SilenceUsage: true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return help.UnknownCommand(c, args[0])
			}
			return nil
		}}
	version := root.Flags().Bool("version", false, "print the version")
	all := root.PersistentFlags()
	all.StringVar(&e.Home, "home", e.Home, "use the files in `DIR`")
	all.BoolVar(&e.JSON, "json", e.JSON, "print JSON")
	all.BoolP("help", "h", false, "tell more")
	about := help.New(e)
	root.AddCommand(
		start.NewRun(e), demo.New(e), start.NewConsent(e), start.NewDashboard(e), newPassword(e),
		look.NewStatus(e), look.NewDomains(e), look.NewWhy(e), look.NewPeers(e), newInvite(e), newJoin(e),
		look.NewLog(e), look.NewStats(e), look.NewLimits(e), look.NewAway(e),
		newPause(e), newResume(e), newMode(e), newFinish(e), newStop(e), newGet(e), newSet(e), newAutostart(e),
		newDoctor(e), newNever(e), look.NewFind(e), look.NewLinks(e), look.NewSite(e), look.NewRead(e),
		newExport(e), newImport(e), newErase(e), newPaths(e), newVersion(e), complete.NewScript(e),
		help.NewManual(e), about,
	)
	root.SetHelpCommand(about)
	root.SetFlagErrorFunc(help.FlagError)
	complete.Add(e, root)
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return e.FindPaths() }
	return env.Does(root, func(ctx context.Context, _ []string) error {
		if *version {
			return printVersion(e)
		}
		return start.OpenAll(ctx, e)
	})
}
