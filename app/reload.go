package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/p2p/pulse"
)

const (
	// settingsEvery is how often it is looked whether the settings file has changed.
	settingsEvery = 2 * time.Second
	// settingsRest is how long a file must be left alone before it is read: not all programs replace
	// it in one step, and half a file is one with other settings.
	settingsRest = 500 * time.Millisecond
	// settingsMissed is how often in a row the file must be missing before it is gone: an editor may be about to
	// put another in its place.
	settingsMissed = 4
)

// Reload reads the settings file anew. What it says of limits, of what is never visited and of the user's own sites holds at once, the
// rest from the next start on. If it is wrong, the last good settings stay in force, and front ends say what is wrong.
func (n *Node) Reload() {
	if n.opts.Reload == nil {
		return
	}
	n.reloading.Lock() // what was read last is what holds
	defer n.reloading.Unlock()
	cfg, err := n.Refuser.Take(n.opts.Reload)
	if err == nil {
		n.lastGood.Store(&cfg)
		n.listMine(cfg)
	}
	if err != nil {
		n.log.Warn("The settings file is wrong; the last good settings stay in force", "error", err)
	} else {
		n.log.Info("Settings read anew")
	}
	n.Arbiter.Set(cfg, err)
}

// errSettingsGone means that there was a settings file and is none any more.
var errSettingsGone = errors.New("was removed; until the node ends it goes by what it read last, then by the defaults")

// loseSettings has front ends say that the settings file is gone.
func (n *Node) loseSettings() {
	n.reloading.Lock()
	defer n.reloading.Unlock()
	n.log.Warn("The settings file is gone; the last good settings stay in force", "file", n.opts.Paths.Config)
	n.Arbiter.Set(config.Config{}, fmt.Errorf("%s %w", n.opts.Paths.Config, errSettingsGone))
}

// settingsGone returns the error of a settings file that is gone, nil if it is there or never was.
func (n *Node) settingsGone() error {
	if _, fault := n.Decision(); errors.Is(fault, errSettingsGone) {
		return fault
	}
	return nil
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
	missing := 0 // how often in a row it was not there
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pulse.Until(settingsEvery)):
		}
		now, err := os.Stat(n.opts.Paths.Config)
		if errors.Is(err, fs.ErrNotExist) && last != nil {
			if missing++; missing == settingsMissed {
				n.loseSettings()
			}
		}
		if err != nil {
			continue
		}
		if missing >= settingsMissed {
			last = nil // it is back, maybe as it was
		}
		missing = 0
		if age := time.Since(now.ModTime()); age >= 0 && age < settingsRest {
			continue
		}
		if last == nil || !os.SameFile(last, now) || !now.ModTime().Equal(last.ModTime()) || now.Size() != last.Size() {
			last = now
			n.Reload()
		}
	}
}
