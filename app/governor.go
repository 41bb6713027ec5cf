package app

import (
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
)

// startStopper is what the governor starts and stops: the fetchers.
type startStopper interface {
	Start()
	Stop()
}

// governor decides whether work may go on now, and says why not. It is the
// one place that starts and stops the fetchers.
type governor struct {
	pool    startStopper
	changed func(state api.State, reasons []string)

	mu       sync.Mutex
	paused   bool
	until    time.Time // zero: until resumed
	timer    *time.Timer
	disk     string // why the disk forbids work
	trouble  string // of the store
	archive  string // trouble of the archive
	footing  string // why the footing forbids work
	starting bool
	stopping bool
	working  bool

	archiveWait time.Duration // before writing is tried again
}

// newGovernor returns one that lets no work start before begin.
func newGovernor(pool startStopper, changed func(api.State, []string)) *governor {
	pool.Stop()
	return &governor{pool: pool, changed: changed, starting: true}
}

// begin ends the start: from now on work may go on unless something forbids it.
func (g *governor) begin() { g.update(func() { g.starting = false }) }

// reasons returns why nothing is fetched, most important first.
func (g *governor) reasons() []string {
	var list []string
	if g.stopping {
		list = append(list, "the node is stopping")
	}
	if g.starting {
		list = append(list, "the node is starting")
	}
	if g.paused && g.until.IsZero() {
		list = append(list, "you paused it")
	} else if g.paused {
		list = append(list, "you paused it until "+g.until.Format("15:04:05"))
	}
	if g.disk != "" {
		list = append(list, g.disk)
	}
	for _, why := range []string{g.trouble, g.archive, g.footing} {
		if why != "" {
			list = append(list, why)
		}
	}
	return list
}

// update sets fields and then starts or stops the fetchers.
func (g *governor) update(set func()) {
	g.mu.Lock()
	before := g.reasons()
	set()
	list := g.reasons()
	work := len(list) == 0
	changed := work != g.working || !slices.Equal(before, list)
	g.working = work
	if work {
		g.pool.Start()
	} else {
		g.pool.Stop()
	}
	state := g.stateLocked()
	g.mu.Unlock()
	if changed && g.changed != nil {
		g.changed(state, list)
	}
}

// pause stops work for d, or until resumed if d is 0.
func (g *governor) pause(d time.Duration) {
	g.update(func() {
		g.paused, g.until = true, time.Time{}
		if g.timer != nil {
			g.timer.Stop()
		}
		if d > 0 {
			g.until = time.Now().Add(d)
			until := g.until
			g.timer = time.AfterFunc(d, func() {
				g.update(func() {
					if g.until.Equal(until) { // nobody paused it anew in the meantime
						g.paused, g.until = false, time.Time{}
					}
				})
			})
		}
	})
}

// look ends a pause whose time is over by the wall clock: timers stand still
// while the computer sleeps.
func (g *governor) look() {
	g.mu.Lock()
	over := g.paused && !g.until.IsZero() && !time.Now().Round(0).Before(g.until.Round(0))
	g.mu.Unlock()
	if over {
		g.resume()
	}
}

func (g *governor) resume() {
	g.update(func() {
		g.paused, g.until = false, time.Time{}
		if g.timer != nil {
			g.timer.Stop()
		}
	})
}

func (g *governor) setDisk(why string) { g.update(func() { g.disk = why }) }

// setFooting keeps work from going on while the footing forbids it; "" ends it.
func (g *governor) setFooting(why string) { g.update(func() { g.footing = why }) }

// setTrouble keeps work from going on while commits fail; nil ends it.
func (g *governor) setTrouble(err error) {
	g.update(func() {
		g.trouble = ""
		if err != nil {
			g.trouble = "cannot write to the store: " + err.Error()
		}
	})
}

const (
	// firstArchiveWait and maxArchiveWait bound how long after a failed write
	// to the archive another is tried; each failure doubles the wait. What was
	// fetched for it is lost, so trying costs the sites.
	firstArchiveWait = 4 * time.Second
	maxArchiveWait   = 5 * time.Minute
)

// archiveFailed stops work because a capture could not be written, and lets
// it go on after a while.
func (g *governor) archiveFailed(err error) {
	g.update(func() {
		if g.archive != "" {
			return
		}
		g.archive = "cannot write to the archive: " + err.Error()
		g.archiveWait = min(max(2*g.archiveWait, firstArchiveWait), maxArchiveWait)
		time.AfterFunc(g.archiveWait, func() { g.update(func() { g.archive = "" }) })
	})
}

// archiveWorks forgets earlier failures.
func (g *governor) archiveWorks() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.archiveWait = 0
}

func (g *governor) stop() { g.update(func() { g.stopping = true }) }

func (g *governor) diskFull() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.disk != ""
}

// state returns "working", "paused" or "stopping", why, and when a pause ends.
func (g *governor) state() (state api.State, reasons []string, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stateLocked(), g.reasons(), g.until
}

func (g *governor) stateLocked() api.State {
	switch {
	case g.stopping:
		return api.StateStopping
	case len(g.reasons()) > 0:
		return api.StatePaused
	}
	return api.StateWorking
}
