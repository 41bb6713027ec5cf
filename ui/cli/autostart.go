package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/forage-net/forage/app/autostart"
	"github.com/forage-net/forage/app/config"
)

// memoryHigh is how many times ram.max a service may have in memory, what the system caches of its files
// included.
const memoryHigh = 4

func runAutostart(_ context.Context, e *env, args []string) error {
	fs := e.flags("autostart")
	service := fs.Bool("service", false, "on: as a service of this user, without a desktop too, and again after a crash")
	rest, err := e.parse(fs, args, 0, 1)
	if err != nil {
		return done(err)
	}
	what := "status"
	if len(rest) > 0 {
		what = rest[0]
	}
	if !slices.Contains([]string{"on", "off", "status"}, what) {
		return usage("\"forage autostart\" takes on, off or status, not %q", what)
	}
	if *service && what != "on" {
		return usage("--service belongs to \"forage autostart on\"")
	}
	o := autostart.Options{Paths: e.paths}
	if cfg, err := config.Load(e.paths.Config); err == nil {
		o.MemoryHigh = memoryHigh * cfg.Limits.RAM.Max
	}
	a, err := autostart.New(o)
	if err != nil {
		return err
	}
	switch what {
	case "on":
		kind := autostart.Session
		if *service {
			kind = autostart.Service
		}
		err = e.autostartOn(a, kind)
	case "off":
		err = a.Disable()
	}
	if err != nil {
		if errors.Is(err, autostart.ErrUnsupported) && *service {
			return fmt.Errorf("autostart: %w; leave --service out", err)
		}
		return fmt.Errorf("autostart: %w", err)
	}
	return e.autostartStatus(a, what)
}

// autostartOn has the system start this program, with this home.
func (e *env) autostartOn(a *autostart.Autostart, kind autostart.Kind) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("this program is no longer where it was: %w", err)
	}
	return a.Enable(kind, e.autostartCommand(program, kind))
}

// autostartCommand is what the system is to start. A service has no desktop to show an icon on.
func (e *env) autostartCommand(program string, kind autostart.Kind) []string {
	command := []string{program, "run"}
	if kind == autostart.Service {
		command = append(command, "--no-tray")
	}
	// The variable need not be there when the system starts it.
	if home := cmp.Or(e.home, os.Getenv("FORAGE_HOME")); home != "" {
		if abs, err := filepath.Abs(home); err == nil {
			home = abs
		}
		command = append(command, "--home", home)
	}
	return command
}

// autostartStatus prints what the system will do.
func (e *env) autostartStatus(a *autostart.Autostart, after string) error {
	s, err := a.Status()
	if err != nil {
		return fmt.Errorf("autostart: %w", err)
	}
	if e.json {
		return printJSON(e.out, answerOf(s))
	}
	switch {
	case s.Kind == autostart.Off:
		fmt.Fprintln(e.out, "forage does not start by itself.")
	case s.Disabled:
		fmt.Fprintln(e.out, "forage does not start by itself: that was switched off in the settings of the system.")
	case s.Kind == autostart.Service:
		fmt.Fprintln(e.out, "forage starts as a service when you log in.")
	default:
		fmt.Fprintln(e.out, "forage starts when you log in.")
	}
	if s.Place != "" {
		fmt.Fprintln(e.out, "That is written in", printable(s.Place))
	}
	for _, place := range s.Foreign {
		fmt.Fprintln(e.out, "Not written by forage, and left alone:", printable(place))
	}
	e.autostartHints(s, after)
	return nil
}

// autostartHints says what is still missing for a node to run.
func (e *env) autostartHints(s autostart.State, after string) {
	switch {
	case after == "off":
		fmt.Fprintln(e.out, "A node that runs now goes on; \"forage stop\" ends it.")
		return
	case s.Kind == autostart.Off:
		fmt.Fprintln(e.out, "\"forage autostart on\" changes that.")
		return
	}
	if len(s.Command) > 0 {
		if _, err := os.Stat(s.Command[0]); err != nil {
			fmt.Fprintf(e.out, "But %s is not there any more: \"forage autostart on\" writes it anew.\n", printable(s.Command[0]))
		}
	}
	if cfg, err := config.Load(e.paths.Config); err == nil && !config.Consented(cfg) {
		fmt.Fprintln(e.out, "Nobody has agreed yet that it may work: \"forage consent\".")
	}
	if after == "on" && s.Kind == autostart.Service && runtime.GOOS == "linux" {
		fmt.Fprintln(e.out, "To start it now: systemctl --user daemon-reload && systemctl --user start forage")
		fmt.Fprintln(e.out, "To have it run while you are not logged in, too: loginctl enable-linger")
	}
}
