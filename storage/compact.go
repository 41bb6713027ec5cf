package storage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"

	"github.com/forage-net/forage/storage/durable"
)

// compactBatch is how many bytes are copied in a transaction.
const compactBatch = 8 << 20

// Compact writes a store again, which must not be open, so that nothing is left in its file of what was deleted. For a
// while it takes twice the room. The file is replaced in one step.
func Compact(path string) error {
	if err := compact(path); err != nil {
		return fmt.Errorf("compact store %s: %w", path, err)
	}
	return nil
}

func compact(path string) (err error) {
	old, err := openBolt(path, Options{})
	if err != nil {
		return err
	}
	fresh := path + ".new"
	os.Remove(fresh) // of an earlier call that was cut off
	to, err := bolt.Open(fresh, 0o600, &bolt.Options{NoSync: true, NoFreelistSync: true})
	if err != nil {
		return errors.Join(err, old.Close())
	}
	err = bolt.Compact(to, old, compactBatch)
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close(), old.Close()); err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		os.Remove(fresh)
		return err
	}
	return durable.SyncDir(filepath.Dir(path))
}
