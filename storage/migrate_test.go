package storage

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"testing"
)

// older makes a store of an older schema, with a key in it.
func older(t *testing.T, schema uint32) string {
	path := filepath.Join(t.TempDir(), "forage.db")
	db, err := Open(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *Tx) error {
		for _, name := range swarmBuckets() {
			if schema > 4 {
				break // has them
			}
			if err := tx.DeleteBucket(name); err != nil {
				return err
			}
		}
		if err := tx.Bucket(BucketStats).Put([]byte("k"), []byte("v")); err != nil {
			return err
		}
		return tx.Bucket(BucketMeta).Put(keySchema, binary.BigEndian.AppendUint32(nil, schema))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen_BringsOlderStoresUpToDate(t *testing.T) {
	for _, schema := range []uint32{1, 2, 5} {
		path := older(t, schema)
		x, err := Examine(t.Context(), path)
		if err != nil || !x.Older || x.Schema != schema || len(x.Faults) > 0 {
			t.Errorf("Examine of schema %d = %+v, %v", schema, x, err)
		}
		if _, err := Open(path, Options{ReadOnly: true}); err == nil {
			t.Errorf("schema %d was opened for reading", schema)
		}
		db, err := Open(path, Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		err = db.View(func(tx *Tx) error {
			for _, name := range topBuckets() {
				if tx.Bucket(name) == nil {
					t.Errorf("schema %d: the part %q is missing", schema, name)
				}
			}
			if got := tx.Bucket(BucketStats).Get([]byte("k")); string(got) != "v" {
				t.Errorf("schema %d: value = %q, want v", schema, got)
			}
			return nil
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Error(err)
		}
		if x, err = Examine(t.Context(), path); err != nil || x.Older || len(x.Faults)+len(x.Notes) > 0 {
			t.Errorf("Examine afterwards = %+v, %v", x, err)
		}
	}
}
