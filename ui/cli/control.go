package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
)

// command sends one command to the node that runs.
func (e *env) command(ctx context.Context, fn func(*api.Client) error) error {
	client, err := api.Dial(e.paths.State)
	if err != nil {
		return err
	}
	return fn(client)
}

func runPause(ctx context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags("pause"), args, 0, 1)
	if err != nil {
		return done(err)
	}
	var d time.Duration
	if len(rest) == 1 {
		if d, err = duration(rest[0]); err != nil {
			return err
		}
	}
	return e.command(ctx, func(c *api.Client) error {
		if err := c.Pause(ctx, d); err != nil {
			return err
		}
		if d > 0 {
			fmt.Fprintln(e.out, "Paused until", time.Now().Add(d).Format(time.TimeOnly)+".")
		} else {
			fmt.Fprintln(e.out, "Paused until \"forage resume\".")
		}
		return nil
	})
}

// duration reads a length of time as people write it.
func duration(text string) (time.Duration, error) {
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, usage("%q is no length of time; write 30m, 3h or 1h30m", text)
}

func runResume(ctx context.Context, e *env, args []string) error {
	fs := e.flags("resume")
	long := fs.String("for", "", "work for a `DURATION`, as 2m or 1h30m, although you use the computer")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	var d time.Duration
	if *long != "" {
		var err error
		if d, err = duration(*long); err != nil {
			return err
		}
	}
	return e.command(ctx, func(c *api.Client) error {
		if d > 0 {
			if err := c.Work(ctx, d); err != nil {
				return err
			}
			l, err := c.Limits(ctx, "en")
			if err == nil {
				fmt.Fprintln(e.out, l.Sentence)
			}
			return err
		}
		if err := c.Resume(ctx); err != nil {
			return err
		}
		fmt.Fprintln(e.out, "Going on.")
		return nil
	})
}

func runStop(ctx context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags("stop"), args, 0, 0); err != nil {
		return done(err)
	}
	err := e.command(ctx, func(c *api.Client) error { return c.Stop(ctx) })
	// Until it has ended, its files are in use.
	for err == nil && app.InUse(e.paths) {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err == nil {
		fmt.Fprintln(e.out, "Stopped.")
	}
	return err
}

func runSet(_ context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags("set"), args, 1, 1)
	if err != nil {
		return done(err)
	}
	key, value, ok := strings.Cut(rest[0], "=")
	if !ok {
		return usage("write KEY=VALUE, as in disk.max=\"5 GB\"")
	}
	if strings.HasPrefix(strings.TrimSpace(key), "consent.") {
		return usage("consent is given by reading: \"forage consent\"")
	}
	if err := e.paths.Create(); err != nil {
		return err
	}
	_, err = config.Apply(e.paths.Config, config.Change{
		Set:   map[string]string{strings.TrimSpace(key): config.Unquoted(strings.TrimSpace(value))},
		Check: app.CheckSettings(e.paths.Config),
	})
	return err
}

func runConsent(_ context.Context, e *env, args []string) error {
	fs := e.flags("consent")
	yes := fs.Bool("yes", false, "agree without being asked")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	cfg, err := config.Load(e.paths.Config)
	if err != nil {
		return err
	}
	fmt.Fprint(e.out, config.ConsentText(e.paths, cfg))
	if config.Consented(cfg) {
		fmt.Fprintf(e.out, "\nYou agreed to this on %s.\n", cfg.Consent.Time.Local().Format("2006-01-02 15:04"))
		return nil
	}
	if !*yes && !e.confirm("\nDo you agree?") {
		return coded{errors.New("not agreed; nothing was sent"), exitNoConsent}
	}
	if err := e.paths.Create(); err != nil {
		return err
	}
	if err := config.Consent(e.paths.Config, time.Now()); err != nil {
		return err
	}
	fmt.Fprintln(e.out, "Thank you. \"forage run\" starts the node.")
	return nil
}

// confirm asks a question that only "yes" answers; without a terminal the
// answer is no.
func (e *env) confirm(question string) bool {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return false
	}
	fmt.Fprint(e.out, question, " Type yes: ")
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	return strings.EqualFold(strings.TrimSpace(answer), "yes")
}

func runErase(_ context.Context, e *env, args []string) error {
	fs := e.flags("erase")
	yes := fs.Bool("yes", false, "erase without being asked")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	if _, err := api.Dial(e.paths.State); err == nil {
		return coded{errors.New("a node is running here; \"forage stop\" first"), exitRunning}
	}
	if !*yes && !e.confirm(fmt.Sprintf("This deletes every page in %s and what is known of the web in %s. Go on?", e.paths.WARC(), e.paths.State)) {
		return errors.New("nothing was erased; add --yes to erase without being asked")
	}
	if err := app.Erase(e.paths); err != nil {
		return err
	}
	fmt.Fprintln(e.out, "Erased. Settings are kept in", e.paths.Config)
	return nil
}
