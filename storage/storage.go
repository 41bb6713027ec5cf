// Package storage opens the one bbolt file that holds everything a node must
// remember: the frontier, Bloom filter blocks, robots.txt copies, digests and
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
	"time"

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
	ErrLocked = errors.New("the store is open in another process")
	// ErrNewer is returned by Open for a store written by a newer version.
	ErrNewer = errors.New("the store was written by a newer version of forage; install that version or a later one")
)

// Options change how a store is opened. The zero value is right for a node.
type Options struct {
	// ReadOnly opens for reading; the file must exist and be of this version.
	ReadOnly bool
	// NoSync leaves syncing to the operating system: for simulations only,
	// since a power loss may then corrupt the file.
	NoSync bool
}

// DB is an open store.
type DB struct {
	bolt *bolt.DB
	node [16]byte
}

// Open opens the store at path, creating it if it is not there, and brings it
// to the current schema. The errors are ErrLocked, ErrNewer, or say what is
// wrong with the file.
func Open(path string, opts Options) (*DB, error) {
	b, err := bolt.Open(path, 0o600, &bolt.Options{
		Timeout:        500 * time.Millisecond,
		ReadOnly:       opts.ReadOnly,
		NoSync:         opts.NoSync,
		NoFreelistSync: true, // rebuilt at start; syncing it costs more on every commit
		FreelistType:   bolt.FreelistMapType,
	})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, fmt.Errorf("open store %s: %w", path, ErrLocked)
	}
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	db := &DB{bolt: b}
	if opts.ReadOnly {
		err = b.View(db.checkSchema)
	} else {
		err = b.Update(db.migrate)
	}
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	return db, nil
}

// Close closes the store once all transactions have ended.
func (db *DB) Close() error { return db.bolt.Close() }

// Update runs fn in a transaction that is committed, and on disk, when Update
// returns nil.
func (db *DB) Update(fn func(tx *Tx) error) error { return db.bolt.Update(fn) }

// View runs fn in a transaction that only reads.
func (db *DB) View(fn func(tx *Tx) error) error { return db.bolt.View(fn) }

// Node returns a tag of 32 hexadecimal digits, drawn when the store was made.
func (db *DB) Node() string { return hex.EncodeToString(db.node[:]) }

// migrate runs the migrations that are missing.
func (db *DB) migrate(tx *Tx) error {
	version, err := readVersion(tx)
	if err != nil {
		return err
	}
	for v := version; v < schemaVersion; v++ {
		if err := migrations[v](tx); err != nil {
			return fmt.Errorf("migrate from schema %d: %w", v, err)
		}
	}
	meta := tx.Bucket(BucketMeta)
	if version != schemaVersion {
		if err := meta.Put(keySchema, binary.BigEndian.AppendUint32(nil, schemaVersion)); err != nil {
			return err
		}
	}
	copy(db.node[:], meta.Get(keyNode))
	return nil
}

func (db *DB) checkSchema(tx *Tx) error {
	version, err := readVersion(tx)
	if err != nil {
		return err
	}
	if version != schemaVersion {
		return fmt.Errorf("schema %d is not %d: start the node once to bring the store up to date", version, schemaVersion)
	}
	copy(db.node[:], tx.Bucket(BucketMeta).Get(keyNode))
	return nil
}

func readVersion(tx *Tx) (uint32, error) {
	meta := tx.Bucket(BucketMeta)
	if meta == nil {
		return 0, nil
	}
	raw := meta.Get(keySchema)
	if len(raw) != 4 {
		return 0, errors.New("the schema version is damaged")
	}
	version := binary.BigEndian.Uint32(raw)
	if version > schemaVersion {
		return 0, ErrNewer
	}
	return version, nil
}

// createTree makes the buckets of schema 1.
func createTree(tx *Tx) error {
	for _, name := range [][]byte{BucketMeta, BucketLogs, BucketRobots, BucketDigests, BucketArchive, BucketStats} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	var tag [16]byte
	rand.Read(tag[:])
	return tx.Bucket(BucketMeta).Put(keyNode, tag[:])
}
