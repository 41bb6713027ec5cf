// Package erase deletes what a node has fetched and found: everything, or some sites and addresses. What is to be
// erased is marked in a file first, so that whatever ends the process the next start goes on with it.
package erase

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/requestlog"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/progress"
)

// marker is the file in the state directory that says what is to be erased: an api.Erasure, or nothing for everything.
// It is written before anything is erased, and removed when everything is, so that whatever ends the process in between
// the next start goes on with it.
const marker = "erase"

// maxMarker bounds the marker in bytes.
const maxMarker = 1 << 20

func markerPath(paths config.Paths) string { return filepath.Join(paths.State, marker) }

// Eraser is the part of a node that erases: the node ends first. It implements api.Eraser.
type Eraser struct {
	Paths config.Paths
	// Stop begins to end the node.
	Stop func(context.Context) error
	Log  *slog.Logger

	erasing atomic.Bool // FinishErase shall erase
	again   atomic.Bool // and the node is to be started again
	erased  bool        // it has erased everything
}

// Erase implements api.Eraser: the node begins to end, and FinishErase erases.
func (e *Eraser) Erase(ctx context.Context, what api.Erasure) error {
	if err := Mark(e.Paths, what); err != nil {
		return err
	}
	e.erasing.Store(true)
	e.again.Store(what.IsPart())
	e.Log.Info(
		"What was fetched and found will be erased; the node ends",
		"sites", len(what.Sites), "addresses", len(what.URLs), "all", !what.IsPart(),
	)
	return e.Stop(ctx)
}

// Erased reports whether everything that was fetched and found is erased.
func (e *Eraser) Erased() bool { return e.erased }

// Again reports whether the node ended only to erase sites, so that it is to be started again.
func (e *Eraser) Again() bool { return e.again.Load() }

// FinishErase erases, once store and archive are closed, if the user asked for it.
func (e *Eraser) FinishErase() error {
	if !e.erasing.Load() {
		return nil
	}
	all, err := Finish(context.Background(), e.Paths)
	if err != nil {
		return words.New("said.trouble.erase-the-next-start-goes-on", words.Args{"error": err})
	}
	e.erased = all
	e.Log.Info("Erased", "all", all, "settings_kept_in", e.Paths.Config)
	return nil
}

// Mark writes down what is to be erased, beside what was to be already. What cannot be understood is an
// *api.InputError.
func Mark(paths config.Paths, what api.Erasure) error {
	if _, err := partOf(what); err != nil {
		return &api.InputError{Err: err}
	}
	was, found, err := Marked(paths)
	if err != nil {
		return err
	}
	if found && (!was.IsPart() || !what.IsPart()) { // everything is the most there is
		what.Sites, what.URLs = nil, nil
	} else {
		what.Sites, what.URLs = append(was.Sites, what.Sites...), append(was.URLs, what.URLs...)
	}
	text, err := json.Marshal(what)
	if err == nil {
		err = durable.Write(markerPath(paths), text)
	}
	if err != nil {
		return words.New("said.trouble.erase", words.Args{"error": err})
	}
	return nil
}

// Marked returns what is still to be erased, and whether anything is.
func Marked(paths config.Paths) (what api.Erasure, found bool, err error) {
	f, err := os.Open(markerPath(paths))
	if errors.Is(err, os.ErrNotExist) {
		return what, false, nil
	}
	if err != nil {
		return what, false, words.New("said.trouble.erase", words.Args{"error": err})
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxMarker))
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &what)
	}
	if err != nil {
		return what, false, fmt.Errorf("erase: read %s: %w", f.Name(), err)
	}
	return what, true, nil
}

// Resume goes on with what an earlier process was asked to erase and could not.
func Resume(paths config.Paths, log *slog.Logger) error {
	if _, found, err := Marked(paths); !found || err != nil {
		return err
	}
	if _, err := Finish(context.Background(), paths); err != nil {
		return err
	}
	log.Info("What an earlier run was told to erase is erased now")
	return paths.Create()
}

