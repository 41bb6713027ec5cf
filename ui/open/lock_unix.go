//go:build unix

package open

import (
	"context"
	"os"
	"syscall"
	"time"
)

// lockLook is how often it is looked whether another start is over.
const lockLook = 20 * time.Millisecond

// lock keeps other starts from going on until the function it returns is called, or this process ends: programs
// that are started do not inherit it. The directory is what is locked, so that no file is left behind. When ctx ends,
// or where nothing can be locked, it goes on without.
func lock(ctx context.Context, dir string) (unlock func()) {
	f, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	ticker := time.NewTicker(lockLook)
	defer ticker.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || err != syscall.EWOULDBLOCK && err != syscall.EINTR {
			return func() { f.Close() } // which unlocks it
		}
		select {
		case <-ctx.Done():
			f.Close()
			return func() {}
		case <-ticker.C:
		}
	}
}
