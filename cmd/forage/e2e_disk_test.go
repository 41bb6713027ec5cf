//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/demo"
)

// limitFileSize, as the first argument of the test program, makes it another
// one that may not make files larger than the second argument says.
const limitFileSize = "limit-file-size"

func init() {
	if len(os.Args) > 3 && os.Args[1] == limitFileSize {
		fmt.Fprintln(os.Stderr, becomeLimited(os.Args[2], os.Args[3:]))
		os.Exit(125)
	}
}

// becomeLimited returns only if it goes wrong.
func becomeLimited(size string, args []string) error {
	n, err := strconv.ParseUint(size, 10, 63)
	if err != nil {
		return err
	}
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = n
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	return syscall.Exec(args[0], args, os.Environ())
}

// startLimited starts a crawl by a node whose files may not grow beyond a size.
func (l *lab) startLimited(size int64, flags ...string) *process {
	l.t.Helper()
	self, err := os.Executable()
	if err != nil {
		l.t.Fatal(err)
	}
	return startProcess(l.t, self, slices.Concat([]string{limitFileSize, fmt.Sprint(size), program}, l.runArgs(flags...))...)
}

// liftLimit lets the files of a node that runs grow again.
func liftLimit(t *testing.T, p *process) {
	t.Helper()
	var limit unix.Rlimit
	if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_FSIZE, nil, &limit); err != nil {
		t.Fatal(err)
	}
	limit.Cur = limit.Max
	if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_FSIZE, &limit, nil); err != nil {
		t.Fatal(err)
	}
}

// However large a file may become, a node that cannot go on says so, damages
// nothing, and goes on when it can.
func TestDiskFull_FilesMayNotGrow(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{24 << 10, 160 << 10} {
		t.Run(fmt.Sprint(size), func(t *testing.T) { t.Parallel(); fileLimit(t, size, size == 160<<10) })
	}
}

func TestLong_DiskFull_FilesMayNotGrow(t *testing.T) {
	long(t)
	tried := 0
	for size := int64(16 << 10); size <= 4<<20; size += size / 4 &^ 4095 {
		tried++
		t.Run(fmt.Sprint(size), func(t *testing.T) { fileLimit(t, size, tried%2 == 0) })
	}
	t.Logf("%d sizes", tried)
}

// fileLimit crawls with a limit until the node stops working or is done, lifts
// the limit, from the same process or for another, and judges the whole crawl.
func fileLimit(t *testing.T, size int64, same bool) {
	l := newLab(t, demo.Options{Sites: 20, Pages: 900})
	flags := append(slices.Clone(fullSpeed), "--fetchers", fmt.Sprint(fetchers))
	p := l.startLimited(size, flags...)
	reason := l.awaitFull(p)
	t.Logf("with %d bytes: %s, after %d requests", size, reason, l.served.Load())
	ends := 0
	select {
	case <-p.ended:
		same = false
	default:
		if !same { // whatever it says at the end
			ends++
			p.signal(syscall.SIGINT)
			p.wait()
		}
	}
	if same {
		liftLimit(t, p)
		p.succeed()
	} else {
		checkPaused(t, l, p)
		p2 := l.start(flags...)
		p2.succeed()
	}
	checkComplete(t, l, failures(p)+ends)
}

// checkComplete judges a crawl that the disk has stopped a number of times.
func checkComplete(t *testing.T, l *lab, stops int) {
	t.Helper()
	seen := l.visits()
	seen.complete(t, l.web)
	if n := len(seen.repeats()); n > stops*fetchers {
		t.Errorf("%d requests were made in vain; with %d fetchers, %d stops account for %d", n, fetchers, stops, stops*fetchers)
	} else {
		t.Logf("%d requests of %d were made in vain, in %d stops", n, len(seen), stops)
	}
	for i := range seen {
		if i > 0 && seen[i].Start.Sub(seen[i-1].End) > 10*time.Second {
			t.Logf("nothing was asked for from %s to %s", seen[i-1].End.Format(time.StampMilli), seen[i].Start.Format(time.StampMilli))
		}
	}
	checkArchive(t, l.warcDir())
	matchVisits(t, readArchive(t, l.warcDir()), seen)
	checkStore(t, l.home)
}

// checkPaused looks at the files of a node that ended without room.
func checkPaused(t *testing.T, l *lab, p *process) {
	t.Helper()
	if text := p.stderr.String(); strings.Contains(text, "goroutine ") {
		t.Errorf("it panicked:\n%s", text)
	}
	if _, err := os.Stat(filepath.Join(l.home, "state", "forage.db")); err == nil {
		checkStore(t, l.home)
	}
}

