package start

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/ui/cli/env"
)

// runFlags are those of "forage run".
type runFlags struct {
	accept, lab, noLimits, noTray bool
	mdns, verbose                 bool
	labLimits, labNotices, await  bool
	anyPort                       bool
	network                       string
	seeds, scope                  []string
	listen, bootstrap             []string
	depth, fetchers               int
	api, hosts, labTimes          string
	gap                           time.Duration
	exitWhenIdle                  time.Duration
	labRotate                     int64
	labFooting, logFile           string
}

var footings = []string{"duty", "standby", "silent"}

// check refuses flags that are out of range or out of place.
func (f *runFlags) check(given *pflag.FlagSet) error {
	var outOfPlace string
	given.Visit(func(fl *pflag.Flag) {
		if !f.lab && strings.HasPrefix(fl.Usage, "lab:") {
			outOfPlace = fl.Name
		}
	})
	if outOfPlace != "" {
		return env.Usage("said.cli.is-for-closed-test-networks", words.Args{"flag": outOfPlace})
	}
	if err := membership.CheckDoors(config.Config{Net: config.Net{Bootstrap: f.bootstrap},
		Peer: config.Peer{Listen: f.listen}}); err != nil {
		return env.WithCode(err, env.ExitUsage)
	}
	switch {
	case given.Changed("depth") && (f.depth < 0 || f.depth > crawl.MaxDepth):
		return env.OutOfRange("depth", f.depth, 0, crawl.MaxDepth)
	case given.Changed("gap") && (f.gap < 0 || f.gap > time.Hour):
		return env.Usage("said.cli.out-of-range",
			words.Args{"flag": "gap", "value": f.gap, "least": "0s", "most": "1h"})
	case given.Changed("fetchers") && (f.fetchers < 1 || f.fetchers > 1000):
		return env.OutOfRange("fetchers", f.fetchers, 1, 1000)
	case given.Changed("exit-when-idle") && f.exitWhenIdle <= 0:
		return env.Usage("said.cli.out-of-range-more",
			words.Args{"flag": "exit-when-idle", "value": f.exitWhenIdle, "least": "0s"})
	case f.labRotate < 0:
		return env.Usage("said.cli.lab-rotate", words.Args{"count": strconv.FormatInt(f.labRotate, 10)})
	case f.network != "" && config.Check("net.name", f.network) != nil:
		return env.Usage("said.cli.network-is-no-name", words.Args{"name": strconv.Quote(f.network)})
	case f.labTimes != "lab" && f.labTimes != "real":
		return env.Usage("said.cli.lab-times", words.Args{"word": strconv.Quote(f.labTimes)})
	case !slices.Contains(footings, f.labFooting):
		return env.Usage("said.cli.lab-footing",
			words.Args{"names": strings.Join(footings, ", "), "word": strconv.Quote(f.labFooting)})
	}
	return nil
}

// apply puts flags in the place of what the configuration says.
func (f *runFlags) apply(cfg *config.Config, given *pflag.FlagSet) {
	if len(f.seeds) > 0 {
		cfg.Crawl.Seeds = f.seeds
	}
	if len(f.scope) > 0 {
		cfg.Crawl.Scope = f.scope
	}
	if given.Changed("depth") {
		cfg.Crawl.Depth = uint8(f.depth)
	}
	if f.api != "" {
		cfg.Web.Addr = f.api
	}
	if f.network != "" {
		cfg.Net.Name = f.network
	}
	if len(f.listen) > 0 {
		cfg.Peer.Listen = f.listen
	}
	if len(f.bootstrap) > 0 {
		cfg.Net.Bootstrap = f.bootstrap
	}
	if given.Changed("fetchers") {
		cfg.Limits.Budget.Full.Fetchers = f.fetchers
		cfg.Limits.Budget.Full.Sockets = max(cfg.Limits.Budget.Full.Sockets, 2*f.fetchers)
	}
}

func (f *runFlags) makeLab(given *pflag.FlagSet) (*app.Lab, error) {
	lab := &app.Lab{AwaitConsent: f.await, NoLimits: f.noLimits, Limits: f.labLimits, Notices: f.labNotices,
		MDNS: f.mdns, RealTimes: f.labTimes == "real", RotateAt: f.labRotate}
	if given.Changed("gap") {
		lab.Gap = &f.gap
	}
	if f.hosts == "" {
		lab.Hosts = new(fetch.Hosts)
		return lab, nil
	}
	file, err := os.Open(f.hosts)
	if err != nil {
		return nil, words.New("said.cli.read-hosts", words.Args{"error": err})
	}
	defer file.Close()
	if lab.Hosts, err = fetch.ParseHosts(file); err != nil {
		return nil, fmt.Errorf("%s: %w", f.hosts, err)
	}
	return lab, nil
}
