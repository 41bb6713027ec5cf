package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
)

// leftOver is the age at which a temporary file is nobody's any more: writing
// one takes a moment.
const leftOver = time.Minute

// lookAtFiles looks at permissions, at what was left behind, and whether files
// can be made.
func (d *doctor) lookAtFiles(context.Context) *Area {
	a := d.area("files")
	a.Summary = d.paths.State
	if d.paths.Data != d.paths.State {
		a.Summary += ", " + d.paths.Data
	}
	if runtime.GOOS != "windows" { // which has no such bits
		d.lookAtPermissions(a)
	}
	d.lookForLeftovers(a)
	d.lookAtDescriptor(a)
	d.tryToWrite(a)
	return a
}

// lookAtPermissions keeps others from what is the user's: they may not read the
// state, nor change anything. Whoever opened the archive for reading meant it.
func (d *doctor) lookAtPermissions(a *Area) {
	const private, unchanged fs.FileMode = 0o077, 0o022
	d.tighten(a, filepath.Dir(d.paths.Config), unchanged)
	d.tighten(a, d.paths.Config, private)
	d.tighten(a, d.paths.State, private)
	d.tightenAll(a, d.paths.State, private)
	d.tighten(a, d.paths.Data, unchanged)
	d.tighten(a, d.paths.WARC(), unchanged)
	d.tightenAll(a, d.paths.WARC(), unchanged)
}

func (d *doctor) tightenAll(a *Area, dir string, forbidden fs.FileMode) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		a.problem(err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			d.tighten(a, filepath.Join(dir, e.Name()), forbidden)
		}
	}
}

// tighten takes permissions away that others have.
func (d *doctor) tighten(a *Area, path string, forbidden fs.FileMode) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		a.problem(err)
		return
	}
	mode := info.Mode().Perm()
	if mode&forbidden == 0 {
		return
	}
	open := words.New("said.doctor.has-the-permissions-so-that-others",
		words.Args{"path": path, "mode": fmt.Sprintf("%04o", mode)})
	if !d.hands() {
		a.fixable(d, open)
		return
	}
	if err := os.Chmod(path, mode&^forbidden); err != nil {
		a.problem(words.Join(": ", open, err))
		return
	}
	a.repaired(sentence{words.New("said.doctor.now-it-has",
		words.Args{"fault": open, "mode": fmt.Sprintf("%04o", mode&^forbidden)})})
}

// lookForLeftovers removes temporary files of processes that died.
func (d *doctor) lookForLeftovers(a *Area) {
	var found []string
	for _, p := range []struct{ dir, pattern string }{
		{filepath.Dir(d.paths.Config), durable.Temporary}, {d.paths.State, durable.Temporary},
		{d.paths.State, ".doctor-*.tmp"},
		{d.paths.State, "forage.db.new"},
		{d.paths.Data, ".doctor-*.tmp"}, {d.paths.WARC(), "forage-*.tmp"},
	} {
		entries, err := os.ReadDir(p.dir)
		if err != nil {
			continue // told already, or not there
		}
		for _, e := range entries {
			if is, _ := filepath.Match(p.pattern, e.Name()); !is || !e.Type().IsRegular() {
				continue
			}
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > leftOver {
				found = append(found, filepath.Join(p.dir, e.Name()))
			}
		}
	}
	for _, path := range slices.Compact(found) {
		if d.running {
			continue // it may be the node's
		}
		d.remove(a, path, words.New("said.doctor.a-temporary-file-was-left-behind", words.Args{"path": path}))
	}
}

func (d *doctor) remove(a *Area, path string, fault error) {
	if !d.hands() {
		a.fixable(d, fault)
	} else if err := os.Remove(path); err != nil {
		a.problem(words.Join(": ", fault, err))
	} else {
		a.repaired(sentence{words.New("said.doctor.removed", words.Args{"fault": fault})})
	}
}

// lookAtDescriptor removes what a node that died has left of how to reach it.
func (d *doctor) lookAtDescriptor(a *Area) {
	if d.running {
		return
	}
	desc, err := descriptor.Read(d.paths.State)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	path := filepath.Join(d.paths.State, "api.json")
	if err != nil {
		d.remove(a, path, words.New("said.doctor.the-file-that-says-how-to", words.Args{"error": err}))
		return
	}
	d.remove(a, path, words.New("said.doctor.the-node-with-process-ended-without",
		words.Args{"pid": strconv.Itoa(desc.PID), "path": path}))
}

// tryToWrite makes sure that a node could make files.
func (d *doctor) tryToWrite(a *Area) {
	if !d.hands() {
		return
	}
	for _, dir := range []string{d.paths.State, d.paths.Data} {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			continue
		}
		f, err := os.CreateTemp(dir, ".doctor-*.tmp")
		if err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
		if err != nil {
			a.problem(words.New("said.doctor.no-file-can-be-made-in", words.Args{"folder": dir, "error": err}))
		}
	}
}
