package api

import (
	"errors"
)

// ErrNotRunning is returned when no node runs with the state directory asked for, or it ended.
var ErrNotRunning = errors.New("Forage is not running here")

// ErrNoCapture is returned for an ID of which there is no capture in the archive, or none any more.
var ErrNoCapture = errors.New("there is no such capture in the archive, or it was erased")

// ErrNoSite is returned for a domain of which nothing is in the archive.
var ErrNoSite = errors.New("nothing of this site is in the archive")

// ErrBusy is returned for what is under way already.
var ErrBusy = errors.New("this is under way already; try again in a moment")

// ErrOtherWindow is returned to a window that another one is open beside.
var ErrOtherWindow = errors.New("another window is open")

// InputError is an error of a Node that the caller can mend: it is answered
// with 400, others with 500.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *InputError) Unwrap() error { return e.Err }

// CallError is an error for the caller, with the status that says it.
type CallError struct {
	Status int
	Text   string
}

func (e *CallError) Error() string { return e.Text }

// Problem is the body of every answer that is an error.
type Problem struct {
	Error string `json:"error"`
}
