// Package env is what every command is given: where to write, the language of the user, the node's places and the way
// to it. It knows no command.
package env

import (
	"io"
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/ui/cli/language"
)

// Env is what every command is given.
type Env struct {
	Out, Err io.Writer
	Home     string
	JSON     bool
	Lang     language.Language
	// Now is the clock of bars; nil means time.Now.
	Now   func() time.Time
	Level slog.Level // of the log of a node
	// Columns is how long lines of a log may be, 0 for any length.
	Columns int
	Paths   config.Paths
}

// Moment is the time now.
func (e *Env) Moment() time.Time {
	if e.Now != nil {
		return e.Now()
	}
	return time.Now()
}

// FindPaths resolves the node's places once all flags are read.
func (e *Env) FindPaths() (err error) {
	e.Paths, err = config.Resolve(e.Home, os.Getenv, runtime.GOOS)
	e.Paths = e.Paths.Chosen()
	return err
}
