package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// full makes a store of many pages: branches, overflow pages, inline and nested
// buckets, and returns its path.
func full(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "forage.db")
	db, err := Open(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 { // so that pages come free and are used again
		err := db.Update(func(tx *Tx) error {
			queue := tx.Bucket(BucketQueue)
			many, err := tx.Bucket(BucketArchive).CreateBucketIfNotExists([]byte("many"))
			if err != nil {
				return err
			}
			for i := range 2000 {
				if err := many.Put(fmt.Appendf(nil, "key %d", i), make([]byte, i%30)); err != nil {
					return err
				}
				if err := queue.Put(fmt.Appendf(nil, "key %d of round %d", i*7, round), make([]byte, i%300)); err != nil {
					return err
				}
			}
			few, err := tx.Bucket(BucketArchive).CreateBucketIfNotExists([]byte("few"))
			if err != nil {
				return err
			}
			few.Put([]byte("a"), []byte("b"))
			return tx.Bucket(BucketRobots).Put([]byte("long"), make([]byte, 50_000))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestExamine_FindsAHealthyStoreHealthy(t *testing.T) {
	path := full(t)
	before, _ := os.ReadFile(path)
	x, err := Examine(t.Context(), path)
	if err != nil || len(x.Faults)+len(x.Notes) != 0 || x.Keys < 8000 {
		t.Errorf("Examine = %+v, %v", x, err)
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("Examine has changed the file")
	}
	db, err := Open(filepath.Join(t.TempDir(), "new.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	name := db.bolt.Path()
	if _, err := Examine(t.Context(), name); !errors.Is(err, ErrLocked) {
		t.Errorf("Examine of a store in use = %v, want ErrLocked", err)
	}
	db.Close()
	if x, err := Examine(t.Context(), name); err != nil || len(x.Faults) != 0 {
		t.Errorf("Examine of a new store = %+v, %v", x, err)
	}
}

// edit changes bytes of a file.
func edit(t testing.TB, path string, change func(b []byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestExamine_SaysWhatIsWrong(t *testing.T) {
	pageSize := os.Getpagesize()
	zero := func(b []byte) { clear(b) }
	for _, c := range []struct {
		name   string
		damage func(b []byte) []byte
		want   error
		says   string
	}{
		{"empty", func([]byte) []byte { return nil }, ErrDamaged, "the file is empty"},
		{"garbage", func(b []byte) []byte { return []byte(strings.Repeat("garbage ", len(b)/8)) }, ErrDamaged, "headers"},
		{"a line of text", func([]byte) []byte { return []byte("hello\n") }, ErrDamaged, ""},
		{"zeros", func(b []byte) []byte { zero(b); return b }, ErrDamaged, "headers"},
		{"both headers", func(b []byte) []byte { zero(b[:2*pageSize]); return b }, ErrDamaged, "headers"},
		{"cut off", func(b []byte) []byte { return b[:len(b)/2] }, ErrDamaged, "cut off"},
		{"cut behind the headers", func(b []byte) []byte { return b[:2*pageSize] }, ErrDamaged, "cut off"},
		{"all pages but the headers", func(b []byte) []byte { zero(b[2*pageSize:]); return b }, ErrDamaged, "page"},
		{"pages shifted", func(b []byte) []byte { copy(b[2*pageSize:], b[3*pageSize:]); return b }, ErrDamaged, "page"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := full(t)
			edit(t, path, c.damage)
			before, _ := os.ReadFile(path)
			_, err := Examine(t.Context(), path)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Examine = %v, want %v and %q", err, c.want, c.says)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("Examine has changed the file")
			}
		})
	}
}

// Whichever of the two headers is damaged, the other one counts, as for bbolt.
func TestExamine_OneHeaderIsEnough(t *testing.T) {
	for header := range 2 {
		path := full(t)
		edit(t, path, func(b []byte) []byte { clear(b[header*os.Getpagesize():][:100]); return b })
		x, err := Examine(t.Context(), path)
		if err != nil || len(x.Notes) != 1 || !strings.Contains(x.Notes[0].Error(), "header") {
			t.Errorf("without header %d: Examine = %+v, %v", header, x, err)
		}
	}
}

func TestExamine_LooksAtTheTree(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(tx *Tx) error
		fault  string
	}{
		{"a missing part", func(tx *Tx) error { return tx.DeleteBucket(BucketStats) }, `the part "stats" is missing`},
		{"a damaged tag", func(tx *Tx) error { return tx.Bucket(BucketMeta).Put(keyNode, []byte("x")) }, "tag"},
		{"a damaged version", func(tx *Tx) error { return tx.Bucket(BucketMeta).Put(keySchema, []byte("x")) }, "schema version is damaged"},
		{"no head", func(tx *Tx) error { return tx.DeleteBucket(BucketMeta) }, `the part "meta" is missing`},
		{"a bucket for a version", func(tx *Tx) error {
			tx.Bucket(BucketMeta).Delete(keySchema)
			_, err := tx.Bucket(BucketMeta).CreateBucket(keySchema)
			return err
		}, "schema version is damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := full(t)
			alter(t, path, c.damage)
			x, err := Examine(t.Context(), path)
			if err != nil || !strings.Contains(fmt.Sprint(x.Faults), c.fault) {
				t.Fatalf("Examine = %+v, %v, want %q", x, err, c.fault)
			}
			if done, err := Mend(path); err != nil || len(done) == 0 {
				t.Fatalf("Mend = %v, %v", done, err)
			}
			if x, err := Examine(t.Context(), path); err != nil || len(x.Faults) != 0 {
				t.Errorf("Examine after Mend = %+v, %v", x, err)
			}
			db, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			db.View(func(tx *Tx) error {
				if tx.Bucket(BucketQueue).Stats().KeyN < 6000 {
					t.Error("Mend has lost what was there")
				}
				return nil
			})
		})
	}
}

// alter changes a store without a look at its schema.
func alter(t testing.TB, path string, fn func(tx *Tx) error) {
	t.Helper()
	b, err := openRaw(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Update(fn); err != nil {
		t.Fatal(err)
	}
}

func TestExamine_KnowsOtherVersions(t *testing.T) {
	path := full(t)
	version := func(v uint32) {
		alter(t, path, func(tx *Tx) error { return tx.Bucket(BucketMeta).Put(keySchema, binary.BigEndian.AppendUint32(nil, v)) })
	}
	version(schemaVersion - 1)
	if x, err := Examine(t.Context(), path); err != nil || len(x.Faults) != 1 {
		t.Errorf("Examine of a version that never was = %+v, %v", x, err)
	}
	version(schemaVersion + 1)
	if _, err := Examine(t.Context(), path); !errors.Is(err, ErrNewer) {
		t.Errorf("Examine of a newer store = %v, want ErrNewer", err)
	}
	alter(t, path, func(tx *Tx) error {
		_, err := tx.CreateBucket([]byte("later addition"))
		return err
	})
	version(schemaVersion)
	if x, err := Examine(t.Context(), path); err != nil || len(x.Notes) != 1 || !strings.Contains(x.Notes[0].Error(), "later addition") {
		t.Errorf("Examine with an unknown part = %+v, %v", x, err)
	}
}

func TestExamine_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Examine(ctx, full(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("Examine = %v, want context.Canceled", err)
	}
	if _, err := Examine(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Examine of no file = %v, want os.ErrNotExist", err)
	}
}

// What Examine passes can be read and written without danger; what it does not
// pass is said to be damaged.
func TestExamine_WhatPassesIsSafe(t *testing.T) {
	path := full(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rounds := 250
	if testing.Short() {
		rounds = 50
	}
	passed := 0
	for round := range rounds {
		rng := rand.New(rand.NewPCG(1, uint64(round)))
		b := append([]byte(nil), whole...)
		for range 1 + rng.IntN(4) {
			at := rng.IntN(len(b))
			if rng.IntN(3) > 0 { // where pages begin, there is more to break
				at = at/os.Getpagesize()*os.Getpagesize() + rng.IntN(200)
			}
			b[at] ^= 1 << rng.IntN(8)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := Examine(t.Context(), path)
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNewer) {
				t.Fatalf("round %d: %v", round, err)
			}
			continue
		}
		passed++
		if err := useAll(path, x); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	if passed == 0 || passed == rounds {
		t.Errorf("%d of %d damaged files passed", passed, rounds)
	}
}

// useAll opens a store, reads all of it and changes it.
func useAll(path string, x Examination) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if len(x.Faults) > 0 {
		if _, err := Mend(path); err != nil {
			return err
		}
	}
	db, err := Open(path, Options{NoSync: true})
	if errors.Is(err, ErrNewer) {
		return nil
	}
	if err != nil {
		return err
	}
	defer db.Close()
	err = db.Update(func(tx *Tx) error {
		for _, name := range Buckets() {
			if err := readAll(tx.Bucket(name)); err != nil {
				return err
			}
		}
		return tx.Bucket(BucketStats).Put([]byte("k"), make([]byte, 10_000))
	})
	if err != nil {
		return err
	}
	return db.View(func(tx *Tx) error {
		for err := range tx.Check() {
			return fmt.Errorf("bbolt finds: %w", err)
		}
		return nil
	})
}

func readAll(b *Bucket) error {
	return b.ForEach(func(key, value []byte) error {
		if sub := b.Bucket(key); sub != nil {
			return readAll(sub)
		}
		sum := 0
		for _, c := range value {
			sum += int(c)
		}
		return nil
	})
}

func FuzzExamine(f *testing.F) {
	path := full(f)
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{0, 0, 0, 1, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		b := append([]byte(nil), whole...)
		for ; len(data) >= 5; data = data[5:] {
			b[int(binary.BigEndian.Uint32(data))%len(b)] = data[4]
		}
		path := filepath.Join(t.TempDir(), "db")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := Examine(t.Context(), path)
		if err == nil {
			err = useAll(path, x)
		} else if errors.Is(err, ErrDamaged) || errors.Is(err, ErrNewer) {
			return
		}
		if err != nil {
			t.Error(err)
		}
	})
}

func TestSweep_DropsWhatIsNotKept(t *testing.T) {
	db, err := Open(filepath.Join(t.TempDir(), "db"), Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const n = 2*sweepLimit + 100
	err = db.Update(func(tx *Tx) error {
		b := tx.Bucket(BucketStats)
		keep := func(key, _ []byte) (bool, error) { return len(key) == 4 && key[3]%10 == 0, nil }
		want := 1 // the bucket
		for i := range n {
			key := binary.BigEndian.AppendUint32(nil, uint32(i))
			if err := b.Put(key, []byte{}); err != nil {
				return err
			}
			if kept, _ := keep(key, nil); !kept {
				want++
			}
		}
		if _, err := b.CreateBucket([]byte("where a value should be")); err != nil {
			return err
		}
		for _, dry := range []bool{true, false} {
			asked := 0
			dropped, err := Sweep(t.Context(), b, dry, func(key, value []byte) (bool, error) {
				asked++
				return keep(key, value)
			})
			if err != nil || dropped != want || asked != n {
				t.Errorf("dry %v: %d of %d keys asked about, %d dropped, want %d, %v", dry, asked, n, dropped, want, err)
			}
		}
		return b.ForEach(func(key, _ []byte) error {
			if kept, _ := keep(key, nil); !kept {
				t.Errorf("% x is still there", key)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}
