package stream_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/forage-net/forage/p2p/p2ptest"
	"github.com/forage-net/forage/p2p/stream"
)

// onBolt returns a store on a file of its own.
func onBolt(t *testing.T) stream.Disk {
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "db"), 0o600, &bbolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return stream.OnBolt(db)
}

// bothDisks runs a test over each implementation of Disk.
func bothDisks(t *testing.T, test func(*testing.T, stream.Disk)) {
	t.Run("bolt", func(t *testing.T) { test(t, onBolt(t)) })
	t.Run("memory", func(t *testing.T) { test(t, new(p2ptest.Disk)) })
}

func scan(t *testing.T, d stream.Disk, bucket, from string) string {
	t.Helper()
	var all []byte
	err := d.View(func(tx stream.Tx) error {
		return tx.Scan(bucket, []byte(from), func(k, v []byte) bool {
			all = append(append(append(append(all, k...), '='), v...), ' ')
			return len(all) < 20
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func TestDisk(t *testing.T) {
	bothDisks(t, func(t *testing.T, d stream.Disk) {
		if got := scan(t, d, "b", ""); got != "" {
			t.Errorf("scan of a bucket that is not there = %q", got)
		}
		err := d.Update(func(tx stream.Tx) error {
			if got := tx.Get("b", []byte("x")); got != nil {
				t.Errorf("Get = %q, want nil", got)
			}
			if err := tx.Delete("b", []byte("x")); err != nil {
				t.Errorf("Delete of what is not there: %v", err)
			}
			for _, k := range []string{"c", "a", "b", "bb"} {
				if err := tx.Put("b", []byte(k), []byte(k)); err != nil {
					return err
				}
			}
			if err := tx.Put("b", []byte("nil"), nil); err != nil {
				return err
			}
			if got := tx.Get("b", []byte("nil")); got == nil || len(got) > 0 {
				t.Errorf("Get of a nil value within the transaction = %v, want an empty one", got)
			}
			if err := tx.Put("b", []byte("a"), []byte("A")); err != nil {
				return err
			}
			return tx.Delete("b", []byte("c"))
		})
		if err != nil {
			t.Fatal(err)
		}
		for from, want := range map[string]string{"": "a=A b=b bb=bb nil= ", "b": "b=b bb=bb nil= ", "ba": "bb=bb nil= ", "z": ""} {
			if got := scan(t, d, "b", from); got != want {
				t.Errorf("scan from %q = %q, want %q", from, got, want)
			}
		}
		fault := errors.New("fault")
		err = d.Update(func(tx stream.Tx) error {
			if err := errors.Join(tx.Put("b", []byte("a"), []byte("2")), tx.Put("new", []byte("a"), nil), tx.Delete("b", []byte("b"))); err != nil {
				t.Error(err)
			}
			return fault
		})
		if !errors.Is(err, fault) {
			t.Errorf("Update = %v, want %v", err, fault)
		}
		if got := scan(t, d, "b", ""); got != "a=A b=b bb=bb nil= " {
			t.Errorf("after a failed Update: %q", got)
		}
		_ = d.View(func(tx stream.Tx) error {
			if tx.Put("b", []byte("a"), nil) == nil || tx.Delete("b", []byte("a")) == nil {
				t.Error("View writes")
			}
			if got := tx.Get("b", []byte("nil")); got == nil {
				t.Error("Get of an empty value = nil")
			}
			return nil
		})
	})
}

func TestDisk_Clone(t *testing.T) {
	d := new(p2ptest.Disk)
	put := func(d *p2ptest.Disk, k, v string) error {
		return d.Update(func(tx stream.Tx) error { return tx.Put("b", []byte(k), []byte(v)) })
	}
	if err := errors.Join(put(d, "a", "1"), put(d, "b", "1")); err != nil {
		t.Fatal(err)
	}
	backup := d.Clone()
	if err := errors.Join(put(d, "a", "2"), put(d, "c", "2"), put(backup, "d", "3")); err != nil {
		t.Fatal(err)
	}
	if got := scan(t, d, "b", ""); got != "a=2 b=1 c=2 " {
		t.Errorf("the disk: %q", got)
	}
	if got := scan(t, backup, "b", ""); got != "a=1 b=1 d=3 " {
		t.Errorf("its backup: %q", got)
	}
	crash := errors.New("crash")
	d.Broken = func() error { return crash }
	if err := put(d, "a", "4"); !errors.Is(err, crash) {
		t.Errorf("Update = %v", err)
	}
	d.Broken = nil
	if got := scan(t, d, "b", ""); got != "a=2 b=1 c=2 " {
		t.Errorf("after a crash: %q", got)
	}
	d.Restore(backup)
	if got := scan(t, d, "b", ""); got != "a=1 b=1 d=3 " || d.Len("b") != 3 {
		t.Errorf("restored: %q, %d keys", got, d.Len("b"))
	}
	if !bytes.Equal([]byte(scan(t, backup, "b", "")), []byte(scan(t, d, "b", ""))) {
		t.Error("the backup changed")
	}
}
