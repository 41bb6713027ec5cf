package storage

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestOpen_KeepsWhatWasCommitted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forage.db")
	db, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	node := db.Node()
	if err := db.Update(func(tx *Tx) error { return tx.Bucket(BucketStats).Put([]byte("k"), []byte("v")) }); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); !errors.Is(err, ErrLocked) {
		t.Errorf("second Open = %v, want ErrLocked", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, err = Open(path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.Node() != node {
		t.Errorf("node tag = %s, want %s", db.Node(), node)
	}
	db.View(func(tx *Tx) error {
		if got := tx.Bucket(BucketStats).Get([]byte("k")); string(got) != "v" {
			t.Errorf("value = %q, want v", got)
		}
		return nil
	})
}

func TestOpen_RefusesNewerStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forage.db")
	db, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	db.Update(func(tx *Tx) error {
		return tx.Bucket(BucketMeta).Put(keySchema, binary.BigEndian.AppendUint32(nil, schemaVersion+1))
	})
	db.Close()
	if _, err := Open(path, Options{}); !errors.Is(err, ErrNewer) {
		t.Errorf("Open = %v, want ErrNewer", err)
	}
}

func TestOpen_SaysWhatIsWrongWithTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forage.db")
	if err := os.WriteFile(path, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); err == nil {
		t.Error("Open of garbage succeeded")
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.db"), Options{ReadOnly: true}); err == nil {
		t.Error("read-only Open of a missing file succeeded")
	}
}
