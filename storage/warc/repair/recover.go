package repair

import (
	"context"
	"errors"
	"os"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/warc/collate"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// Recovery is what was done to a file.
type Recovery struct {
	// File is the name as in Position.
	File string
	// Cut is how many bytes were cut off because no complete capture could be
	// read from there on.
	Cut int64
	// Aside is where the bytes that were cut off were copied to. Recover does so
	// if the damage was followed by captures that are whole, so that usually it
	// is ""; Archive always does.
	Aside string
	// IndexLines is how many captures had no line in the index, or a wrong one.
	IndexLines int
	// IndexAside is where Archive has moved an index that told of captures that
	// cannot be read; "" if it did not.
	IndexAside string
	// Err says why the file could not be recovered. Its captures are as they
	// were, and a scan still reads what is complete in it.
	Err error
}

// Recover cuts a file that was being written behind its last complete capture
// and makes its index agree. It reports false if the file held no capture and
// was removed. Every record is read: after a power loss the part that was not
// synced may have holes anywhere.
func Recover(fs durable.FS, f warcfile.File, r *Recovery) (kept bool, err error) {
	fix := indexRepair{fs: fs, file: f}
	defer fix.discard()
	found, err := fix.collate(context.Background(), false)
	if err != nil {
		return false, err
	}
	if err := cutBack(fs, f, found, r); err != nil {
		return false, err
	}
	if found.End == 0 {
		fix.discard()
		return false, errors.Join(fs.Remove(f.Path()), durable.RemoveIfThere(fs, f.IndexPath()))
	}
	r.IndexLines = fix.missing
	return true, fix.finish()
}

// cutBack cuts a file behind its last complete capture. It is synced when it is
// finished.
func cutBack(fs durable.FS, f warcfile.File, found collate.Extent, r *Recovery) error {
	r.Cut = found.Length - found.End
	if r.Cut == 0 {
		return nil
	}
	warc, err := fs.OpenFile(f.Path(), os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer warc.Close()
	if found.Beyond {
		if r.Aside, err = setAside(fs, f, found, warcfile.DamagedSuffix); err != nil {
			return err
		}
	}
	return warc.Truncate(found.End)
}

// setAside copies what is behind the last complete capture to a file of its
// own.
func setAside(fs durable.FS, f warcfile.File, found collate.Extent, suffix string) (string, error) {
	src, err := os.Open(f.Path())
	if err != nil {
		return "", err
	}
	defer src.Close()
	return copyAside(fs, src, found.End, found.Length, f.Finished()+suffix)
}
