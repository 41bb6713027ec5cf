package sense

import (
	"context"
	"runtime"
	"time"

	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/app/sense/machine"
)

const (
	// appsEvery is how often processes are listed, so that work has ended two seconds after a program began; it
	// is less often where that takes more than one appsPart of a processor, but as often as appsSlow at least.
	appsEvery = time.Second
	appsSlow  = 10 * time.Second
	appsPart  = 1000
	// appsCalmly takes the place of appsEvery while there is no work that would have to end, appsNone while no
	// program is looked for.
	appsCalmly = 2 * time.Second
	appsNone   = time.Minute
	// maxApps bounds the names that are looked for.
	maxApps = 64
)

// procApps looks for named programs among the processes.
func (h *Hub) procApps(ctx context.Context, report func([]string)) error {
	s := machine.Apps{Proc: h.opts.Proc}
	var cost scanCost
	read := func(context.Context) ([]string, error) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		began := threadTime()
		defer func() { cost.add(threadTime() - began) }()
		return s.Scan(h.wanted.Load().Apps)
	}
	every := func([]string) time.Duration { return h.opts.appsDue(len(h.wanted.Load().Apps), time.Duration(cost)) }
	return ladder.Poll(ctx, read, report, h.asked.apps, every)
}

// appsDue is how long processes need not be listed, of which a number of programs is looked for and a list of
// which takes cost of a processor. Who asks for other programs says so.
func (o Options) appsDue(programs int, cost time.Duration) time.Duration {
	least := appsEvery
	switch {
	case programs == 0:
		return appsNone
	case o.Calm != nil && o.Calm():
		least = appsCalmly
	}
	return min(max(appsPart*cost, least), appsSlow)
}

// scanCost is what a list of processes costs of late, as processor time. One that looks at all processes again
// costs more, and hardly counts.
type scanCost time.Duration

func (c *scanCost) add(took time.Duration) {
	if *c == 0 || took < time.Duration(*c)*5/4 {
		*c = scanCost(took)
		return
	}
	*c = *c * 5 / 4
}
