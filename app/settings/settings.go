package settings

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limiter"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// settingGroups say what settings belong together, by how their names begin. The longest that fits counts, and what
// none fits belongs to groupOther.
var settingGroups = map[string]string{
	"idle": "when", "level": "when", "schedule": "when", "footing": "when",
	"budget.full": "full", "budget.gentle": "gentle",
	"data": "data", "disk": "room", "archive": "room", "ram": "room",
	"pause": "pause", "heat": "pause", "sleep": "pause",
	"crawl": "crawl", "urls": "crawl", "index": "index",
	"sites": "never", "sites.mine": "crawl", "tld": "never", "topics": "never", "safety": "never",
	"role": "network", "net": "network", "peer": "network", "dht": "network",
	"web": "computer", "log": "computer", "notify": "computer", "update": "computer",
	"consent": "consent",
}

const groupOther = "rest"

// groupOf returns what a setting belongs to.
func groupOf(key string) string {
	for {
		if group, ok := settingGroups[key]; ok {
			return group
		}
		dot := strings.LastIndexByte(key, '.')
		if dot < 0 {
			return groupOther
		}
		key = key[:dot]
	}
}

// simpleSettings are those that somebody new wants, in no order.
var simpleSettings = map[string]bool{
	"idle.after": true, "level.in_use": true, "schedule.work": true,
	"budget.full.cpu_percent": true, "budget.full.down_kbit": true, "budget.full.up_kbit": true,
	"data.day": true, "data.month": true, "disk.max": true, "index.on": true, "index.disk": true,
	"pause.battery": true, "pause.metered": true, "pause.fullscreen": true, "pause.apps": true, "heat.fan_quiet": true,
}

// isReadOnly reports whether a setting is changed elsewhere: consent is given by reading.
func isReadOnly(key string) bool { return strings.HasPrefix(key, "consent.") }

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
	s := api.Settings{File: k.cfg.Paths.Config}
	if err == nil {
		err = k.gone()
	}
	if err != nil {
		cfg = *k.Now()
		s.Fault = words.Text(lang, "settings.fault", words.Args{"error": err})
	}
	pending := k.pending()
	for _, item := range cfg.Items() {
		one := describeSetting(item, lang)
		one.Pending = slices.Contains(pending, item.Name)
		s.Settings = append(s.Settings, one)
	}
	showWeeks(s.Settings, cfg)
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

// describeSetting puts a setting into words.
func describeSetting(item config.Item, lang string) api.Setting {
	say := func(part string) string { return words.Text(lang, "settings."+item.Name+"."+part, nil) }
	group := groupOf(item.Name)
	s := api.Setting{
		Key: item.Name, Group: group, GroupName: words.Text(lang, "settings.group."+group, nil), Name: say("name"),
		Type:  item.Type,
		Value: item.Value, Default: item.Default, Text: item.Text, DefaultText: item.DefaultText,
		Unit: item.Unit, Range: say("range"), Meaning: say("meaning"), Why: say("why"),
		Choices: slices.Clone(item.Choices),
		Bounds:  api.Bounds{NoLimit: item.None}, Simple: simpleSettings[item.Name], Set: item.Text != item.DefaultText,
		ReadOnly: item.Fixed || isReadOnly(item.Name),
		Applies:  api.AppliesRestart,
	}
	if item.Now {
		s.Applies = api.AppliesNow
	}
	if item.Unit != "" {
		s.UnitName = words.Text(lang, unitKey(item.Unit), nil)
	}
	for _, choice := range item.Choices {
		s.ChoiceNames = append(s.ChoiceNames, words.Text(lang, "settings.choice."+choice, nil))
	}
	if item.Lo != item.Hi {
		s.Min, s.Max = &item.Lo, &item.Hi
	}
	return s
}

// unitKey returns the key of the words for a unit.
func unitKey(unit string) string {
	switch unit {
	case "%":
		unit = "percent"
	case "kbit/s":
		unit = "kbit"
	case "°C":
		unit = "celsius"
	}
	return "settings.unit." + unit
}

// showWeeks adds what a page paints.
func showWeeks(list []api.Setting, cfg config.Config) {
	for i := range list {
		switch list[i].Key {
		case "schedule.work":
			list[i].Grid, list[i].Levels = weekOf(cfg.Limits.Schedule.Work)
		case "schedule.net":
			week := cfg.Limits.Schedule.Net
			if cfg.Limits.Schedule.NetIsWork {
				week = cfg.Limits.Schedule.Work
			}
			list[i].Grid, list[i].Levels = weekOf(week)
		}
	}
}

const (
	weekDays = 7
	dayCells = limits.Cells / weekDays
)

// weekOf returns a week as days of quarters of an hour.
func weekOf(g limits.Grid) (grid [][]bool, levels [][]int) {
	for day := range weekDays {
		work, level := make([]bool, dayCells), make([]int, dayCells)
		for i, l := range g[day*dayCells : (day+1)*dayCells] {
			work[i], level[i] = l > limits.Off, int(l)
		}
		grid, levels = append(grid, work), append(levels, level)
	}
	return grid, levels
}
