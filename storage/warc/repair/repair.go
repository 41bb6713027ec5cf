// Package repair brings files of an archive back to what is whole in them: torn ends are cut off, and indexes made
// again. Captures stay where they are, and what is not understood is set aside, not thrown away. Whenever it is
// interrupted, a second run goes on.
package repair

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/collate"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Archive mends the files of an archive that a check of it calls repairable: a
// file is cut behind its last complete capture, and an index that is missing or
// does not agree is made again. Captures stay where they are. What is cut off
// goes to a file named like it with ".cut" at the end; so does an index that
// told of captures which cannot be read, and a file without any capture, with
// its index. Whenever it is interrupted, a second run goes on.
//
// No archive may be open on dir. Archive returns what it did to each file, also
// on an error, which is one of ctx or dir; what fails for one file is in the
// Err of its Recovery.
func Archive(ctx context.Context, fs durable.FS, dir string, names []string) ([]Recovery, error) {
	files, err := warcfile.List(dir)
	if err != nil {
		return nil, words.New("said.doctor.repair-archive", words.Args{"error": err})
	}
	var done []Recovery
	for _, f := range files {
		if !slices.Contains(names, f.String()) {
			continue
		}
		r := Recovery{File: f.String()}
		if err := repairFile(ctx, fs, f, &r); err != nil {
			if ctx.Err() != nil {
				return done, fmt.Errorf("repair %s: %w", f.Path(), err)
			}
			r.Err = fmt.Errorf("repair %s: %w", f.Path(), err)
		}
		done = append(done, r)
	}
	return done, nil
}

func repairFile(ctx context.Context, fs durable.FS, f warcfile.File, r *Recovery) error {
	fix := indexRepair{fs: fs, file: f}
	defer fix.discard()
	found, err := fix.collate(ctx, true)
	if err != nil {
		return err
	}
	if found.Cuttable() {
		if found.End == 0 {
			return moveAside(fs, f, found, r)
		}
		if err := cutOff(fs, f, found, r); err != nil {
			return err
		}
	}
	r.IndexLines = fix.missing
	if !fix.changed() {
		return nil
	}
	if fix.lost {
		if r.IndexAside, err = moveFile(fs, f.IndexPath()); err != nil {
			return err
		}
	}
	return fix.finish()
}

// moveAside moves a file without captures, and its index, out of the archive.
func moveAside(fs durable.FS, f warcfile.File, found collate.Extent, r *Recovery) (err error) {
	// The index first: without it, the file is still found and moved.
	if r.IndexAside, err = moveFile(fs, f.IndexPath()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if r.Aside, err = moveFile(fs, f.Path()); err != nil {
		return err
	}
	r.Cut = found.Length
	return fs.SyncDir(f.Dir)
}

// moveFile puts the suffix to the name of a file.
func moveFile(fs durable.FS, path string) (string, error) {
	to, err := freeName(path + warcfile.CutSuffix)
	if err != nil {
		return "", err
	}
	if err := fs.Rename(path, to); err != nil {
		return "", err
	}
	return to, nil
}

// cutOff cuts a file behind its last complete capture when the bytes from there
// on are safe elsewhere.
func cutOff(fs durable.FS, f warcfile.File, found collate.Extent, r *Recovery) (err error) {
	if r.Aside, err = setAside(fs, f, found, warcfile.CutSuffix); err != nil {
		return err
	}
	warc, err := fs.OpenFile(f.Path(), os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer warc.Close()
	if err := warc.Truncate(found.End); err != nil {
		return err
	}
	r.Cut = found.Length - found.End
	return warc.Sync()
}