// failures counts how often the log of a node tells that something could not
// be written.
func failures(p *process) int {
	return strings.Count(p.stderr.String(), "cannot write to")
}

// awaitFull waits until a node says why it cannot go on, on its API or with its
// last words, or until it is done. It returns what it said.
func (l *lab) awaitFull(p *process) (reason string) {
	l.t.Helper()
	var node *client.Client // one, since each keeps a connection
	until(l.t, "the node to say that it cannot go on", func() bool {
		select {
		case <-p.ended:
			reason = lastWords(l.t, p)
			return true
		default:
		}
		if node == nil {
			node, _ = client.Dial(filepath.Join(l.home, "state"))
			return false // it may not be up yet
		}
		s, err := node.Status(l.t.Context())
		if err != nil || s.State != api.StatePaused {
			return false
		}
		i := slices.IndexFunc(s.Reasons, tellsOfRoom)
		if i < 0 {
			return false
		}
		reason = s.Reasons[i]
		return true
	})
	return reason
}

func tellsOfRoom(reason string) bool {
	return strings.Contains(reason, "file too large") || strings.Contains(reason, "no space left") || strings.HasPrefix(reason, "The disk ")
}

// lastWords returns why a node has ended, which must have to do with room.
func lastWords(t *testing.T, p *process) string {
	t.Helper()
	if p.code == 0 {
		return "there was room enough"
	}
	_, words, _ := strings.Cut(p.stderr.String(), "forage: ")
	if p.code != 1 || !tellsOfRoom(words) {
		t.Errorf("it ended with %d: %s", p.code, tail(p.stderr.String()))
	}
	return strings.TrimSpace(words)
}

// mountSmall mounts a file system of its own at dir for the length of a test.
func mountSmall(t *testing.T, dir string, size int64) (resize func(size int64)) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	option := func(size int64) string { return fmt.Sprintf("size=%d,mode=0700", size) }
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, option(size)); errors.Is(err, unix.EPERM) {
		t.Skip("NOT TESTED: a disk that is full for real; only root may mount one")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return func(size int64) {
		t.Helper()
		if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, option(size)); err != nil {
			t.Fatal(err)
		}
	}
}

// The disk of the store is full, and then it is not.
func TestDiskFull_Store(t *testing.T) {
	t.Parallel()
	few := []int64{128 << 10}
	for _, size := range sized(few, few, []int64{8 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 768 << 10, 1 << 20}) {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			l := newLab(t, demo.Options{Sites: 20, Pages: 900})
			resize := mountSmall(t, filepath.Join(l.home, "state"), size)
			flags := append(slices.Clone(fullSpeed), "--fetchers", fmt.Sprint(fetchers))
			p := l.start(flags...)
			t.Logf("with %d bytes: %s, after %d requests", size, l.awaitFull(p), l.served.Load())
			resize(64 << 20)
			select {
			case <-p.ended:
				checkPaused(t, l, p)
				l.start(flags...).succeed()
			default:
				p.succeed()
			}
			checkComplete(t, l, failures(p))
		})
	}
}

// Something else fills the disk of the archive while a node is at work, and
// leaves it less and less.
func TestDiskFull_Archive(t *testing.T) {
	t.Parallel()
	few := []int64{40 << 10}
	for _, left := range sized(few, few, []int64{0, 4 << 10, 12 << 10, 40 << 10, 200 << 10, 1 << 20}) {
		t.Run(fmt.Sprint(left), func(t *testing.T) {
			t.Parallel()
			l := newLab(t, demo.Options{Sites: 20, Pages: 900})
			data := filepath.Join(l.home, "data")
			mountSmall(t, data, 96<<20)
			full := make(chan struct{})
			l.whenServed(200, func() {
				fill(t, data, left)
				close(full)
			})
			p := l.start(append(slices.Clone(fullSpeed), "--fetchers", fmt.Sprint(fetchers))...)
			waitFor(t, "the disk to be filled", full, p)
			t.Logf("with %d bytes left: %s, after %d requests", left, l.awaitFull(p), l.served.Load())
			remove(t, filepath.Join(data, "filler"))
			p.succeed()
			checkComplete(t, l, failures(p))
		})
	}
}

// fill makes a file that leaves so much of a file system, or less: others write
// to it meanwhile.
func fill(t *testing.T, dir string, leave int64) {
	f, err := os.Create(filepath.Join(dir, "filler"))
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	for {
		var s unix.Statfs_t
		if err = unix.Statfs(dir, &s); err == nil {
			err = unix.Fallocate(int(f.Fd()), 0, 0, int64(s.Bavail)*int64(s.Bsize)-leave)
		}
		if !errors.Is(err, unix.ENOSPC) {
			break
		}
	}
	if err != nil {
		t.Error(err)
	}
}
