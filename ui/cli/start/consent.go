package start

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

// consentAnswer is the text of consent, and what was said to it.
type consentAnswer struct {
	Version int `json:"version"`
	// Given says that the present text was agreed to, at Time.
	Given bool       `json:"given"`
	Time  *time.Time `json:"time"`
	// Text are paragraphs, of which some have several lines.
	Text []string `json:"text"`
}

// NewConsent returns "forage consent", which shows the text and takes the answer.
func NewConsent(e *env.Env) *cobra.Command {
	c := env.Command("consent [--yes]", "read what Forage does, and agree to it", 0, 0)
	yes := c.Flags().Bool("yes", false, "agree without being asked")
	return env.Does(c, func(_ context.Context, _ []string) error {
		cfg, err := config.Load(e.Paths.Config)
		if err != nil {
			return err
		}
		if !e.JSON {
			fmt.Fprint(e.Out, wholeConsent(e, cfg))
		}
		if config.Consented(cfg) {
			at := words.Args{"date": cfg.Consent.Time.Local().Format("2006-01-02 15:04")}
			return e.Answer(answerConsent(e, cfg), "\n"+e.Lang.Text("consent.given", at))
		}
		if !*yes && (e.JSON || !e.Confirm("\n"+e.Lang.Text("consent.ask", nil))) {
			if e.JSON {
				err = console.JSON(e.Out, answerConsent(e, cfg))
			}
			return errors.Join(err, env.WithCode(words.New("said.cli.not-agreed", nil), env.ExitNoConsent))
		}
		if err := e.Paths.Create(); err != nil {
			return err
		}
		if err := config.Consent(e.Paths.Config, time.Now()); err != nil {
			return err
		}
		if cfg, err = config.Load(e.Paths.Config); err != nil {
			return err
		}
		return e.Answer(answerConsent(e, cfg), e.Lang.Text("consent.thanks", nil))
	})
}

func answerConsent(e *env.Env, cfg config.Config) consentAnswer {
	a := consentAnswer{Version: config.ConsentVersion, Given: config.Consented(cfg)}
	if a.Given {
		at := cfg.Consent.Time.UTC()
		a.Time = &at
	}
	text := strings.TrimSpace(config.ConsentText(words.English, e.Paths, cfg))
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		a.Text = append(a.Text, strings.Trim(paragraph, "\n"))
	}
	return a
}

// wholeConsent is the text that counts, which is English, and below it a translation for who does not read English.
func wholeConsent(e *env.Env, cfg config.Config) string {
	text := config.ConsentText(words.English, e.Paths, cfg)
	if e.Lang.Of() == words.English {
		return text
	}
	return e.Lang.Text("consent.counts", nil) + "\n\n" + text + "\n" + translatedConsent(e, cfg)
}

// translatedConsent is the text in the language of the user, who is told that another one counts.
func translatedConsent(e *env.Env, cfg config.Config) string {
	text := config.ConsentText(e.Lang.Of(), e.Paths, cfg)
	if note := words.Text(e.Lang.Of(), "consent.note", nil); note != "" {
		return note + "\n\n" + text
	}
	return text
}

// ensureConsent makes sure that the user agreed before anything is sent. With await the node sends nothing until
// then; who starts it in the background, with a log, sees the text elsewhere.
func ensureConsent(e *env.Env, cfg config.Config, f *runFlags) (config.Config, error) {
	switch {
	case config.Consented(cfg):
		return cfg, nil
	case f.accept:
		if err := config.Consent(e.Paths.Config, time.Now()); err != nil {
			return cfg, err
		}
		return config.Load(e.Paths.Config)
	case f.await && f.logFile != "":
		return cfg, nil
	}
	fmt.Fprint(e.Err, translatedConsent(e, cfg))
	if f.await {
		fmt.Fprintf(e.Err, "\n%s\n", e.Lang.Text("consent.await", nil))
		return cfg, nil
	}
	err := words.New("said.cli.not-agreed-yet", nil)
	return cfg, env.WithCode(err, env.ExitNoConsent)
}
