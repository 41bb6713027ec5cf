package storage

import (
	"bytes"
	"context"
	"errors"
	"os"
	"syscall"

	"github.com/forage-net/forage/assets/words"
	bolt "go.etcd.io/bbolt"
)

// ErrDamaged is returned for a file that is no store, or one whose pages do not
// hang together. Nothing can be read from it without danger.
var ErrDamaged = words.New("said.doctor.the-store-is-damaged", nil)

// Examination is what Examine has found.
type Examination struct {
	// Bytes is the size of the file.
	Bytes int64
	// Keys counts all keys.
	Keys int
	// Notes say what is unusual, and not wrong.
	Notes []error
	// Faults say what is wrong with the tree of buckets; Mend repairs it.
	Faults []error
}

// Examine reads every page of the store at path and makes sure that it can be
// opened and read without danger: the headers, the tree of pages, the order of
// keys, and the tree of buckets. It changes nothing, and neither reads the file
// by way of memory mapping nor relies on any of its bytes, so that no damage can
// end the process. The errors are ErrLocked, ErrNewer, ErrDamaged, os.ErrNotExist, or those
// of ctx and of the disk.
func Examine(ctx context.Context, path string) (Examination, error) {
	x, err := examine(ctx, path)
	if err != nil {
		return x, words.New("said.doctor.examine-store", words.Args{"path": path, "error": err})
	}
	return x, nil
}

func examine(ctx context.Context, path string) (x Examination, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return x, err
	}
	x.Bytes = info.Size()
	switch {
	case !info.Mode().IsRegular():
		return x, damaged("it is not a file")
	case x.Bytes == 0:
		return x, damaged("the file is empty")
	}
	// A look at the pages first, since opening a damaged file is dangerous. A
	// running node changes them meanwhile, so a lock is taken before.
	b, err := openRaw(path, true)
	if err != nil {
		return x, err
	}
	defer b.Close()
	f, err := os.Open(path)
	if err != nil {
		return x, err
	}
	defer f.Close()
	w := walker{file: f, size: x.Bytes}
	if err := w.walk(ctx); err != nil {
		return x, err
	}
	x.Keys, x.Notes = w.keys, w.notes
	return x, x.examineTree(path)
}

// Hold keeps nodes from opening the store at path until release is called, as
// one that reads it would. Of the file only the headers are looked at. The errors are as
// those of Examine.
func Hold(path string) (release func() error, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, words.New("said.doctor.hold-store", words.Args{"error": err})
	}
	b, err := openRaw(path, true)
	if err != nil {
		return nil, words.New("said.doctor.hold-store-at", words.Args{"path": path, "error": err})
	}
	return b.Close, nil
}

// openRaw opens the file without a look at the schema.
func openRaw(path string, readOnly bool) (*bolt.DB, error) {
	b, err := openBolt(path, Options{ReadOnly: readOnly})
	if err != nil && !errors.Is(err, ErrLocked) && !errors.Is(err, ErrDamaged) && !isFileError(err) {
		return nil, damaged("%w", err)
	}
	return b, err
}

// isFileError reports whether the operating system refused something.
func isFileError(err error) bool {
	var p *os.PathError
	var s *os.SyscallError
	var n syscall.Errno
	return errors.As(err, &p) || errors.As(err, &s) || errors.As(err, &n)
}

// examineTree looks at the tree of buckets. The pages are sound.
func (x *Examination) examineTree(path string) error {
	b, err := openRaw(path, true)
	if err != nil {
		return err
	}
	defer b.Close()
	return b.View(func(tx *Tx) error {
		if err := checkVersion(tx); errors.Is(err, ErrNewer) {
			return err
		} else if err != nil && tx.Bucket(BucketMeta) != nil {
			x.Faults = append(x.Faults, err)
		}
		x.lookAtBuckets(tx)
		return nil
	})
}

func (x *Examination) lookAtBuckets(tx *Tx) {
	known := make(map[string]bool)
	for _, name := range Buckets() {
		known[string(name)] = true
		if tx.Bucket(name) == nil {
			x.Faults = append(x.Faults, words.New("said.doctor.the-part-is-missing", words.Args{"name": quote(name)}))
		}
	}
	tx.ForEach(func(name []byte, _ *Bucket) error {
		if !known[string(name)] && len(x.Notes) < maxNotes {
			x.Notes = append(x.Notes,
				words.New("said.doctor.there-is-a-part-that-this", words.Args{"name": quote(name)}))
		}
		return nil
	})
	if meta := tx.Bucket(BucketMeta); meta != nil && len(meta.Get(keyNode)) != 16 {
		x.Faults = append(x.Faults, words.New("said.doctor.the-tag-that-tells-this-store", nil))
	}
}

// maxNotes bounds how much of one kind is told.
const maxNotes = 10

// Mend makes the tree of buckets complete, in one transaction. Examine must have
// found the pages sound. What a missing bucket held is lost. It returns what it
// has done.
func Mend(path string) (done []error, err error) {
	b, err := openRaw(path, false)
	if err != nil {
		return nil, words.New("said.doctor.mend-store", words.Args{"path": path, "error": err})
	}
	err = b.Update(func(tx *Tx) error {
		done, err = mend(tx)
		return err
	})
	if cerr := b.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, words.New("said.doctor.mend-store", words.Args{"path": path, "error": err})
	}
	return done, nil
}

func mend(tx *Tx) (done []error, err error) {
	fresh, lost := tx.Bucket(BucketMeta) == nil, false
	for _, name := range Buckets() {
		if tx.Bucket(name) != nil {
			continue
		}
		if _, err := tx.CreateBucket(name); err != nil {
			return nil, err
		}
		done = append(done, words.New("said.doctor.the-part-was-missing-and-was", words.Args{"name": quote(name)}))
		if bytes.Equal(name, BucketItems) || bytes.Equal(name, BucketCame) {
			lost = true
		}
	}
	if lost { // so that other members send everything
		if err := empty(tx, BucketMarks); err != nil {
			return nil, err
		}
	}
	meta := tx.Bucket(BucketMeta)
	if checkVersion(tx) != nil {
		// Only this version is known to have stores without a version it can read.
		if err := putNumber(meta, keySchema, schemaVersion); err != nil {
			return nil, err
		}
		if !fresh {
			done = append(done, words.New("said.doctor.the-schema-version-was-set", nil))
		}
	}
	if len(meta.Get(keyNode)) != 16 {
		if err := putTag(meta); err != nil {
			return nil, err
		}
		if !fresh {
			done = append(done, words.New("said.doctor.the-tag-was-drawn-again", nil))
		}
	}
	return done, nil
}

// empty empties a bucket.
func empty(tx *Tx, name []byte) error {
	if err := tx.DeleteBucket(name); err != nil {
		return err
	}
	_, err := tx.CreateBucket(name)
	return err
}
