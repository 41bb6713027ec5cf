//go:build unix

package identity

import (
	"fmt"
	"io/fs"
	"os"
)

// checkPrivate returns an error if others than the owner may read or change
// the file.
func checkPrivate(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("%w: its mode is %s; make it yours alone with: chmod 600 %s", ErrKeyExposed,
			fs.FileMode(mode), path)
	}
	return nil
}
