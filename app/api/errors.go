package api

import (
	"github.com/forage-net/forage/assets/words"
)

// ErrNotRunning is returned when no node runs with the state directory asked for, or it ended.
var ErrNotRunning error = words.New("said.api.no-forage-is-running-here", nil)

// ErrNoCapture is returned for an ID of which there is no capture in the archive, or none any more.
var ErrNoCapture error = words.New("said.api.there-is-no-such-capture-in", nil)

// ErrNoSite is returned for a domain of which nothing is in the archive.
var ErrNoSite error = words.New("said.api.nothing-of-this-site-is-in", nil)

// ErrBusy is returned for what is under way already.
var ErrBusy error = words.New("said.api.this-is-under-way-already-try", nil)

// ErrOtherWindow is returned to a window that another one is open beside.
var ErrOtherWindow error = words.New("said.api.another-window-is-open", nil)

// InputError is an error of a Node that the caller can mend: it is answered
// with 400, others with 500.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *InputError) Unwrap() error { return e.Err }

// CallError is an error for the caller, with the status that says it.
type CallError struct {
	Status int
	Err    error
}

func (e *CallError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *CallError) Unwrap() error { return e.Err }

// Problem is the body of every answer that is an error.
type Problem struct {
	Error string `json:"error"`
}
