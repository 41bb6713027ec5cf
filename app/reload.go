package app

import (
	"context"
	"os"
	"time"
)

// settingsEvery is how often it is looked whether the settings file has changed.
const settingsEvery = 2 * time.Second

// Reload reads the settings file anew. What it says of limits holds at once, the rest from the next start
// on. If it is wrong, the last good settings stay in force, and front ends say what is wrong.
func (n *Node) Reload() {
	if n.opts.Reload == nil {
		return
	}
	cfg, err := n.opts.Reload()
	if err != nil {
		n.log.Warn("The settings file is wrong; the last good settings stay in force", "error", err)
	} else {
		n.log.Info("Settings read anew")
	}
	n.arbiter.set(cfg, err)
}

// watchSettings reads the settings file anew when it has been saved.
func (n *Node) watchSettings(ctx context.Context) error {
	if n.opts.Reload == nil {
		return nil
	}
	last, _ := os.Stat(n.opts.Paths.Config)
	ticker := time.NewTicker(settingsEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		now, err := os.Stat(n.opts.Paths.Config)
		if err != nil {
			continue // an editor may be about to put another in its place
		}
		if last == nil || !os.SameFile(last, now) || !now.ModTime().Equal(last.ModTime()) || now.Size() != last.Size() {
			last = now
			n.Reload()
		}
	}
}
