package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/export"
	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/progress"
)

// eraseMarker is the file in the state directory that says what is to be erased: an api.Erasure, or nothing for everything. It is written
// before anything is erased, and removed when everything is, so that whatever ends the process in between the next start goes on with it.
const eraseMarker = "erase"

// maxMarker bounds the marker in bytes.
const maxMarker = 1 << 20

func eraseMarkerPath(paths config.Paths) string { return filepath.Join(paths.State, eraseMarker) }

// Erase implements api.Eraser: the node begins to end, and Close erases.
func (n *Node) Erase(ctx context.Context, what api.Erasure) error {
	if err := MarkErase(n.opts.Paths, what); err != nil {
		return err
	}
	n.erasing.Store(true)
	n.again.Store(what.IsPart())
	n.log.Info("What was fetched and found will be erased; the node ends", "sites", len(what.Sites), "addresses", len(what.URLs), "all", !what.IsPart())
	return n.Stop(ctx)
}

// MarkErase writes down what is to be erased, beside what was to be already. What cannot be understood is an *api.InputError.
func MarkErase(paths config.Paths, what api.Erasure) error {
	if _, err := partOf(what); err != nil {
		return &api.InputError{Err: err}
	}
	was, found, err := MarkedErase(paths)
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
		err = durable.Write(eraseMarkerPath(paths), text)
	}
	if err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	return nil
}

// MarkedErase returns what is still to be erased, and whether anything is.
func MarkedErase(paths config.Paths) (what api.Erasure, found bool, err error) {
	f, err := os.Open(eraseMarkerPath(paths))
	if errors.Is(err, os.ErrNotExist) {
		return what, false, nil
	}
	if err != nil {
		return what, false, fmt.Errorf("erase: %w", err)
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

// Erased reports whether Close has erased everything that was fetched and found.
func (n *Node) Erased() bool { return n.erased }

// Again reports whether the node ended only to erase sites, so that it is to be started again.
func (n *Node) Again() bool { return n.again.Load() }

// eraseIfAsked erases, once store and archive are closed, if the user asked for it.
func (n *Node) eraseIfAsked() error {
	if !n.erasing.Load() {
		return nil
	}
	all, err := FinishErase(context.Background(), n.opts.Paths)
	if err != nil {
		return fmt.Errorf("%w; the next start goes on with it", err)
	}
	n.erased = all
	n.log.Info("Erased", "all", all, "settings_kept_in", n.opts.Paths.Config)
	return nil
}

// finishErase goes on with what an earlier process was asked to erase and could not.
func finishErase(o *Options) error {
	if _, found, err := MarkedErase(o.Paths); !found || err != nil {
		return err
	}
	if _, err := FinishErase(context.Background(), o.Paths); err != nil {
		return err
	}
	o.Log.Info("What an earlier run was told to erase is erased now")
	return o.Paths.Create()
}

// FinishErase erases what was marked, of a node that does not run, and reports whether that was everything.
func FinishErase(ctx context.Context, paths config.Paths) (all bool, err error) {
	what, found, err := MarkedErase(paths)
	if err != nil || !found {
		return false, err
	}
	if !what.IsPart() {
		_, err := EraseContext(ctx, paths, what.KeepIdentity)
		return true, err
	}
	part, err := partOf(what)
	if err != nil {
		return false, fmt.Errorf("erase: %w", err)
	}
	if err := part.erase(ctx, paths); err != nil {
		return false, err
	}
	if err := os.Remove(eraseMarkerPath(paths)); err != nil {
		return false, fmt.Errorf("erase: %w", err)
	}
	return false, durable.SyncDir(paths.State)
}

// Erased is what an erasure has deleted.
type Erased struct {
	Files int
	Bytes int64
}

// EraseContext deletes the archive and the store of a node, which must not be running, and its identity unless that is to be kept; settings stay. It
// tells its progress. If ctx ends meanwhile, what is left is there as it was; the
// store goes first, so that no page is taken for known that is no longer there.
func EraseContext(ctx context.Context, paths config.Paths, keepIdentity bool) (done Erased, err error) {
	db, err := openIfThere(paths.Store())
	if err != nil {
		return done, err // a running node holds it
	}
	if db != nil {
		db.Close()
	}
	places := []erasePlace{
		{path: paths.Store()}, {path: paths.Store() + ".new"}, {path: RequestsDir(paths.State)}, {path: claims.Path(paths.State)},
		{path: paths.WARC(), prefix: archivePrefix, users: paths.Archive != ""}, {path: paths.Index()}, {path: export.Scratch(paths)},
	}
	if !keepIdentity {
		places = append(places, erasePlace{path: membership.KeyPath(paths.State)})
	}
	var names []string
	var total int64
	for _, p := range places {
		if names, err = p.files(names, &total); err != nil {
			return done, fmt.Errorf("erase: %w", err)
		}
	}
	meter := progress.Begin(ctx, "deleting", total, progress.Bytes)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return done, fmt.Errorf("erase: %w", err)
		}
		size := ledger.SizeOfFile(name)
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return done, fmt.Errorf("erase: %w", err)
		}
		done.Files++
		done.Bytes += size
		meter.Add(size)
	}
	for _, p := range append(places, erasePlace{path: eraseMarkerPath(paths)}) { // and what came meanwhile; the marker goes last
		if err := p.clear(); err != nil {
			return done, fmt.Errorf("erase: %w", err)
		}
	}
	return done, nil
}

// archivePrefix is how the names of all files begin that a node makes in the directory of its archive. What else is there is
// somebody else's.
const archivePrefix = "forage-"

// erasePlace is a file, or a directory, that is erased. The user may have put a symbolic link there: what it leads to is erased, and
// the link stays. With a prefix, only files in it with such names are erased.
type erasePlace struct {
	path, prefix string
	users        bool // the directory is the user's, and stays
}

// files appends the files of a place, and adds up how large they are.
func (p erasePlace) files(names []string, total *int64) ([]string, error) {
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
func (p erasePlace) clear() error {
	if info, err := os.Lstat(p.path); p.users || err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil
	}
	if entries, err := os.ReadDir(p.path); p.prefix != "" && (err != nil || len(entries) > 0) {
		return nil
	}
	return os.RemoveAll(p.path)
}
