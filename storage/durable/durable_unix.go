//go:build !windows

// Package durable makes what was written survive a power loss.
package durable

import (
	"fmt"
	"os"
)

// SyncDir makes names that were given or taken in dir survive a power loss.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	return nil
}
