package app

import (
	"context"
	"os"
	"reflect"
	"time"
)

const (
	// settingsEvery is how often it is looked whether the settings file has changed.
	settingsEvery = 2 * time.Second
	// settingsRest is how long a file must be left alone before it is read: not all programs replace
	// it in one step, and half a file is one with other settings.
	settingsRest = 500 * time.Millisecond
)

// Reload reads the settings file anew. What it says of limits, and of what is never visited, holds at once, the
// rest from the next start on. If it is wrong, the last good settings stay in force, and front ends say what is wrong.
func (n *Node) Reload() {
	if n.opts.Reload == nil {
		return
	}
	n.arbiter.reloading.Lock() // what was read last is what holds
	defer n.arbiter.reloading.Unlock()
	cfg, err := n.refusing.take(n.opts.Reload)
	if err == nil {
		n.lastGood.Store(&cfg)
	}
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
	if cfg, err := n.opts.Reload(); err != nil || !reflect.DeepEqual(cfg, n.opts.Config) {
		n.Reload() // it was saved while the node started
	}
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
		if age := time.Since(now.ModTime()); age >= 0 && age < settingsRest {
			continue
		}
		if last == nil || !os.SameFile(last, now) || !now.ModTime().Equal(last.ModTime()) || now.Size() != last.Size() {
			last = now
			n.Reload()
		}
	}
}