// Finish erases what was marked, of a node that does not run, and reports whether that was everything.
func Finish(ctx context.Context, paths config.Paths) (all bool, err error) {
	what, found, err := Marked(paths)
	if err != nil || !found {
		return false, err
	}
	if !what.IsPart() {
		_, err := All(ctx, paths, what.KeepIdentity)
		return true, err
	}
	part, err := partOf(what)
	if err != nil {
		return false, words.New("said.trouble.erase", words.Args{"error": err})
	}
	if err := part.erase(ctx, paths); err != nil {
		return false, err
	}
	if err := os.Remove(markerPath(paths)); err != nil {
		return false, words.New("said.trouble.erase", words.Args{"error": err})
	}
	return false, durable.SyncDir(paths.State)
}

// Deleted is what an erasure has deleted.
type Deleted struct {
	Files int
	Bytes int64
}

// All deletes the archive and the store of a node, which must not be running, and its identity unless that is to be
// kept; settings stay. It tells its progress. If ctx ends meanwhile, what is left is there as it was; the store goes
// first, so that no page is taken for known that is no longer there.
func All(ctx context.Context, paths config.Paths, keepIdentity bool) (done Deleted, err error) {
	db, err := openIfThere(paths.Store())
	if err != nil {
		return done, err // a running node holds it
	}
	if db != nil {
		db.Close()
	}
	places := []place{
		{path: paths.Store()}, {path: paths.Store() + ".new"}, {path: requestlog.Dir(paths.State)},
		{path: claims.Path(paths.State)}, {path: paths.WARC(), prefix: archivePrefix, users: paths.Archive != ""},
		{path: paths.Index()}, {path: export.Scratch(paths)},
	}
	if !keepIdentity {
		places = append(places, place{path: membership.KeyPath(paths.State)})
	}
	var names []string
	var total int64
	for _, p := range places {
		if names, err = p.files(names, &total); err != nil {
			return done, words.New("said.trouble.erase", words.Args{"error": err})
		}
	}
	meter := progress.Begin(ctx, words.New("said.cli.work-deleting", nil), total, progress.Bytes)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return done, words.New("said.trouble.erase", words.Args{"error": err})
		}
		size := ledger.SizeOfFile(name)
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return done, words.New("said.trouble.erase", words.Args{"error": err})
		}
		done.Files++
		done.Bytes += size
		meter.Add(size)
	}
	for _, p := range append(places, place{path: markerPath(paths)}) { // and what came meanwhile; the marker goes last
		if err := p.clear(); err != nil {
			return done, words.New("said.trouble.erase", words.Args{"error": err})
		}
	}
	return done, nil
}

// archivePrefix is how the names of all files begin that a node makes in the directory of its archive. What else is
// there is somebody else's.
const archivePrefix = "forage-"

// place is a file, or a directory, that is erased. The user may have put a symbolic link there: what it leads to is
// erased, and the link stays. With a prefix, only files in it with such names are erased.
type place struct {
	path, prefix string
	users        bool // the directory is the user's, and stays
}

// files appends the files of a place, and adds up how large they are.
func (p place) files(names []string, total *int64) ([]string, error) {
	root, err := filepath.EvalSymlinks(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return names, nil
	} else if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !e.IsDir() && strings.HasPrefix(e.Name(), p.prefix):
			names = append(names, path)
			*total += ledger.SizeOfFile(path)
		}
		return nil
	})
	return names, err
}

// clear removes what is left of a place, but what is somebody else's.
func (p place) clear() error {
	if info, err := os.Lstat(p.path); p.users || err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil
	}
	if entries, err := os.ReadDir(p.path); p.prefix != "" && (err != nil || len(entries) > 0) {
		return nil
	}
	return os.RemoveAll(p.path)
}

func openIfThere(path string) (*storage.DB, error) {
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	db, err := storage.Open(path, storage.Options{})
	if err != nil && !errors.Is(err, storage.ErrLocked) {
		return nil, nil // what is damaged may be erased
	}
	return db, err
}
