package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
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
	pageSize := os.Getpagesize()
	for _, c := range []struct {
		name   string
		damage func(b []byte) []byte
		says   string
	}{
		{"empty", func([]byte) []byte { return nil }, "the file is empty"},
		{"100 bytes", func(b []byte) []byte { return b[:100] }, "headers"},
		{"one page", func(b []byte) []byte { return b[:pageSize] }, "cut off"},
		{"half", func(b []byte) []byte { return b[:len(b)/2] }, "cut off: "},
		{"garbage", func(b []byte) []byte { return bytes.Repeat([]byte("garbage "), len(b)/8) }, "headers"},
		{"a byte in each header", func(b []byte) []byte { b[20] ^= 1; b[pageSize+20] ^= 1; return b }, "headers"},
		{"pages of another store", func(b []byte) []byte { clear(b[3*pageSize:]); return b }, "page"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := full(t)
			edit(t, path, c.damage)
			before := readFile(t, path)
			for _, o := range []Options{{}, {ReadOnly: true}} {
				db, err := Open(path, o)
				if err == nil && o.ReadOnly { // only the headers were looked at
					err = readStore(db)
					db.Close()
				}
				if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.says) && !o.ReadOnly {
					t.Errorf("Open(%+v) = %v, want ErrDamaged and %q", o, err, c.says)
				}
			}
			if readFile(t, path) != before {
				t.Error("Open has changed the file")
			}
		})
	}
	if _, err := Open(t.TempDir(), Options{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("Open of a directory = %v, want ErrDamaged", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.db"), Options{ReadOnly: true}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("read-only Open of a missing file = %v, want os.ErrNotExist", err)
	}
}

// One header is enough, and the one that is damaged is replaced.
func TestOpen_OneHeaderIsEnough(t *testing.T) {
	for header := range 2 {
		path := full(t)
		edit(t, path, func(b []byte) []byte { clear(b[header*os.Getpagesize():][:100]); return b })
		db, err := Open(path, Options{})
		if err != nil {
			t.Fatalf("without header %d: %v", header, err)
		}
		if err := readStore(db); err != nil {
			t.Errorf("without header %d: %v", header, err)
		}
		db.Close()
	}
}

func TestOpen_TellsOfAMissingPart(t *testing.T) {
	for _, c := range []struct {
		says   string
		damage func(tx *Tx) error
	}{
		{`the part "stats" is missing`, func(tx *Tx) error { return tx.DeleteBucket(BucketStats) }},
		{`the part "meta" is missing`, func(tx *Tx) error { return tx.DeleteBucket(BucketMeta) }},
		{"schema version", func(tx *Tx) error { return tx.Bucket(BucketMeta).Put(keySchema, []byte("x")) }},
		{"tag", func(tx *Tx) error { return tx.Bucket(BucketMeta).Put(keyNode, []byte("x")) }},
	} {
		path := full(t)
		db, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Update(c.damage), db.Close()); err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{}, {ReadOnly: true}} {
			if _, err := Open(path, o); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Open(%+v) = %v, want ErrDamaged and %q", o, err, c.says)
			}
		}
	}
}

// Whatever page is damaged, and however, a store is opened and can be used, or
// it is not opened: never does the process end.
func TestOpen_SurvivesDamageOfEveryPage(t *testing.T) {
	path := full(t)
	sound := []byte(readFile(t, path))
	pageSize := os.Getpagesize()
	pages := 50 // enough to meet every kind of page
	if testing.Short() {
		pages = 15
	}
	step := max(1, len(sound)/pageSize/pages)
	opened := 0
	for at := 2 * pageSize; at < len(sound); at += step * pageSize {
		for _, damage := range []func(page []byte){
			func(page []byte) { clear(page) },
			func(page []byte) { page[8] ^= 0xff },  // flags
			func(page []byte) { page[10] ^= 0x7f }, // count
			func(page []byte) { page[12] ^= 0xff }, // overflow
			func(page []byte) { page[20] ^= 0x40 }, // position of the first key
			func(page []byte) { copy(page[pageHeader:], bytes.Repeat([]byte{0xff}, 64)) },
		} {
			b := bytes.Clone(sound)
			damage(b[at : at+pageSize])
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			db, err := Open(path, Options{NoSync: true})
			if err != nil {
				if !errors.Is(err, ErrDamaged) {
					t.Fatalf("page %d: %v", at/pageSize, err)
				}
				continue
			}
			opened++ // the page was not in use
			err = errors.Join(readStore(db), db.Update(func(tx *Tx) error { return tx.Bucket(BucketStats).Put([]byte("k"), []byte("v")) }))
			if err != nil {
				t.Errorf("page %d: the store was opened, then %v", at/pageSize, err)
			}
			db.Close()
		}
	}
	t.Logf("%d of the files could be opened", opened)
}

