package identity

import (
	"io"
	"os"
	"path/filepath"

	"github.com/forage-net/forage/storage/durable"
)

// maxFile is the most that is read of a key or port file; both are far smaller.
const maxFile = 1 << 10

// readSmall returns what is in the file, maxFile bytes of it at most.
func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// writePrivate replaces the file at path, so that after a crash at any moment
// it holds the old or the new text whole. File and directory, which is made if
// need be, are for the user alone.
func writePrivate(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return durable.Write(path, data)
}
