package cli

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/autostart"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/start"
)

// autostartAnswer says what the system will do.
type autostartAnswer struct {
	// Kind is "off", "session" or "service". Starts says that it does start the node.
	Kind   string `json:"kind"`
	Starts bool   `json:"starts"`
	// Place is the file or the registry value that says so, Command what is started.
	Place   string   `json:"place"`
	Command []string `json:"command"`
	// Disabled says that it was switched off in the settings of the system.
	Disabled bool `json:"disabled"`
	// Foreign are places that hold what forage did not write.
	Foreign []string `json:"foreign"`
}

func answerOf(s autostart.State) autostartAnswer {
	return autostartAnswer{
		Kind: s.Kind.String(), Starts: s.Kind != autostart.Off && !s.Disabled, Place: s.Place, Disabled: s.Disabled,
		Command: append([]string{}, s.Command...), Foreign: append([]string{}, s.Foreign...),
	}
}

// memoryHigh is how many times ram.max a service may have in memory, what the system caches of its files included.
const memoryHigh = 4

func newAutostart(e *env.Env) *cobra.Command {
	c := env.Command("autostart [on|off|status]", "start automatically when you log in", 0, 1)
	service := c.Flags().Bool("service", false,
		"on: as a service of this user, even without a desktop, restarted after a crash")
	return env.Does(c, func(_ context.Context, rest []string) error {
		what := "status"
		if len(rest) > 0 {
			what = rest[0]
		}
		if !slices.Contains([]string{"on", "off", "status"}, what) {
			return env.Usage("said.cli.forage-autostart-takes", words.Args{"word": strconv.Quote(what)})
		}
		if *service && what != "on" {
			return env.Usage("said.cli.service-belongs-to", nil)
		}
		p := start.Program(e)
		if cfg, err := config.Load(e.Paths.Config); err == nil {
			p.Options.MemoryHigh = memoryHigh * cfg.Limits.RAM.Max
		}
		a, err := autostart.New(p.Options)
		if err != nil {
			return err
		}
		switch what {
		case "on":
			kind := autostart.Session
			if *service {
				kind = autostart.Service
			}
			err = p.Enable(kind)
		case "off":
			err = a.Disable()
		}
		if err != nil {
			if errors.Is(err, autostart.ErrUnsupported) && *service {
				return words.New("said.cli.leave-service-out", words.Args{"error": err})
			}
			return words.New("said.cli.autostart", words.Args{"error": err})
		}
		return autostartStatus(e, a, what)
	})
}

// autostartStatus prints what the system will do.
func autostartStatus(e *env.Env, a *autostart.Autostart, after string) error {
	s, err := a.Status()
	if err != nil {
		return words.New("said.cli.autostart", words.Args{"error": err})
	}
	if e.JSON {
		return console.JSON(e.Out, answerOf(s))
	}
	switch {
	case s.Kind == autostart.Off:
		e.Tell("autostart.off", nil)
	case s.Disabled:
		e.Tell("autostart.disabled", nil)
	case s.Kind == autostart.Service:
		e.Tell("autostart.service", nil)
	default:
		e.Tell("autostart.session", nil)
	}
	if s.Place != "" {
		e.Tell("autostart.place", words.Args{"place": console.Printable(s.Place)})
	}
	for _, place := range s.Foreign {
		e.Tell("autostart.foreign", words.Args{"place": console.Printable(place)})
	}
	autostartHints(e, s, after)
	return nil
}

// autostartHints says what is still missing for a node to run.
func autostartHints(e *env.Env, s autostart.State, after string) {
	switch {
	case after == "off":
		e.Tell("autostart.runs", nil)
		return
	case s.Kind == autostart.Off:
		e.Tell("autostart.change", nil)
		return
	}
	if len(s.Command) > 0 {
		if _, err := os.Stat(s.Command[0]); err != nil {
			e.Tell("autostart.gone", words.Args{"program": console.Printable(s.Command[0])})
		}
	}
	if cfg, err := config.Load(e.Paths.Config); err == nil && !config.Consented(cfg) {
		e.Tell("autostart.consent", nil)
	}
	if after == "on" && s.Kind == autostart.Service && runtime.GOOS == "linux" {
		e.Tell("autostart.begin",
			words.Args{"command": "systemctl --user daemon-reload && systemctl --user start forage"})
		e.Tell("autostart.linger", words.Args{"command": "loginctl enable-linger"})
	}
}
