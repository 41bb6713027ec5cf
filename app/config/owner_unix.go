//go:build unix

package config

import (
	"fmt"
	"os"
	"syscall"
)

// checkOwner refuses a directory that is not the user's alone to write to. A group that has the number of the user is the user's own, as most
// systems make one for each; and where the sticky bit is set, as on a disk in memory that was just mounted, others can neither remove nor replace files.
func checkOwner(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	const group, others = 0o020, 0o002
	mode := info.Mode().Perm()
	switch {
	case is.Uid != uint32(os.Geteuid()):
		return fmt.Errorf("%s belongs to another user: choose a directory of your own with --home DIR", dir)
	case info.Mode()&os.ModeSticky != 0:
	case mode&others != 0, mode&group != 0 && is.Gid != is.Uid:
		return fmt.Errorf("other users can write to %s: take that away with \"chmod go-w\"", dir)
	}
	return nil
}
