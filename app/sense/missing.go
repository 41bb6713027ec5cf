package sense

import (
	"errors"
	"io/fs"
	"syscall"
)

// missing is the error of a source that this computer or its desktop does not have: nothing is wrong,
// and waiting will not help.
type missing struct{ error }

func (e missing) Unwrap() error { return e.error }

func lacks(text string) error { return missing{errors.New(text)} }

// isMissing reports whether a source is not there at all, as the one of a program that is not installed.
func isMissing(err error) bool {
	var e missing
	return errors.As(err, &e) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED)
}

// isUnknownService reports whether a bus says by an error's name that nobody has the name that was
// called, and that nothing can be started for it.
func isUnknownService(name string) bool {
	switch name {
	case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
		return true
	}
	return false
}
