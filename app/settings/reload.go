package settings

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"reflect"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/pulse"
)

const (
	// lookEvery is how often it is looked whether the settings file has changed.
	lookEvery = 2 * time.Second
	// restFor is how long a file must be left alone before it is read: not all programs replace
	// it in one step, and half a file is one with other settings.
	restFor = 500 * time.Millisecond
	// mostMissed is how often in a row the file must be missing before it is gone: an editor may be about to
	// put another in its place.
	mostMissed = 4
)

// Reload reads the settings file again. What it says of limits, of what is never visited and of the user's own sites
// holds at once, the rest from the next start on. If it is wrong, the last good settings stay in force, and front ends
// say what is wrong.
func (k *Keeper) Reload() {
	if k.cfg.Read == nil {
		return
	}
	k.reloading.Lock() // what was read last is what holds
	defer k.reloading.Unlock()
	cfg, err := k.cfg.Take(k.cfg.Read)
	if err == nil {
		k.last.Store(&cfg)
		k.cfg.Log.Info("Settings read anew")
	} else {
		k.cfg.Log.Warn("The settings file is wrong; the last good settings stay in force", "error", err)
	}
	k.cfg.Limits.Set(cfg, err)
}

// keyGone is of the error of a settings file that was there and is not any more.
const keyGone = "said.settings.was-removed-until-the-node-ends"

// lose has front ends say that the settings file is gone.
func (k *Keeper) lose() {
	k.reloading.Lock()
	defer k.reloading.Unlock()
	k.cfg.Log.Warn("The settings file is gone; the last good settings stay in force", "file", k.cfg.Paths.Config)
	k.cfg.Limits.Set(config.Config{}, words.New(keyGone, words.Args{"path": k.cfg.Paths.Config}))
}

// gone returns the error of a settings file that is gone, nil if it is there or never was.
func (k *Keeper) gone() error {
	var m *words.Message
	if _, fault := k.cfg.Limits.Decision(); errors.As(fault, &m) && m.Key == keyGone {
		return fault
	}
	return nil
}

// Serve reads the settings file again when it has been saved, until ctx is done.
func (k *Keeper) Serve(ctx context.Context) error {
	if k.cfg.Read == nil {
		return nil
	}
	last, _ := os.Stat(k.cfg.Paths.Config)
	if cfg, err := k.cfg.Read(); err != nil || !reflect.DeepEqual(cfg, k.cfg.Started) {
		k.Reload() // it was saved while the node started
	}
	missing := 0 // how often in a row it was not there
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pulse.Until(lookEvery)):
		}
		now, err := os.Stat(k.cfg.Paths.Config)
		if errors.Is(err, fs.ErrNotExist) && last != nil {
			if missing++; missing == mostMissed {
				k.lose()
			}
		}
		if err != nil {
			continue
		}
		if missing >= mostMissed {
			last = nil // it is back, maybe as it was
		}
		missing = 0
		if age := time.Since(now.ModTime()); age >= 0 && age < restFor {
			continue
		}
		if last == nil || !os.SameFile(last, now) || !now.ModTime().Equal(last.ModTime()) || now.Size() != last.Size() {
			last = now
			k.Reload()
		}
	}
}
