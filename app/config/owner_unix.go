//go:build unix

package config

import (
	"os"
	"strings"
	"syscall"

	"github.com/forage-net/forage/assets/words"
)

// checkOwner refuses a directory that is not the user's alone to write to: others could put files there, with
// or without the sticky bit. A group that has the number of the user is the user's own, as most systems make
// one for each.
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
		return words.New("said.cli.belongs-to-another-user", words.Args{"folder": dir})
	case mode&others != 0, mode&group != 0 && is.Gid != is.Uid:
		return words.New("said.cli.other-users-can-write", words.Args{"folder": dir,
			"path": "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"})
	}
	return nil
}
