//go:build unix

package export

import (
	"errors"
	"syscall"
)

// noRoom reports whether a disk has refused to take more.
func noRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}
