package warc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// cuttable reports whether what is behind the last capture can go without
// touching another.
func (e extent) cuttable() bool { return e.tail != nil && !e.beyond && !e.foreign }

// Repair mends the faults that a report of Check on dir calls repairable: a
// file is cut behind its last complete capture, and an index that is missing or
// does not agree is made again. Captures stay where they are. What is cut off
// goes to a file named like it with ".cut" at the end; so does an index that
// told of captures which cannot be read, and a file without any capture, with
// its index. Whenever it is interrupted, a second run goes on.
//
// No Archive may be open on dir. Repair returns what it did to each file, also
// on an error, which is one of ctx or dir; what fails for one file is in the
// Err of its Recovery.
func Repair(ctx context.Context, dir string, report CheckReport) ([]Recovery, error) {
	return repair(ctx, durable.Disk{}, dir, report)
}

func repair(ctx context.Context, fs durable.FS, dir string, report CheckReport) ([]Recovery, error) {
	files, err := warcfile.List(dir)
	if err != nil {
		return nil, fmt.Errorf("repair archive: %w", err)
	}
	var done []Recovery
	for _, f := range files {
		if !slices.Contains(report.repairable, f.String()) {
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
	if found.cuttable() {
		if found.end == 0 {
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
func moveAside(fs durable.FS, f warcfile.File, found extent, r *Recovery) (err error) {
	// The index first: without it, the file is still found and moved.
	if r.IndexAside, err = moveFile(fs, f.IndexPath()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if r.Aside, err = moveFile(fs, f.Path()); err != nil {
		return err
	}
	r.Cut = found.length
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
func cutOff(fs durable.FS, f warcfile.File, found extent, r *Recovery) (err error) {
	if r.Aside, err = setAside(fs, f, found, warcfile.CutSuffix); err != nil {
		return err
	}
	warc, err := fs.OpenFile(f.Path(), os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer warc.Close()
	if err := warc.Truncate(found.end); err != nil {
		return err
	}
	r.Cut = found.length - found.end
	return warc.Sync()
}
