package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/assets/words"
)

// Disk is what a disk has left for the archive.
type Disk struct {
	// Free and Total are of the disk, in bytes; Archive is what is stored.
	Free, Total, Archive int64
	// Full says why nothing more may be stored, "" if there is room.
	Full string
}

// LookAtDisk measures the room for a node's files against its limits.
func LookAtDisk(paths config.Paths, rules limits.Disk) (d Disk, err error) {
	if d.Free, d.Total, err = RoomFor(paths); err != nil {
		return d, err
	}
	if _, d.Archive, err = ArchiveSize(paths.WARC()); err != nil {
		return d, words.New("said.doctor.measure-archive", words.Args{"error": err})
	}
	space := limits.DiskSpace{Used: d.Archive, Free: d.Free, Total: d.Total}
	allowed, rule := rules.Allowed(space)
	if d.Archive >= allowed {
		r := limits.Reason{Kind: rule, Value: d.Archive, Limit: allowed}
		if rule == limits.DiskNearlyFull {
			r.Value, r.Limit = d.Free, rules.KeepFree
		}
		d.Full = tell.Reason(r, words.English, time.Now())
	}
	return d, nil
}

// RoomFor returns what is free for what a node fetches, and the size of the disk of its archive, in bytes. Archive
// and search index may be on two disks, by links or by the setting archive.dir: the one with less room counts. The
// store takes little, and tells by itself when its disk is full.
func RoomFor(paths config.Paths) (free, total int64, err error) {
	for _, dir := range []string{paths.WARC(), paths.Index(), paths.Data} {
		space, err := sense.DiskSpace(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist): // not made yet
		case err != nil:
			return 0, 0, words.New("said.doctor.measure-disk-of", words.Args{"path": dir, "error": err})
		case total == 0:
			free, total = space.Free, space.Total
		default:
			free = min(free, space.Free)
		}
	}
	if total == 0 {
		return 0, 0, words.New("said.doctor.measure-disk-of", words.Args{"path": paths.Data, "error": fs.ErrNotExist})
	}
	return free, total, nil
}

// ArchiveSize counts the files of an archive directory.
func ArchiveSize(dir string) (files, bytes int64, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return 0, 0, nil
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			if ext := filepath.Ext(e.Name()); ext == ".gz" || ext == ".open" {
				files++
			}
			bytes += info.Size()
		}
	}
	return files, bytes, err
}

// FormatBytes writes a number of bytes for people, in decimal units.
func FormatBytes(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	value, unit := float64(n), 0
	for value >= 999.5 && unit < len(units)-1 {
		value /= 1000
		unit++
	}
	if unit == 0 || value >= 99.95 {
		return fmt.Sprintf("%.0f %s", value, units[unit])
	}
	return fmt.Sprintf("%.1f %s", value, units[unit])
}

// SizeOfFile returns how large a file is, 0 if that cannot be said.
func SizeOfFile(name string) int64 {
	info, err := os.Lstat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}
