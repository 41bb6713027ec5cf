package storage

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/forage-net/forage/assets/words"
)

// run runs fn in a transaction. bbolt maps the file into memory and trusts its
// pages, so that damage shows as a panic of bbolt or as a fault of that memory.
// Both become ErrDamaged; a panic of fn's own goes on.
func (db *DB) run(writable bool, fn func(tx *Tx) error) (err error) {
	if db.wedged.Load() {
		return words.New("said.doctor.store", words.Args{"path": db.path, "error": ErrDamaged})
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer catch(&err)
	tx, err := db.begin(writable)
	if err != nil {
		return err
	}
	defer tx.Rollback() // says no more than that it was committed
	if err := fn(tx); err != nil || !writable {
		return err
	}
	return withCause(tx.Commit())
}

// begin begins a transaction. bbolt that panics meanwhile keeps its locks.
func (db *DB) begin(writable bool) (tx *Tx, err error) {
	defer func() {
		if tx == nil && err == nil {
			db.wedged.Store(true)
		}
	}()
	return db.bolt.Begin(writable)
}

// catch, deferred, turns a panic that damage has caused into an error.
func catch(err *error) {
	if p := recover(); p == nil {
		return
	} else if !isFault(p) && !fromBolt() {
		panic(p)
	} else {
		*err = damaged("%v", p)
	}
}

// isFault reports whether a panic is that of a memory map whose file does not
// hold what it should. Nothing else of ours accesses memory by address.
func isFault(p any) bool {
	_, is := p.(interface {
		runtime.Error
		Addr() uintptr
	})
	return is
}

// fromBolt reports whether it was bbolt that panicked last. A deferred function
// is called on top of the stack that did.
func fromBolt() bool {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for panicked := false; ; {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && inModule(f.Function):
			return strings.HasPrefix(f.Function, "go.etcd.io/bbolt")
		}
		if !more {
			return false
		}
	}
}

// inModule reports whether a function is not of the standard library, whose
// packages have no dot in the first part of their path.
func inModule(function string) bool {
	first, _, ok := strings.Cut(function, "/")
	return ok && strings.Contains(first, ".")
}

// prepare makes the file that is to be opened, or makes sure that bbolt
// survives opening the one that is there.
func prepare(path string, opts Options) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && !opts.ReadOnly {
		return create(path, opts)
	}
	if err != nil {
		return err
	}
	switch {
	case !info.Mode().IsRegular():
		return damaged("it is not a file")
	case info.Size() == 0:
		return damaged("the file is empty")
	}
	if !opts.ReadOnly {
		os.Remove(path + newSuffix) // left behind by one that died after it had made the store
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return look(f, opts.ReadOnly)
}

// look looks at the headers of a file, or at all of it, while nobody writes.
func look(f *os.File, headers bool) error {
	b, failed := openBolt(f.Name(), Options{ReadOnly: true}) // for its lock
	if errors.Is(failed, ErrLocked) || errors.Is(failed, ErrDamaged) {
		return failed
	} else if failed == nil {
		defer b.Close()
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	w := walker{file: f, size: info.Size()}
	if headers || failed != nil {
		if _, _, err := w.readMeta(); err != nil {
			return err
		}
		return failed
	}
	return w.walk(context.Background())
}

// newSuffix marks a store that is being made.
const newSuffix = ".new"

// create makes an empty store. A process that dies meanwhile leaves no file at
// path, and of two that do the same at a time one succeeds for both.
func create(path string, opts Options) error {
	opts.ReadOnly = false
	made := path + newSuffix
	b, err := openBolt(made, opts)
	if err != nil && !errors.Is(err, ErrLocked) { // left behind by one that died
		if err = os.Remove(made); err == nil {
			b, err = openBolt(made, opts)
		}
	}
	if err != nil {
		return err
	}
	if err := b.Close(); err != nil {
		return err
	}
	err = os.Link(made, path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without links
		err = os.Rename(made, path)
	}
	if removed := os.Remove(made); err == nil && !errors.Is(removed, fs.ErrNotExist) {
		err = removed
	}
	if _, missing := os.Stat(path); missing == nil {
		return nil // this one's or the other's
	}
	return err
}
