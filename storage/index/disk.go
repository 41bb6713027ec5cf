package index

import (
	"errors"
	"os"

	"github.com/forage-net/forage/storage/durable"
)

// create makes a file, in place of one that may be there.
func create(fs durable.FS, path string) (durable.File, error) {
	return fs.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
}

// writeFile writes a whole file, and makes it safe. It leaves none if it fails.
func writeFile(fs durable.FS, path string, raw []byte) error {
	f, err := create(fs, path)
	if err != nil {
		return err
	}
	if _, err = f.Write(raw); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
	}
	return err
}
