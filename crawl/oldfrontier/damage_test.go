package frontier

import (
	"path/filepath"
	"testing"

	"github.com/forage-net/forage/storage"
)

// Keys too short to be read end nothing but the reading, and Repair drops them.
func TestDamage_ShortKeysDoNotPanic(t *testing.T) {
	for name, put := range map[string]func(b *buckets) error{
		"due":    func(b *buckets) error { return b.due.Put([]byte{0}, []byte{}) },
		"later":  func(b *buckets) error { return b.later.Put([]byte{0}, []byte{}) },
		"leases": func(b *buckets) error { return b.leases.Put([]byte{0}, []byte("a.test")) },
		"clocks": func(b *buckets) error { return b.clocks.Put([]byte{0}, []byte{}) },
		"queue":  func(b *buckets) error { return b.queue.Put([]byte("a.test\x00http://a.test\x00ab"), []byte("xyz")) },
	} {
		t.Run(name, func(t *testing.T) {
			db, err := storage.Open(filepath.Join(t.TempDir(), "forage.db"), storage.Options{NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			f, err := Open(db, Config{LogID: "self"})
			if err != nil {
				t.Fatal(err)
			}
			edit(t, db, put)
			// Which of these see the damage differs; an error is as good as none.
			f.Check()
			f.Pick(10, never)
			f.Leases()
			f.Domains("", 10)
			mended, err := Repair(t.Context(), db, f.cfg, false)
			if err != nil || len(mended) == 0 {
				t.Errorf("Repair = %v, %v", mended, err)
			}
			if err := f.Check(); err != nil {
				t.Errorf("Check after Repair: %v", err)
			}
		})
	}
}
