package cli

import (
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits"
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

// say prints what came of a command.
func say(e *env.Env, s steered) error {
	if s.Until != nil {
		at := s.Until.UTC().Truncate(time.Second)
		s.Until = &at
	}
	return e.Answer(s, s.Sentence)
}

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
	return 0, env.Usage("cli.trouble.length", words.Args{"text": strconv.Quote(text)})
}
