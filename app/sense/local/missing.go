package local

import (
	"errors"
	"io/fs"
	"syscall"

	"github.com/forage-net/forage/assets/words"
)

// ErrNoAnswer is the failure of a source that said nothing in time, ErrAbsurd of one that tells what nobody believes.
var (
	ErrNoAnswer = words.New("said.sensor.it-did-not-answer-in-time", nil)
	ErrAbsurd   = words.New("said.sensor.it-tells-what-cannot-be", nil)
)

// missing is the error of a source that this computer or its desktop does not have: nothing is wrong,
// and waiting will not help.
type missing struct{ error }

func (e missing) Unwrap() error { return e.error }

// Lacks returns the error of a source that this computer or its desktop does not have.
func Lacks(why error) error { return missing{why} }

// IsMissing reports whether a source is not there at all, as the one of a program that is not installed.
func IsMissing(err error) bool {
	var e missing
	return errors.As(err, &e) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}
