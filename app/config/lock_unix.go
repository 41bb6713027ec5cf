//go:build unix

package config

import (
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lock keeps others of us, of this process and of others, from changing the file until the function it returns is
// called. The directory is what is locked: the file is replaced, and a lock file would be left. Where that cannot
// be done, or takes long, the file is changed all the same: whoever writes looks whether it is as it was.
func lock(path string) (unlock func()) {
	dir, err := os.Open(filepath.Dir(target(path)))
	if err != nil {
		return func() {}
	}
	for end := time.Now().Add(lockWait); ; time.Sleep(lockLook) {
		err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || err != syscall.EWOULDBLOCK && err != syscall.EINTR || time.Now().After(end) {
			return func() { dir.Close() } // which unlocks it
		}
	}
}

const (
	// lockWait is many times as long as a change takes.
	lockWait = 2 * time.Second
	lockLook = 2 * time.Millisecond
)
