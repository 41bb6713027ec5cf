package schema

import (
	"slices"
	"strings"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
)

// groups are in the order in which front ends show them. A setting belongs to the group that has the longest beginning
// of its name, and to groupOther if none has one.
var groups = []struct {
	name   string
	begins []string
}{
	{"when", []string{"idle", "level", "schedule", "footing"}},
	{"full", []string{"budget.full"}},
	{"gentle", []string{"budget.gentle"}},
	{"data", []string{"data"}},
	{"room", []string{"disk", "archive", "ram"}},
	{"pause", []string{"pause", "heat", "sleep"}},
	{"never", []string{"sites", "tld", "topics", "safety"}},
	{"crawl", []string{"crawl", "urls", "sites.mine"}},
	{"index", []string{"index"}},
	{"network", []string{"role", "net", "peer", "dht"}},
	{"computer", []string{"web", "log", "notify", "update"}},
	{"consent", []string{"consent"}},
	{groupOther, nil},
}

const groupOther = "rest"

// groupOf returns the index of the group of a setting.
func groupOf(key string) int {
	for {
		for i, g := range groups {
			if slices.Contains(g.begins, key) {
				return i
			}
		}
		dot := strings.LastIndexByte(key, '.')
		if dot < 0 {
			return len(groups) - 1
		}
		key = key[:dot]
	}
}

// cards are what most people want, in the order of the page. A * stands for the larger of the levels of work that are
// used at all.
var cards = []struct {
	name string
	keys []string
}{
	{"when", []string{"idle.after", "level.in_use", "schedule.work", "schedule.net"}},
	{"much", []string{"budget.*.cpu_percent", "budget.*.down_kbit", "budget.*.up_kbit", "data.day", "data.month",
		"disk.max"}},
	{"pause", []string{"pause.battery", "pause.metered", "pause.fullscreen", "heat.fan_quiet", "pause.apps",
		"pause.other_cpu"}},
	{"more", []string{"topics.never", "index.on", "index.disk"}},
}

// promiseLess are settings whose names promise more than they do: what they mean stands below them.
var promiseLess = map[string]bool{"topics.never": true}

// levelShown is what * stands for.
func levelShown(c config.Config) string {
	if c.Limits.Level.InUse == limits.Full || c.Limits.Level.Away == limits.Full {
		return "full"
	}
	return "gentle"
}
