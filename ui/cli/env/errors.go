package env

import (
	"errors"
	"strconv"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
)

// Explain says what went wrong and, where we know, what to do about it, in the language of the user as far as there
// are words for it.
func (e *Env) Explain(err error) string {
	text := e.Lang.Said(err)
	switch {
	case errors.Is(err, storage.ErrLocked):
		return e.Lang.Text("trouble.in_use", words.Args{"error": text})
	case errors.Is(err, api.ErrNotRunning):
		return e.Lang.Text("trouble.none", nil)
	case errors.Is(err, storage.ErrDamaged) && e.Paths.State != "":
		return e.Lang.Text("trouble.damaged", words.Args{"error": text, "archive": e.Paths.WARC(),
			"store": e.Paths.Store()})
	}
	return text
}

// CodeOf returns the exit code of a command that ended with an error.
func CodeOf(err error) int {
	var c coded
	var bad *config.Error
	switch {
	case errors.As(err, &c):
		return c.code
	case errors.As(err, &bad), errors.Is(err, app.ErrOtherNetwork):
		return ExitConfig
	case errors.Is(err, storage.ErrLocked):
		return ExitRunning
	}
	return ExitError
}

// Exit codes. Scripts rely on them.
const (
	ExitOK        = 0
	ExitError     = 1
	ExitUsage     = 2
	ExitRunning   = 5
	ExitConfig    = 6
	ExitNoConsent = 7
)

// coded carries an exit code other than 1.
type coded struct {
	error
	code int
}

func (c coded) Unwrap() error { return c.error }

// WithCode gives an error an exit code.
func WithCode(err error, code int) error { return coded{err, code} }

// Usage says what is wrong with a command line.
func Usage(key string, args words.Args) error { return WithCode(words.New(key, args), ExitUsage) }

// OutOfRange says what whole numbers a flag takes.
func OutOfRange(flag string, value, least, most int) error {
	return Usage("said.cli.out-of-range-whole", words.Args{"flag": flag, "value": strconv.Itoa(value),
		"least": strconv.Itoa(least), "most": strconv.Itoa(most)})
}
