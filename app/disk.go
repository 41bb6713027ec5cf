package app

import (
	"context"
	"fmt"
	"time"

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
