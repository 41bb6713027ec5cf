package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/storage/progress"
)

// eraseMarker is the file in the state directory that says: what this node
// fetched and found is to be erased. It is written before anything is, and
// removed when everything is, so that whatever ends the process in between the
// next start goes on with it.
const eraseMarker = "erase"

func eraseMarkerPath(paths config.Paths) string { return filepath.Join(paths.State, eraseMarker) }

// Erase implements api.Eraser: the node begins to end, and Close erases.
func (n *Node) Erase(ctx context.Context) error {
	if err := markErase(n.opts.Paths); err != nil {
		return fmt.Errorf("erase: %w", err)
	}
	n.erasing.Store(true)
	n.log.Info("Everything that was fetched and found will be erased; the node ends")
	return n.Stop(ctx)
}

func markErase(paths config.Paths) error {
	f, err := os.OpenFile(eraseMarkerPath(paths), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Erased reports whether Close has erased what was fetched and found.
func (n *Node) Erased() bool { return n.erased }

// eraseIfAsked erases, once store and archive are closed, if the user asked for it.
func (n *Node) eraseIfAsked() error {
	if !n.erasing.Load() {
		return nil
	}
	if err := Erase(n.opts.Paths); err != nil {
		return fmt.Errorf("%w; the next start goes on with it", err)
	}
	n.erased = true
	n.log.Info("Erased", "settings_kept_in", n.opts.Paths.Config)
	return nil
}

// finishErase goes on with what an earlier process was asked to erase and could
// not.
func (n *Node) finishErase() error {
	if _, err := os.Stat(eraseMarkerPath(n.opts.Paths)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := Erase(n.opts.Paths); err != nil {
		return err
	}
	n.log.Info("What an earlier run was told to erase is erased now")
	return n.opts.Paths.Create()
}

// Erased is what an erasure has deleted.
type Erased struct {
	Files int
	Bytes int64
}

// Erase deletes the archive and the store of a node, which must not be
// running; settings stay.
func Erase(paths config.Paths) error {
	_, err := EraseContext(context.Background(), paths)
	return err
}

// EraseContext is Erase, and tells its progress. If ctx ends meanwhile, what is left is there as it was; the
// store goes first, so that no page is taken for known that is no longer there.
func EraseContext(ctx context.Context, paths config.Paths) (done Erased, err error) {
	db, err := openIfThere(StorePath(paths.State))
	if err != nil {
		return done, err // a running node holds it
	}
	if db != nil {
		db.Close()
	}
	places := []erasePlace{
		{path: StorePath(paths.State)}, {path: RequestsDir(paths.State)}, {path: ClaimsPath(paths.State)}, {path: paths.WARC(), prefix: archivePrefix, users: paths.Archive != ""},
		{path: paths.Index()}, {path: exportScratch(paths)}, {path: eraseMarkerPath(paths)}, // the marker goes last
	}
	var names []string
	var total int64
	for _, p := range places[:len(places)-1] {
		if names, err = p.files(names, &total); err != nil {
			return done, fmt.Errorf("erase: %w", err)
		}
	}
	meter := progress.Begin(ctx, "deleting", total, progress.Bytes)
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return done, fmt.Errorf("erase: %w", err)
		}
		size := sizeOfFile(name)
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return done, fmt.Errorf("erase: %w", err)
		}
		done.Files++
		done.Bytes += size
		meter.Add(size)
	}
	for _, p := range places { // and what came meanwhile
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
			*total += sizeOfFile(path)
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

// sizeOfFile returns how large a file is, 0 if that cannot be said.
func sizeOfFile(name string) int64 {
	info, err := os.Lstat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}
