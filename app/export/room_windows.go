package export

import (
	"errors"

	"golang.org/x/sys/windows"
)

// noRoom reports whether a disk has refused to take more.
func noRoom(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
