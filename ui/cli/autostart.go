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
	"github.com/forage-net/forage/assets/words"
)

// memoryHigh is how many times ram.max a service may have in memory, what the system caches of its files included.
const memoryHigh = 4

func runAutostart(_ context.Context, e *env, args []string) error {
	fs := e.flags("autostart")
	service := fs.Bool("service", false, "on: as a service of this user, even without a desktop, restarted after a crash")
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
		e.tell("autostart.off", nil)
	case s.Disabled:
		e.tell("autostart.disabled", nil)
	case s.Kind == autostart.Service:
		e.tell("autostart.service", nil)
	default:
		e.tell("autostart.session", nil)
	}
	if s.Place != "" {
		e.tell("autostart.place", words.Args{"place": printable(s.Place)})
	}
	for _, place := range s.Foreign {
		e.tell("autostart.foreign", words.Args{"place": printable(place)})
	}
	e.autostartHints(s, after)
	return nil
}

// autostartHints says what is still missing for a node to run.
func (e *env) autostartHints(s autostart.State, after string) {
	switch {
	case after == "off":
		e.tell("autostart.runs", nil)
		return
	case s.Kind == autostart.Off:
		e.tell("autostart.change", nil)
		return
	}
	if len(s.Command) > 0 {
		if _, err := os.Stat(s.Command[0]); err != nil {
			e.tell("autostart.gone", words.Args{"program": printable(s.Command[0])})
		}
	}
	if cfg, err := config.Load(e.paths.Config); err == nil && !config.Consented(cfg) {
		e.tell("autostart.consent", nil)
	}
	if after == "on" && s.Kind == autostart.Service && runtime.GOOS == "linux" {
		e.tell("autostart.begin", words.Args{"command": "systemctl --user daemon-reload && systemctl --user start forage"})
		e.tell("autostart.linger", words.Args{"command": "loginctl enable-linger"})
	}
}
