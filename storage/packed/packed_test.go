package packed

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/storage"
)

func openDB(t *testing.T) *storage.DB {
	t.Helper()
	db, err := storage.Open(filepath.Join(t.TempDir(), "db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func update(t *testing.T, db *storage.DB, fn func(tx *storage.Tx) error) {
	t.Helper()
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
}

func setOf(tx *storage.Tx, name string) Set {
	return Set{tx.Bucket(storage.BucketQueue), []byte(name + "\x00")}
}

// Whatever is added and deleted in any order, sets hold what they should, and are not mixed with those of neighbours.
func TestPacked_IsASet(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		db := openDB(t)
		want := map[string]map[string]bool{"a": {}, "a.b": {}, "aa": {}}
		for range 12 {
			update(t, db, func(tx *storage.Tx) error {
				for range 60 {
					d := []string{"a", "a.b", "aa"}[r.IntN(3)]
					s := fmt.Sprintf("%c\x00%03d%s", "sp"[r.IntN(2)], r.IntN(300), strings.Repeat("x", r.IntN(3)*r.IntN(90)))
					p, change := setOf(tx, d), Set.Add
					if want[d][s] = r.IntN(10) < 7-int(seed%4); !want[d][s] {
						change, want[d] = Set.Delete, without(want[d], s)
					}
					if err := change(p, []byte(s)); err != nil {
						return err
					}
				}
				return nil
			})
			update(t, db, func(tx *storage.Tx) error { return check(tx, want) })
		}
	}
}

func without(set map[string]bool, s string) map[string]bool {
	delete(set, s)
	return set
}

func check(tx *storage.Tx, want map[string]map[string]bool) error {
	for d, set := range want {
		p := setOf(tx, d)
		var list []string
		for s := range set {
			list = append(list, s)
		}
		slices.Sort(list)
		for _, prefix := range []string{"", "p\x00", "s\x001", "s\x00299", "z"} {
			var got, some []string
			for s := range p.All([]byte(prefix)) {
				got = append(got, string(s))
			}
			for _, s := range list {
				if strings.HasPrefix(s, prefix) {
					some = append(some, s)
				}
			}
			if !slices.Equal(got, some) {
				return fmt.Errorf("%s %q has %q, want %q", d, prefix, got, some)
			}
		}
		if len(list) > 0 && string(p.Last()) != list[len(list)-1] {
			return fmt.Errorf("the last of %s is %q, want %q", d, p.Last(), list[len(list)-1])
		}
	}
	return nil
}

// Strings that come in their order fill their blocks.
func TestPacked_IsSmall(t *testing.T) {
	db := openDB(t)
	update(t, db, func(tx *storage.Tx) error {
		for i := range 4000 {
			if err := setOf(tx, "a").Add(fmt.Appendf(nil, "%011d", i)); err != nil {
				return err
			}
		}
		if n := tx.Bucket(storage.BucketQueue).Stats().KeyN; n > 4000*12/500+1 {
			t.Errorf("%d blocks", n)
		}
		return nil
	})
}

// A transaction may delete all of several pages of the bucket and go on.
func TestPacked_Emptied(t *testing.T) {
	db, strs := openDB(t), make([][]byte, 3000)
	update(t, db, func(tx *storage.Tx) error {
		for i := range strs {
			strs[i] = fmt.Appendf(nil, "%04d%090d", i, i)
			for _, d := range []string{"a", "b"} {
				if err := setOf(tx, d).Add(strs[i]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(strs), func(i, j int) { strs[i], strs[j] = strs[j], strs[i] })
	update(t, db, func(tx *storage.Tx) error {
		for _, d := range []string{"b", "a"} {
			for _, s := range strs {
				if err := setOf(tx, d).Delete(s); err != nil {
					return err
				}
			}
			if s := setOf(tx, d).First(nil); s != nil || setOf(tx, d).Last() != nil {
				t.Errorf("%s still has %q", d, s)
			}
		}
		for _, s := range strs {
			if err := setOf(tx, "b").Add(s); err != nil {
				return err
			}
		}
		return nil
	})
	update(t, db, func(tx *storage.Tx) error {
		b := map[string]bool{}
		for _, s := range strs {
			b[string(s)] = true
		}
		return check(tx, map[string]map[string]bool{"a": {}, "b": b})
	})
}
