package limiter

import (
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// startStopper is what the governor starts and stops: the fetchers.
type startStopper interface {
	Start()
	Stop()
}

// Governor decides whether work may go on now, and says why not. It is the
// one place that starts and stops the fetchers.
type Governor struct {
	pool startStopper
	tell func(state api.State, causes []Cause)
	// follows says that the footing follows the limits: where it still forbids what they allow, work is about to start.
	follows bool

	mu       sync.Mutex
	allowed  bool          // by the user's limits
	excuses  []InLanguages // why they allow less than everything
	kinds    string        // of these: the words change with every byte
	finish   bool          // what is in flight may come to its end all the same
	trouble  error         // what is wrong with the store
	archive  error         // trouble of the archive
	footing  limits.Footing
	starting bool
	stopping bool
	working  bool

	told      time.Time // when, and what of limits
	toldKinds string

	archiveWait time.Duration // before writing is tried again
}

// NewGovernor returns one that lets no work start before Begin. It tells of each change of state; follows says that the
// footing, which is so now, follows the limits.
func NewGovernor(pool startStopper, tell func(api.State, []Cause), follows bool, is limits.Footing) *Governor {
	pool.Stop()
	return &Governor{pool: pool, tell: tell, follows: follows, footing: is, starting: true, allowed: true}
}

// footingKeys are the keys of the words that say why nothing is fetched, where that is the footing's doing.
var footingKeys = map[limits.Footing]string{
	limits.Standby: "status.reason.standby", limits.Silent: "status.reason.silent",
}

// Begin ends the start: from now on work may go on unless something forbids it.
func (g *Governor) Begin() { g.update(func() { g.starting = false }) }

// causes returns why nothing is fetched, most important first.
func (g *Governor) causes() []Cause {
	var list []Cause
	if g.stopping {
		list = append(list, Cause{Key: CauseStopping})
	}
	if g.starting {
		list = append(list, Cause{Key: CauseStarting})
	}
	if !g.allowed {
		for _, why := range g.excuses {
			list = append(list, Cause{Key: CauseLimits, Said: why})
		}
	}
	if g.trouble != nil {
		list = append(list, Cause{Key: CauseStore, Err: g.trouble})
	}
	if g.archive != nil {
		list = append(list, Cause{Key: CauseArchive, Err: g.archive})
	}
	switch why := footingKeys[g.footing]; {
	case why == "", !g.allowed: // the limits have said why
	case g.follows && !g.starting:
		list = append(list, Cause{Key: CauseStarting})
	case !g.follows:
		list = append(list, Cause{Key: why})
	}
	return list
}

// others returns the reasons that are not the limits'.
func (g *Governor) others() []string {
	excuses := g.excuses
	g.excuses = nil
	defer func() { g.excuses = excuses }()
	return Reasons(words.English, g.causes())
}

// isNews reports whether what is so now is worth telling. Reasons of limits that come and go within a
// moment, as when sensors are read for the first time, are not.
func (g *Governor) isNews(before []string, work bool) bool {
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
func (g *Governor) update(set func()) {
	g.mu.Lock()
	before := g.others()
	set()
	list := g.causes()
	work := len(list) == 0
	changed := g.isNews(before, work)
	g.working = work
	if work || g.finish && !g.stopping && !g.starting && g.trouble == nil && g.archive == nil {
		g.pool.Start()
	} else {
		g.pool.Stop()
	}
	state := g.stateLocked()
	g.mu.Unlock()
	if changed {
		g.tell(state, list)
	}
}

// setLimits says whether the user's limits allow work, and why not. It is told to others when the
// kinds of reasons change. With finish the fetchers are not stopped: nothing new is theirs to begin.
func (g *Governor) setLimits(allowed, finish bool, why []InLanguages, kinds string) {
	g.update(func() { g.allowed, g.finish, g.excuses, g.kinds = allowed, finish, why, kinds })
}

// SetFooting keeps work from going on while the footing forbids it.
func (g *Governor) SetFooting(is limits.Footing) { g.update(func() { g.footing = is }) }

// SetTrouble keeps work from going on while commits fail; nil ends it.
func (g *Governor) SetTrouble(err error) {
	g.update(func() { g.trouble = err })
}

const (
	// firstArchiveWait and maxArchiveWait bound how long after a failed write
	// to the archive another is tried; each failure doubles the wait. What was
	// fetched for it is lost, so trying costs the sites.
	firstArchiveWait = 4 * time.Second
	maxArchiveWait   = 5 * time.Minute
)

// ArchiveFailed stops work because a capture could not be written, and lets
// it go on after a while.
func (g *Governor) ArchiveFailed(err error) {
	g.update(func() {
		if g.archive != nil {
			return
		}
		g.archive = err
		g.archiveWait = min(max(2*g.archiveWait, firstArchiveWait), maxArchiveWait)
		time.AfterFunc(g.archiveWait, func() { g.update(func() { g.archive = nil }) })
	})
}

// ArchiveWorks forgets earlier failures.
func (g *Governor) ArchiveWorks() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.archiveWait = 0
}

// Works reports whether work may go on.
func (g *Governor) Works() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.working
}

// Stop keeps work from going on from now on: the node ends.
func (g *Governor) Stop() { g.update(func() { g.stopping = true }) }

// Why returns "working", "paused" or "stopping", and why, most important first.
func (g *Governor) Why() (state api.State, causes []Cause) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stateLocked(), g.causes()
}

func (g *Governor) stateLocked() api.State {
	switch {
	case g.stopping:
		return api.StateStopping
	case len(g.causes()) > 0:
		return api.StatePaused
	}
	return api.StateWorking
}
