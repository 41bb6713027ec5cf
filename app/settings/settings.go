package settings

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/settings/schema"
	"github.com/forage-net/forage/assets/words"
)

// Config is what a Keeper goes by.
type Config struct {
	Paths   config.Paths
	Started config.Config // with which the node started
	// Read, if set, reads the settings again; Take has it read, and puts what is never visited in force.
	Read func() (config.Config, error)
	Take func(read func() (config.Config, error)) (config.Config, error)
	// Limits go by what is read, too.
	Limits *limiter.Arbiter
	// Startup may be nil: nobody can have the system start this node then.
	Startup Startup
	Log     *slog.Logger
}

// Keeper knows the settings that are in force, and changes the file.
type Keeper struct {
	cfg       Config
	reloading sync.Mutex                    // one reading of the file after the other
	last      atomic.Pointer[config.Config] // the settings that were read last and are right; nil at first
	tray      atomic.Int32                  // see SetTray
}

// New returns what keeps the settings of a node that starts.
func New(cfg Config) *Keeper { return &Keeper{cfg: cfg} }

// Now returns the settings that were read last and are right.
func (k *Keeper) Now() *config.Config {
	if last := k.last.Load(); last != nil {
		return last
	}
	return &k.cfg.Started
}

// Settings implements api.Settler. It shows what is in the file; if that is wrong, what was read last.
func (k *Keeper) Settings(_ context.Context, lang string) (api.Settings, error) {
	cfg, err := config.Read(k.cfg.Paths.Config)
	if err == nil {
		err = k.gone()
	}
	fault := ""
	if err != nil {
		cfg = *k.Now()
		fault = words.Text(lang, "settings.fault", words.Args{"error": err})
	}
	s := schema.Of(cfg, lang)
	s.Startup, s.File, s.Fault = k.Startup(), k.cfg.Paths.Config, fault
	pending := k.pending()
	for i := range s.Settings {
		s.Settings[i].Pending = slices.Contains(pending, s.Settings[i].Key)
	}
	return s, nil
}

// pending returns the keys that were changed since the node started and hold from the next start on.
func (k *Keeper) pending() (keys []string) {
	is := k.Now().Items()
	for i, was := range k.cfg.Started.Items() {
		if was.Text != is[i].Text && !was.Now {
			keys = append(keys, was.Name)
		}
	}
	return keys
}