// A file may be damaged after it was opened: by a disk that fails, or by hand.
func TestDB_DamageMeanwhile(t *testing.T) {
	pageSize := os.Getpagesize()
	for _, c := range []struct {
		name   string
		damage func(path string, size int64) error
	}{
		{"cut off", func(path string, size int64) error { return os.Truncate(path, int64(2*pageSize)) }},
		{"zeros", func(path string, size int64) error {
			return overwrite(path, 2*pageSize, make([]byte, size-int64(2*pageSize)))
		}},
		{"garbage", func(path string, size int64) error {
			return overwrite(path, 2*pageSize, bytes.Repeat([]byte{0xfe}, int(size)-2*pageSize))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := full(t)
			db, err := Open(path, Options{NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if err := c.damage(path, int64(len(readFile(t, path)))); err != nil {
				t.Fatal(err)
			}
			for range 2 { // no lock is left behind
				if err := readStore(db); !errors.Is(err, ErrDamaged) {
					t.Errorf("View = %v, want ErrDamaged", err)
				}
				err := db.Update(func(tx *Tx) error {
					return tx.Bucket(BucketQueue).Put([]byte("k"), []byte("v"))
				})
				if !errors.Is(err, ErrDamaged) {
					t.Errorf("Update = %v, want ErrDamaged", err)
				}
			}
		})
	}
}

// The headers are read at the begin of every transaction, under locks that
// nobody gives back then.
func TestDB_HeadersLostMeanwhile(t *testing.T) {
	path := full(t)
	db, err := Open(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := overwrite(path, 0, make([]byte, 2*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := readStore(db); !errors.Is(err, ErrDamaged) {
			t.Errorf("View = %v, want ErrDamaged", err)
		}
		if err := db.Update(func(*Tx) error { return nil }); !errors.Is(err, ErrDamaged) {
			t.Errorf("Update = %v, want ErrDamaged", err)
		}
	}
	if err := db.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}

// A panic of the caller's own is a bug, and is not hidden.
func TestDB_PanicOfTheCallerGoesOn(t *testing.T) {
	db, err := Open(filepath.Join(t.TempDir(), "forage.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var none []int
	for name, fn := range map[string]func(tx *Tx) error{
		"a panic": func(*Tx) error { panic("mine") },
		"a panic below the standard library": func(*Tx) error {
			return errors.New(string(binary.BigEndian.AppendUint16(nil, binary.BigEndian.Uint16([]byte{1}))))
		},
		"after the commit": func(tx *Tx) error {
			tx.OnCommit(func() { panic("mine") })
			if tx.Writable() {
				return nil
			}
			panic("mine")
		},
		"an index":    func(*Tx) error { none[len(none)] = 1; return nil },
		"a nil value": func(*Tx) error { var db *DB; db.path = ""; return nil },
		"within a bucket": func(tx *Tx) error {
			return tx.Bucket(BucketMeta).ForEach(func(_, _ []byte) error { panic("mine") })
		},
	} {
		for kind, run := range map[string]func(func(*Tx) error) error{"Update": db.Update, "View": db.View} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s did not go on", kind, name)
					}
				}()
				t.Errorf("%s: %s became %v", kind, name, run(fn))
			}()
		}
	}
	if err := readStore(db); err != nil {
		t.Errorf("afterwards View = %v", err)
	}
}

// What a process leaves behind that died while it made a store is no store.
func TestOpen_AfterADeathWhileCreating(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forage.db")
	for _, left := range [][]byte{nil, []byte("torn"), make([]byte, 4*os.Getpagesize())} {
		if err := os.WriteFile(path+".new", left, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := Open(path, Options{})
		if err != nil {
			t.Fatalf("with %d bytes left behind: %v", len(left), err)
		}
		db.Close()
		if _, err := os.Stat(path + ".new"); err == nil {
			t.Errorf("%d bytes are still there", len(left))
		}
		os.Remove(path)
	}
}

// Of many that make the same store at a time, one has it.
func TestOpen_ManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forage.db")
	var opened atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			db, err := Open(path, Options{NoSync: true})
			if errors.Is(err, ErrLocked) {
				return
			}
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { db.Close() })
			opened.Add(1)
		})
	}
	all.Wait()
	if n := opened.Load(); n != 1 {
		t.Errorf("%d have the store open, want 1", n)
	}
}

// readStore reads every key and value.
func readStore(db *DB) error {
	var read func(b *Bucket) error
	read = func(b *Bucket) error {
		return b.ForEach(func(k, v []byte) error {
			if v == nil {
				return read(b.Bucket(k))
			}
			bytes.Count(v, []byte{0})
			return nil
		})
	}
	return db.View(func(tx *Tx) error {
		return tx.ForEach(func(_ []byte, b *Bucket) error { return read(b) })
	})
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func overwrite(path string, at int, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, int64(at))
	return errors.Join(err, f.Close())
}

// While a store is open, no commit writes the list of free pages; one that was closed has it, and is sound.
func TestClose_LeavesTheListOfFreePages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forage.db")
	listed := func() bool {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		w := walker{file: f, size: info.Size()}
		_, freelist, err := w.readMeta()
		if err != nil {
			t.Fatal(err)
		}
		return freelist != noFreelist
	}
	for round := range 3 {
		db, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 50 {
			if err := db.Update(func(tx *Tx) error {
				return tx.Bucket(BucketStats).Put([]byte{byte(round), byte(i)}, make([]byte, 1000))
			}); err != nil {
				t.Fatal(err)
			}
		}
		if listed() {
			t.Error("a commit has written the list")
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if !listed() {
			t.Error("a store that was closed has no list")
		}
		if _, err := Examine(t.Context(), path); err != nil {
			t.Errorf("a store that was closed: %v", err)
		}
	}
}
