package app

import (
	"context"
	"fmt"
	"time"
)

// diskEvery is how often the disk is looked at. At 4 Mbit/s a node writes one
// megabyte in that time.
const diskEvery = 2 * time.Second

// diskRules bound what the archive may take; the one that is met first wins.
type diskRules struct {
	max        int64 // bytes of archive; -1 for no rule
	keepFree   int64 // bytes free on the disk
	maxPercent int   // of the disk's size
}

// minFree is kept free whatever the rules say: a store needs room to commit.
const minFree = 64 << 20

// full returns why nothing more may be written, or "". Once full, some room
// must come back before work goes on, so that it does not flap.
func (r diskRules) full(archive, free, total int64, was bool) string {
	var slack int64
	if was {
		slack = 16 << 20
	}
	switch {
	case free < max(r.keepFree, minFree)+slack:
		return fmt.Sprintf("disk nearly full: %s free, %s are kept free", FormatBytes(free), FormatBytes(max(r.keepFree, minFree)))
	case r.max >= 0 && archive+slack >= r.max:
		return fmt.Sprintf("the archive has reached its limit of %s (disk.max)", FormatBytes(r.max))
	case r.maxPercent > 0 && total > 0 && archive+slack >= total/100*int64(r.maxPercent):
		return fmt.Sprintf("the archive has reached %d %% of the disk (disk.max_percent)", r.maxPercent)
	}
	return ""
}

// watch looks at the disk and the clock until ctx is done and tells the governor.
// It ends with an error if the node's files were taken away.
func (n *Node) watch(ctx context.Context) error {
	ticker := time.NewTicker(diskEvery)
	defer ticker.Stop()
	for {
		n.lookAtDisk()
		n.governor.look()
		if err := n.missFiles(); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (n *Node) lookAtDisk() {
	free, total, err := diskSpace(n.opts.Paths.Data)
	if err != nil {
		n.log.Warn("Free disk space unknown", "error", err)
		return
	}
	n.diskFree.Store(free)
	n.governor.setDisk(n.disk.full(n.archive.Size(), free, total, n.governor.diskFull()))
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
