package warc

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Recovery is what Open or Repair has done to a file.
type Recovery struct {
	// File is the name as in Position.
	File string
	// Cut is how many bytes were cut off because no complete capture could be
	// read from there on.
	Cut int64
	// Aside is where the bytes that were cut off were copied to. Open does so
	// if the damage was followed by captures that are whole, so that usually it
	// is ""; Repair always does.
	Aside string
	// IndexLines is how many captures had no line in the index, or a wrong one.
	IndexLines int
	// IndexAside is where Repair has moved an index that told of captures that
	// cannot be read; "" if it did not.
	IndexAside string
	// Err says why the file could not be recovered. Its captures are as they
	// were, and Scan still reads what is complete in it.
	Err error
}

// recoverAll recovers the unfinished files. The newest is written to again if
// there is room in it; the others are finished.
func (a *Archive) recoverAll(files []warcfile.File) {
	for i, f := range files {
		if !f.Unfinished {
			continue
		}
		r := Recovery{File: f.String()}
		s, err := recoverFile(a.config.fs, f, &r)
		if a.current = s; s != nil && (i < len(files)-1 || s.size >= a.config.MaxSize) {
			err = a.finish()
		}
		if err != nil {
			r.Err = fmt.Errorf("recover %s: %w", f.Path(), err)
		}
		a.recovered = append(a.recovered, r)
	}
}

// recoverFile cuts a file behind its last complete capture and makes its index
// agree. It returns nil if the file held no capture and was removed. Every
// record is read: after a power loss the part that was not synced may have
// holes anywhere.
func recoverFile(fs durable.FS, f warcfile.File, r *Recovery) (*segment, error) {
	fix := indexRepair{fs: fs, file: f}
	found, err := fix.collate(context.Background(), false)
	if err == nil {
		err = cutBack(fs, f, found, r)
	}
	if err != nil || found.end == 0 {
		fix.discard()
		if err == nil {
			err = errors.Join(fs.Remove(f.Path()), durable.RemoveIfThere(fs, f.IndexPath()))
		}
		return nil, err
	}
	r.IndexLines = fix.missing
	if err := fix.finish(); err != nil {
		return nil, err
	}
	return openSegment(fs, f)
}

// cutBack cuts a file behind its last complete capture. It is synced when it is
// finished.
func cutBack(fs durable.FS, f warcfile.File, found extent, r *Recovery) error {
	r.Cut = found.length - found.end
	if r.Cut == 0 {
		return nil
	}
	warc, err := fs.OpenFile(f.Path(), os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer warc.Close()
	if found.beyond {
		if r.Aside, err = setAside(fs, f, found, warcfile.DamagedSuffix); err != nil {
			return err
		}
	}
	return warc.Truncate(found.end)
}

// setAside copies what is behind the last complete capture to a file of its
// own.
func setAside(fs durable.FS, f warcfile.File, found extent, suffix string) (string, error) {
	src, err := os.Open(f.Path())
	if err != nil {
		return "", err
	}
	defer src.Close()
	return copyAside(fs, src, found.end, found.length, f.Finished()+suffix)
}
