package app

import (
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
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
	changed func(state api.State, causes []cause)
	// follows says that the footing follows the limits: where it still forbids what they allow, work is about to start.
	follows bool

	mu       sync.Mutex
	allowed  bool          // by the user's limits
	limits   []inLanguages // why they allow less than everything
	kinds    string        // of these: the words change with every byte
	finish   bool          // what is in flight may come to its end all the same
	trouble  string        // what is wrong with the store
	archive  string        // trouble of the archive
	footing  string        // why the footing forbids work, as the key of its words
	starting bool
	stopping bool
	working  bool

	told      time.Time // when, and what of limits
	toldKinds string

	archiveWait time.Duration // before writing is tried again
}

// newGovernor returns one that lets no work start before begin.
func newGovernor(pool startStopper, changed func(api.State, []cause)) *governor {
	pool.Stop()
	return &governor{pool: pool, changed: changed, starting: true, allowed: true}
}

// begin ends the start: from now on work may go on unless something forbids it.
func (g *governor) begin() { g.update(func() { g.starting = false }) }

// causes returns why nothing is fetched, most important first.
func (g *governor) causes() []cause {
	var list []cause
	if g.stopping {
		list = append(list, cause{key: causeStopping})
	}
	if g.starting {
		list = append(list, cause{key: causeStarting})
	}
	if !g.allowed {
		for _, why := range g.limits {
			list = append(list, cause{key: causeLimits, said: why})
		}
	}
	if g.trouble != "" {
		list = append(list, cause{key: causeStore, text: g.trouble})
	}
	if g.archive != "" {
		list = append(list, cause{key: causeArchive, text: g.archive})
	}
	switch {
	case g.footing == "", !g.allowed: // the limits have said why
	case g.follows && !g.starting:
		list = append(list, cause{key: causeStarting})
	case !g.follows:
		list = append(list, cause{key: g.footing})
	}
	return list
}

// reasons returns the same in English.
func (g *governor) reasons() []string {
	var list []string
	for _, c := range g.causes() {
		list = append(list, c.in(words.English))
	}
	return list
}

// others returns the reasons that are not the limits'.
func (g *governor) others() []string {
	limits := g.limits
	g.limits = nil
	defer func() { g.limits = limits }()
	return g.reasons()
}

// isNews reports whether what is so now is worth telling. Reasons of limits that come and go within a
// moment, as when sensors are read for the first time, are not.
func (g *governor) isNews(before []string, work bool) bool {
	switch {
	case work != g.working, !slices.Equal(before, g.others()):
	case g.kinds == g.toldKinds, time.Since(g.told) < tellEvery:
		return false
	}
	g.told, g.toldKinds = time.Now(), g.kinds
	return true
}

// tellEvery is how often it is told at most that limits have other reasons.
const tellEvery = time.Second

// update sets fields and then starts or stops the fetchers.
func (g *governor) update(set func()) {
	g.mu.Lock()
	before := g.others()
	set()
	list := g.causes()
	work := len(list) == 0
	changed := g.isNews(before, work)
	g.working = work
	if work || g.finish && !g.stopping && !g.starting && g.trouble == "" && g.archive == "" {
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

// setLimits says whether the user's limits allow work, and why not. It is told to others when the
// kinds of reasons change. With finish the fetchers are not stopped: nothing new is theirs to begin.
func (g *governor) setLimits(allowed, finish bool, why []inLanguages, kinds string) {
	g.update(func() { g.allowed, g.finish, g.limits, g.kinds = allowed, finish, why, kinds })
}

// setFooting keeps work from going on while the footing forbids it; "" ends it.
func (g *governor) setFooting(why string) { g.update(func() { g.footing = why }) }

// setTrouble keeps work from going on while commits fail; nil ends it.
func (g *governor) setTrouble(err error) {
	g.update(func() {
		g.trouble = ""
		if err != nil {
			g.trouble = err.Error()
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
		g.archive = err.Error()
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

// works reports whether work may go on.
func (g *governor) works() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.working
}

func (g *governor) stop() { g.update(func() { g.stopping = true }) }

// state returns "working", "paused" or "stopping", and why.
func (g *governor) state() (state api.State, reasons []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stateLocked(), g.reasons()
}

// why returns the same with what stands behind the reasons.
func (g *governor) why() (state api.State, causes []cause) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stateLocked(), g.causes()
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
