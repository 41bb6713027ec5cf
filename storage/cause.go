package storage

import (
	"errors"
	"strings"
	"syscall"
)

// caused is an error of bbolt with the cause that bbolt tells as text only.
type caused struct {
	error
	cause syscall.Errno
}

func (e caused) Unwrap() error { return e.cause }

// withCause makes errors.Is work for what the system says when a file cannot
// grow: a full disk passes, and must be told from damage.
func withCause(err error) error {
	if err == nil || errors.As(err, new(syscall.Errno)) {
		return err
	}
	for n := syscall.Errno(1); n < 256; n++ {
		if strings.HasSuffix(err.Error(), ": "+n.Error()) {
			return caused{err, n}
		}
	}
	return err
}
