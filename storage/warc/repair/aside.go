package repair

import (
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// copyAside copies the part of a file from offset on to a file of its own,
// whose name is free and begins with path.
func copyAside(fs durable.FS, src io.ReaderAt, offset, end int64, path string) (string, error) {
	path, err := freeName(path)
	if err != nil {
		return "", err
	}
	out, err := fs.OpenFile(path+warcfile.TempSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(out, io.NewSectionReader(src, offset, end-offset)); err != nil {
		out.Close()
		fs.Remove(out.Name())
		return "", err
	}
	return path, durable.Rename(fs, out, path)
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
