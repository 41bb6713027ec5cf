package limiter

import (
	"runtime/debug"
	"time"

	"github.com/forage-net/forage/app/resident"
)

// What the garbage collector may let the heap grow by, in percent of what is in use: a node that works saves
// processor time, one that rests memory.
const (
	workingGrowth = 100
	restingGrowth = 50
)

const (
	// restsAfter is how long a node has fetched nothing before it gives memory back to the system, and easeEvery how
	// often it does so again while it rests: what comes of members that come and go is given back for a ten-thousandth
	// of a core.
	restsAfter = time.Minute
	easeEvery  = 5 * time.Minute
)

// ease is how much memory the process may hold on to. It is of the arbiter alone.
type ease struct {
	pages int64     // fetched when it was looked at last
	busy  time.Time // when anything was being fetched
	eased time.Time // when it was told last that it rests
	rests bool
}

// look notes how many pages have been fetched and how many requests are under way, and reports whether
// the node has begun to work or to rest, or has rested for another while.
func (e *ease) look(now time.Time, pages int64, requests int) (changed bool) {
	if pages != e.pages || requests > 0 || e.busy.IsZero() {
		e.pages, e.busy = pages, now
	}
	rests := now.Sub(e.busy) >= restsAfter
	changed = rests != e.rests || rests && now.Sub(e.eased) >= easeEvery
	if e.rests = rests; changed {
		e.eased = now
	}
	return changed
}

// easeMemory has the garbage collector hold to what the node does. In a simulation there are many nodes in one process.
func (p *parts) easeMemory() {
	if p.Sim {
		return
	}
	requests, _ := p.Fetchers.InFlight()
	if !p.ease.look(time.Now(), p.Pages(), requests) {
		return
	}
	p.rests.Store(p.ease.rests)
	if !p.ease.rests {
		debug.SetGCPercent(workingGrowth)
		return
	}
	debug.SetGCPercent(restingGrowth)
	debug.FreeOSMemory()
	if bytes, err := resident.Drop(); err != nil {
		p.Log.Debug("The text of the program stays in memory", "error", err)
	} else {
		p.Log.Debug("Memory was given back", "of_text", bytes)
	}
}
