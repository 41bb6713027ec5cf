package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/env"
)

// steered is what came of pause, resume, finish and stop.
type steered struct {
	// Done is "paused", "resumed", "working" (for a time, although the user is there), "finishing" or "stopped".
	Done string `json:"done"`
	// Until is when that ends by itself, nil if it does not.
	Until *time.Time `json:"until"`
	// Sentence says it for people.
	Sentence string `json:"sentence"`
}

// runsAnswer is what "forage mode" prints.
type runsAnswer struct {
	// Mode is "always", "away" or "off".
	Mode api.RunMode `json:"mode"`
}

// say prints what came of a command.
func say(e *env.Env, s steered) error {
	if s.Until != nil {
		at := s.Until.UTC().Truncate(time.Second)
		s.Until = &at
	}
	return e.Answer(s, s.Sentence)
}

func newPause(e *env.Env) *cobra.Command {
	c := env.Command("pause [DURATION]", "pause, for a while or until you resume", 0, maxLength)
	return env.Does(c, func(ctx context.Context, rest []string) error {
		var d time.Duration
		if len(rest) > 0 {
			var err error
			if d, err = durationOf(e, strings.Join(rest, " ")); err != nil {
				return err
			}
		}
		return e.WithNode(func(c *api.Client) error {
			if err := c.Pause(ctx, d); err != nil {
				return err
			}
			if d == 0 {
				return say(e, steered{Done: "paused", Sentence: e.Lang.Text("paused", nil)})
			}
			until := time.Now().Add(d)
			return say(e, steered{Done: "paused", Until: &until,
				Sentence: e.Lang.Text("paused.until", words.Args{"time": e.Lang.Clock(until)})})
		})
	})
}

// maxLength is how many words a length of time has at most: "1 day 2 hours 5 minutes".
const maxLength = 8

// durationOf reads a length of time as people write it: a number alone is of minutes, and tomorrow begins in
// the morning.
func durationOf(e *env.Env, text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseUint(text, 10, 32); err == nil && n > 0 {
		text += " min"
	}
	if strings.EqualFold(text, "tomorrow") || strings.EqualFold(text, "morgen") {
		return api.UntilTomorrow(e.Moment()), nil
	}
	d, err := limits.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text) // with fractions, as "1.5h"
	}
	if err == nil && d >= time.Second && d <= limits.MaxDuration {
		return d, nil
	}
	return 0, env.Usage("%s", e.Lang.Text("trouble.length", words.Args{"text": strconv.Quote(text)}))
}

func newResume(e *env.Env) *cobra.Command {
	c := env.Command("resume [--for DURATION]", "resume; with --for, work while you are here", 0, 0)
	long := c.Flags().String("for", "", "work for a `DURATION` such as 2m or 1h30m while you use the computer")
	return env.Does(c, func(ctx context.Context, _ []string) error {
		var d time.Duration
		if *long != "" {
			var err error
			if d, err = durationOf(e, *long); err != nil {
				return err
			}
		}
		return e.WithNode(func(c *api.Client) error {
			if d == 0 {
				if err := c.Resume(ctx); err != nil {
					return err
				}
				st, err := c.StatusIn(ctx, e.Lang.Of())
				if err != nil {
					return err
				}
				return say(e, steered{Done: "resumed", Sentence: strings.TrimSpace(st.Sentence + "\n" + st.Remedy)})
			}
			if err := c.Work(ctx, d); err != nil {
				return err
			}
			l, err := c.Limits(ctx, e.Lang.Of())
			if err != nil {
				return err
			}
			return say(e, steered{Done: "working", Until: l.Until, Sentence: l.Sentence})
		})
	})
}

func newMode(e *env.Env) *cobra.Command {
	c := env.Command("mode [always|away|off]", "when to work: always, while you are away, or not", 0, 1)
	return env.Does(c, func(ctx context.Context, rest []string) error {
		if len(rest) > 0 && !slices.Contains(runModes, rest[0]) {
			return env.Usage("mode is always, away or off")
		}
		return e.WithNode(func(c *api.Client) error {
			if len(rest) > 0 {
				if err := c.SetRun(ctx, api.RunMode(rest[0])); err != nil {
					return err
				}
			}
			l, err := c.Limits(ctx, e.Lang.Of())
			if err != nil {
				return err
			}
			return e.Answer(runsAnswer{Mode: l.Run}, words.Text(e.Lang.Of(), "run."+string(l.Run), nil)+"\n"+l.Sentence)
		})
	})
}

// runModes are what "forage mode" takes.
var runModes = []string{string(api.RunAlways), string(api.RunAway), string(api.RunOff)}

func newStop(e *env.Env) *cobra.Command {
	c := env.Command("stop", "stop Forage", 0, 0)
	return env.Does(c, func(ctx context.Context, _ []string) error {
		err := e.WithNode(func(c *api.Client) error { return c.Stop(ctx) })
		// Until it has ended, its files are in use.
		for err == nil && nodeapi.InUse(e.Paths) {
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				err = ctx.Err()
			}
		}
		if err != nil {
			return err
		}
		return say(e, steered{Done: "stopped", Sentence: e.Lang.Text("stopped", nil)})
	})
}

func newFinish(e *env.Env) *cobra.Command {
	c := env.Command("finish", "finish what is under way, then stop", 0, 0)
	return env.Does(c, func(ctx context.Context, _ []string) error {
		return e.WithNode(func(c *api.Client) error {
			if err := c.Finish(ctx); err != nil {
				return err
			}
			return say(e, steered{Done: "finishing", Sentence: e.Lang.Text("finishing", nil)})
		})
	})
}
