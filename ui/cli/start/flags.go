package start

import "time"

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
