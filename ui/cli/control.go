package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/app/settings"
	"github.com/forage-net/forage/assets/words"
)

// command sends one command to the node that runs.
func (e *env) command(ctx context.Context, fn func(*api.Client) error) error {
	client, err := e.dial()
	if err != nil {
		return err
	}
	return fn(client)
}

func runPause(ctx context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags("pause"), args, 0, maxLength)
	if err != nil {
		return done(err)
	}
	var d time.Duration
	if len(rest) > 0 {
		if d, err = e.duration(strings.Join(rest, " ")); err != nil {
			return err
		}
	}
	return e.command(ctx, func(c *api.Client) error {
		if err := c.Pause(ctx, d); err != nil {
			return err
		}
		if d == 0 {
			return e.say(steered{Done: "paused", Sentence: e.lang.text("paused", nil)})
		}
		until := time.Now().Add(d)
		return e.say(steered{Done: "paused", Until: &until, Sentence: e.lang.text("paused.until", words.Args{"time": e.lang.clock(until)})})
	})
}

// maxLength is how many words a length of time has at most: "1 day 2 hours 5 minutes".
const maxLength = 8

// duration reads a length of time as people write it: a number alone is of minutes, and tomorrow begins in the morning.
func (e *env) duration(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseUint(text, 10, 32); err == nil && n > 0 {
		text += " min"
	}
	if strings.EqualFold(text, "tomorrow") || strings.EqualFold(text, "morgen") {
		return api.UntilTomorrow(e.moment()), nil
	}
	d, err := limits.ParseDuration(text)
	if err != nil {
		d, err = time.ParseDuration(text) // with fractions, as "1.5h"
	}
	if err == nil && d >= time.Second && d <= limits.MaxDuration {
		return d, nil
	}
	return 0, usage("%s", e.lang.text("trouble.length", words.Args{"text": strconv.Quote(text)}))
}

func runResume(ctx context.Context, e *env, args []string) error {
	fs := e.flags("resume")
	long := fs.String("for", "", "work for a `DURATION` such as 2m or 1h30m while you use the computer")
	if _, err := e.parse(fs, args, 0, 0); err != nil {
		return done(err)
	}
	var d time.Duration
	if *long != "" {
		var err error
		if d, err = e.duration(*long); err != nil {
			return err
		}
	}
	return e.command(ctx, func(c *api.Client) error {
		if d == 0 {
			if err := c.Resume(ctx); err != nil {
				return err
			}
			st, err := c.StatusIn(ctx, e.lang.of())
			if err != nil {
				return err
			}
			return e.say(steered{Done: "resumed", Sentence: strings.TrimSpace(st.Sentence + "\n" + st.Remedy)})
		}
		if err := c.Work(ctx, d); err != nil {
			return err
		}
		l, err := c.Limits(ctx, e.lang.of())
		if err != nil {
			return err
		}
		return e.say(steered{Done: "working", Until: l.Until, Sentence: l.Sentence})
	})
}

func runMode(ctx context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags("mode"), args, 0, 1)
	if err != nil {
		return done(err)
	}
	if len(rest) > 0 && !slices.Contains(runModes, rest[0]) {
		return usage("mode is always, away or off")
	}
	return e.command(ctx, func(c *api.Client) error {
		if len(rest) > 0 {
			if err := c.SetRun(ctx, api.RunMode(rest[0])); err != nil {
				return err
			}
		}
		l, err := c.Limits(ctx, e.lang.of())
		if err != nil {
			return err
		}
		return e.show(runsAnswer{Mode: l.Run}, func() {
			fmt.Fprintln(e.out, words.Text(e.lang.of(), "run."+string(l.Run), nil))
			fmt.Fprintln(e.out, l.Sentence)
		})
	})
}

// runModes are what "forage mode" takes.
var runModes = []string{string(api.RunAlways), string(api.RunAway), string(api.RunOff)}

func runStop(ctx context.Context, e *env, args []string) error {
	if _, err := e.parse(e.flags("stop"), args, 0, 0); err != nil {
		return done(err)
	}
	err := e.command(ctx, func(c *api.Client) error { return c.Stop(ctx) })
	// Until it has ended, its files are in use.
	for err == nil && nodeapi.InUse(e.paths) {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		return err
	}
	return e.say(steered{Done: "stopped", Sentence: e.lang.text("stopped", nil)})
}

