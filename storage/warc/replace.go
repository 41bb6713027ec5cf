package warc

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// replace gives a file that was written under a temporary name its own, so
// that it is there whole or not at all. It closes the file.
func replace(fs fileSystem, f diskFile, path string) error {
	err := f.Sync()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = fs.Rename(f.Name(), path)
	}
	if err != nil {
		fs.Remove(f.Name())
		return err
	}
	return fs.SyncDir(filepath.Dir(path))
}

// copyAside copies the part of a file from offset on to a file of its own,
// whose name is free and begins with path.
func copyAside(fs fileSystem, src io.ReaderAt, offset, end int64, path string) (string, error) {
	path, err := freeName(path)
	if err != nil {
		return "", err
	}
	out, err := fs.OpenFile(path+tempSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(out, io.NewSectionReader(src, offset, end-offset)); err != nil {
		out.Close()
		fs.Remove(out.Name())
		return "", err
	}
	return path, replace(fs, out, path)
}

// freeName returns path, or path with a number if that is taken.
func freeName(path string) (string, error) {
	for n, name := 1, path; ; n, name = n+1, path+"."+strconv.Itoa(n+1) {
		_, err := os.Lstat(name)
		if errors.Is(err, os.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
	}
}

func removeIfThere(fs fileSystem, path string) error {
	if err := fs.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
