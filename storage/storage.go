// Package storage opens the one bbolt file that holds everything a node must
// remember: what it keeps with other members, the indexes of the frontier, robots.txt copies, digests and
// statistics. What the archive holds is in files beside it (storage/warc).
//
// Transactions are bbolt's: one writer at a time, any number of readers, each
// seeing the state at its start. Bytes that come from a transaction are valid
// until its end only.
package storage

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/assets/words"
	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

type (
	// Tx is a transaction.
	Tx = bolt.Tx
	// Bucket is a collection of keys within a transaction.
	Bucket = bolt.Bucket
)

var (
	// ErrLocked is returned by Open while another process has the store open.
	ErrLocked = words.New("said.doctor.the-store-is-open-in-another", nil)
	// ErrNewer is returned by Open for a store written by a newer version.
	ErrNewer = words.New("said.doctor.the-store-was-written-by-a", nil)
)

// Options change how a store is opened. The zero value is right for a node.
type Options struct {
	// ReadOnly opens for reading; the file must exist.
	ReadOnly bool
	// NoSync leaves syncing to the operating system: for simulations only,
	// since a power loss may then corrupt the file.
	NoSync bool
}

// DB is an open store.
type DB struct {
	bolt   *bolt.DB
	path   string
	node   [16]byte
	wedged atomic.Bool // a lock of bbolt is held for good
}

// Open opens the store at path, creating it if it is not there. Every page is looked at before, unless it is opened
// for reading only: bbolt does not survive all damage. The errors are
// ErrLocked, ErrNewer, ErrDamaged, or those of the disk; a file that they are
// about is left as it was.
func Open(path string, opts Options) (*DB, error) {
	db, err := open(path, opts)
	if err != nil {
		return nil, words.New("said.doctor.open-store", words.Args{"path": path, "error": err})
	}
	return db, nil
}

func open(path string, opts Options) (*DB, error) {
	if err := prepare(path, opts); err != nil {
		return nil, err
	}
	b, err := openBolt(path, opts)
	if err != nil {
		return nil, err
	}
	db := &DB{bolt: b, path: path}
	if opts.ReadOnly {
		err = db.View(db.checkSchema)
	} else {
		err = db.Update(db.setUp)
	}
	if err != nil {
		b.Close() // and writes nothing
		return nil, err
	}
	return db, nil
}

// openBolt opens a file that is sound, or not there yet.
func openBolt(path string, opts Options) (b *bolt.DB, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer catch(&err)
	b, err = bolt.Open(path, 0o600, &bolt.Options{
		Timeout:        500 * time.Millisecond,
		ReadOnly:       opts.ReadOnly,
		NoSync:         opts.NoSync,
		NoFreelistSync: true, // but for Close: it is made anew at a start, and syncing it would slow every commit
		FreelistType:   bolt.FreelistMapType,
		// A transaction that reads for long, as a copy for another member does, must
		// not keep those that write from letting the file grow.
		InitialMmapSize: mapSize(opts),
	})
	if b != nil {
		b.AllocSize = growBy
	}
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, ErrLocked
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrChecksum),
		errors.Is(err, berrors.ErrVersionMismatch):
		return nil, damaged("both of its headers are unreadable")
	}
	return b, err
}

const (
	// 1<<mappedBits is how much room in memory the file has from the beginning, in
	// bytes. Only addresses are taken.
	mappedBits = 32
	// growBy is by how much the file grows at a time, in bytes.
	growBy = 1 << 20
)

// mapSize returns how much is mapped at the start. Where addresses are few, or a map makes the
// file as large, a copy that takes long may hold commits up.
func mapSize(opts Options) int {
	if opts.ReadOnly || runtime.GOOS == "windows" || math.MaxInt == math.MaxInt32 {
		return 0
	}
	bits := mappedBits // the constant would not compile where it is not used
	return 1 << bits
}

// Close closes the store once all transactions have ended. It leaves a list of the free pages in the file: without one
// the next start goes through all pages to make it.
func (db *DB) Close() error {
	if !db.bolt.IsReadOnly() {
		_ = db.Update(func(*Tx) error { // the store is as good without
			db.bolt.NoFreelistSync = false
			return nil
		})
	}
	if db.wedged.Load() {
		return nil // the end of the process closes it
	}
	return db.bolt.Close()
}

// Update runs fn in a transaction that is committed, and on disk, when Update
// returns nil. What bbolt makes of a damaged file is ErrDamaged.
func (db *DB) Update(fn func(tx *Tx) error) error { return db.run(true, fn) }

// View runs fn in a transaction that only reads. What bbolt makes of a damaged
// file is ErrDamaged.
func (db *DB) View(fn func(tx *Tx) error) error { return db.run(false, fn) }

// Node returns a tag of 32 hexadecimal digits, drawn when the store was made.
func (db *DB) Node() string { return hex.EncodeToString(db.node[:]) }

// setUp makes the tree of a new file, and looks at that of another.
func (db *DB) setUp(tx *Tx) error {
	if first, _ := tx.Cursor().First(); first == nil {
		if err := createTree(tx); err != nil {
			return fmt.Errorf("make the store: %w", err)
		}
	}
	return db.checkSchema(tx)
}

// checkSchema makes sure that the tree is complete.
func (db *DB) checkSchema(tx *Tx) error {
	if err := checkVersion(tx); errors.Is(err, ErrNewer) {
		return err
	} else if err != nil {
		return damaged("%v", err)
	}
	for _, name := range Buckets() {
		if tx.Bucket(name) == nil {
			return damaged("%w", words.New("said.doctor.the-part-is-missing", words.Args{"name": quote(name)}))
		}
	}
	tag := tx.Bucket(BucketMeta).Get(keyNode)
	if len(tag) != len(db.node) {
		return damaged("its tag has %d bytes", len(tag))
	}
	copy(db.node[:], tag)
	return nil
}

// checkVersion makes sure that the tree is of this version.
func checkVersion(tx *Tx) error {
	meta := tx.Bucket(BucketMeta)
	if meta == nil {
		return errors.New(`the part "meta" is missing`)
	}
	raw := meta.Get(keySchema)
	if len(raw) != 4 {
		return words.New("said.doctor.the-schema-version-is-damaged", nil)
	}
	if version := binary.BigEndian.Uint32(raw); version > schemaVersion {
		return ErrNewer
	} else if version < schemaVersion {
		return words.New("said.doctor.the-schema-version-is-damaged", nil)
	}
	return nil
}

// createTree makes the buckets, and says what they are.
func createTree(tx *Tx) error {
	for _, name := range Buckets() {
		if _, err := tx.CreateBucket(name); err != nil {
			return err
		}
	}
	if err := putNumber(tx.Bucket(BucketMeta), keySchema, schemaVersion); err != nil {
		return err
	}
	return putTag(tx.Bucket(BucketMeta))
}

func putNumber(b *Bucket, key []byte, n uint32) error {
	if err := makeRoom(b, key); err != nil {
		return err
	}
	return b.Put(key, binary.BigEndian.AppendUint32(nil, n))
}

// putTag draws a new tag.
func putTag(b *Bucket) error {
	if err := makeRoom(b, keyNode); err != nil {
		return err
	}
	var tag [16]byte
	rand.Read(tag[:]) // never fails
	return b.Put(keyNode, tag[:])
}

// makeRoom removes a bucket that stands where a value should be.
func makeRoom(b *Bucket, key []byte) error {
	if b.Bucket(key) == nil {
		return nil
	}
	return b.DeleteBucket(key)
}

// quote returns the name of a part as it is told.
func quote(name []byte) string { return fmt.Sprintf("%.40q", name) }