func runSet(ctx context.Context, e *env, args []string) error {
	rest, err := e.parse(e.flags("set"), args, 1, 1)
	if err != nil {
		return done(err)
	}
	key, value, ok := strings.Cut(rest[0], "=")
	if !ok {
		return usage("write KEY=VALUE, for example disk.max=\"5 GB\"")
	}
	key, value = strings.TrimSpace(key), config.Unquoted(strings.TrimSpace(value))
	if strings.HasPrefix(key, "consent.") {
		return usage("consent is given by reading: \"forage consent\"")
	}
	if err := e.paths.Create(); err != nil {
		return err
	}
	change := config.Change{Set: map[string]string{key: value}, Check: settings.Check(e.paths.Config)}
	if _, err := config.Apply(e.paths.Config, change); err != nil {
		return err
	}
	now, err := e.setting(key)
	if err != nil { // another setting is wrong
		return fmt.Errorf("saved, but not in force: %w", err)
	}
	applies, text := api.AppliesRestart, "set.start"
	if client, err := e.dial(); err == nil {
		text = "set.restart"
		if _, err := client.ChangeSettings(ctx, api.SettingsChange{Lang: e.lang.of()}); err != nil { // has it read the file
			return err
		}
		if now.now {
			applies, text = api.AppliesNow, "set.now"
		}
	}
	return e.show(changedSetting{Key: now.Key, Value: now.Value, File: e.paths.Config, Applies: applies}, func() {
		e.tell(text, words.Args{"key": now.Key, "value": now.Value})
	})
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
	if !e.json {
		fmt.Fprint(e.out, e.wholeConsent(cfg))
	}
	if config.Consented(cfg) {
		at := words.Args{"date": cfg.Consent.Time.Local().Format("2006-01-02 15:04")}
		return e.show(e.consentAnswer(cfg), func() { fmt.Fprintf(e.out, "\n%s\n", e.lang.text("consent.given", at)) })
	}
	if !*yes && (e.json || !e.confirm("\n"+e.lang.text("consent.ask", nil))) {
		if e.json {
			err = printJSON(e.out, e.consentAnswer(cfg))
		}
		return errors.Join(err, coded{errors.New("not agreed; nothing was sent"), exitNoConsent})
	}
	if err := e.paths.Create(); err != nil {
		return err
	}
	if err := config.Consent(e.paths.Config, time.Now()); err != nil {
		return err
	}
	if cfg, err = config.Load(e.paths.Config); err != nil {
		return err
	}
	return e.show(e.consentAnswer(cfg), func() { e.tell("consent.thanks", nil) })
}

func (e *env) consentAnswer(cfg config.Config) consentAnswer {
	a := consentAnswer{Version: config.ConsentVersion, Given: config.Consented(cfg)}
	if a.Given {
		at := cfg.Consent.Time.UTC()
		a.Time = &at
	}
	for _, paragraph := range strings.Split(strings.TrimSpace(config.ConsentText(words.English, e.paths, cfg)), "\n\n") {
		a.Text = append(a.Text, strings.Trim(paragraph, "\n"))
	}
	return a
}

// wholeConsent is the text that counts, which is English, and below it a translation for who does not read English.
func (e *env) wholeConsent(cfg config.Config) string {
	text := config.ConsentText(words.English, e.paths, cfg)
	if e.lang.of() == words.English {
		return text
	}
	return e.lang.text("consent.counts", nil) + "\n\n" + text + "\n" + e.translatedConsent(cfg)
}

// translatedConsent is the text in the language of the user, who is told that another one counts.
func (e *env) translatedConsent(cfg config.Config) string {
	text := config.ConsentText(e.lang.of(), e.paths, cfg)
	if note := words.Text(e.lang.of(), "consent.note", nil); note != "" {
		return note + "\n\n" + text
	}
	return text
}

// confirm asks a question that only "yes" answers, in the language of the user; without a terminal the
// answer is no.
func (e *env) confirm(question string) bool {
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return false
	}
	fmt.Fprint(e.out, e.lang.text("confirm", words.Args{"question": question}), " ")
	answer, _ := bufio.NewReader(os.Stdin).ReadString('\n')
	return strings.EqualFold(strings.TrimSpace(answer), e.lang.text("confirm.yes", nil))
}
