// Forage lends an idle computer to a crawl of the web. This is the node and
// its command line.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"sync"

	"github.com/forage-net/forage/ui/cli"
)

func main() {
	runtime.MemProfileRate = 0 // nobody reads it, and it costs memory
	stop := profile(os.Getenv("FORAGE_CPUPROFILE"))
	code := cli.Main(os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// profile writes a CPU profile to the named file until stop is called or the process is interrupted, so that
// an orderly end is not in it; without a name it does nothing.
func profile(name string) (stop func()) {
	if name == "" {
		return func() {}
	}
	f, err := os.Create(name)
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "forage: no profile:", err)
		return func() {}
	}
	stop = sync.OnceFunc(func() {
		pprof.StopCPUProfile()
		f.Close()
	})
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	go func() {
		<-interrupted
		stop()
	}()
	return stop
}
