package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/p2p/pulse"
)

// filesEvery is how often it is made sure that the node's files are still there.
const filesEvery = 2 * time.Second

// watch ends with an error if the node's files were taken away, and with nil when ctx is done.
func (n *Node) watch(ctx context.Context) error {
	for {
		if err := n.missFiles(); err != nil {
			return err
		}
		select {
		case <-time.After(pulse.Until(filesEvery)):
		case <-ctx.Done():
			return nil
		}
	}
}

// roomFor returns what is free for what a node fetches, and the size of the disk of its archive, in bytes. Archive and search
// index may be on two disks, by links or by the setting archive.dir: the one with less room counts. The store takes little, and
// tells by itself when its disk is full.
func roomFor(paths config.Paths) (free, total int64, err error) {
	for _, dir := range []string{paths.WARC(), paths.Index(), paths.Data} {
		f, t, err := diskSpace(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist): // not made yet
		case err != nil:
			return 0, 0, fmt.Errorf("measure disk of %s: %w", dir, err)
		case total == 0:
			free, total = f, t
		default:
			free = min(free, f)
		}
	}
	if total == 0 {
		return 0, 0, fmt.Errorf("measure disk of %s: %w", paths.Data, fs.ErrNotExist)
	}
	return free, total, nil
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
