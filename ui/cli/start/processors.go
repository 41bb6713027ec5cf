package start

import (
	"os"
	"runtime"
)

// onOneProcessor has the process run on one processor while its node is silent or rests, and else on as many as
// it may. It wakes up a few times a second then, each time for less than a millisecond: with one processor Go
// does not rouse a second thread to see whether there is more to do, nor look every second how many processors
// there are. Where GOMAXPROCS is set nothing changes.
func onOneProcessor(quiet bool) {
	switch {
	case os.Getenv("GOMAXPROCS") != "":
	case quiet:
		runtime.GOMAXPROCS(1)
	default:
		runtime.SetDefaultGOMAXPROCS()
	}
}
