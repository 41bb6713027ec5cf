//go:build unix

package peerhost

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// syncDir makes a rename in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// checkPrivate returns an error if others than the owner may read or change
// the file.
func checkPrivate(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("%w: its mode is %s; make it yours alone with: chmod 600 %s", ErrKeyExposed, fs.FileMode(mode), path)
	}
	return nil
}
