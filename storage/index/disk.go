package index

import (
	"io"
	"os"
)

// disk is how an index writes files. Tests put one in its place that fails.
type disk struct {
	create func(path string) (file, error)
	rename func(from, to string) error
}

// file is an *os.File.
type file interface {
	io.ReadWriteSeeker
	io.Closer
	Name() string
	Sync() error
}

func osDisk() disk {
	return disk{
		create: func(path string) (file, error) {
			return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
		},
		rename: os.Rename,
	}
}

// write writes a whole file, and makes it safe. It leaves none if it fails.
func (d disk) write(path string, raw []byte) error {
	f, err := d.create(path)
	if err != nil {
		return err
	}
	if _, err = f.Write(raw); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}
