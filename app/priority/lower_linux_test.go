package priority

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Threads are made by goroutines that are held in system calls: before, while and after
// the priority is lowered.
func TestLower_AllThreadsAndThoseToCome(t *testing.T) {
	before, free := holdThreads(t, 10)
	defer free()
	if n := len(threads(t)); n < before {
		t.Fatalf("%d threads, want %d that are held", n, before)
	}
	var meanwhile sync.WaitGroup
	frees := make(chan func(), 1)
	meanwhile.Go(func() {
		_, free := holdThreads(t, 10)
		frees <- free
	})
	if err := Lower(nil); err != nil {
		t.Fatal(err)
	}
	meanwhile.Wait()
	defer (<-frees)()
	if err := Lower(nil); err != nil { // one that was being made may have been missed
		t.Fatal(err)
	}
	known := len(threads(t))
	_, freeLater := holdThreads(t, known+10)
	defer freeLater()
	all := threads(t)
	if len(all) < known+5 {
		t.Fatalf("%d threads, %d of them before: none came to be judged", len(all), known)
	}
	for _, id := range all {
		nice, io, err := priorities(id)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			continue // it has ended
		}
		if err != nil || nice != nicest || io != ioIdle {
			t.Errorf("thread %d: nice %d, I/O priority %#x, %v; want %d and %#x", id, nice, io, err, nicest, ioIdle)
		}
	}
}

// A thread that was given another priority is lowered by the next call.
func TestLower_Again(t *testing.T) {
	if err := Lower(nil); err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	id := unix.Gettid()
	const bestEffort = 2 << 13
	if _, _, errno := unix.Syscall(unix.SYS_IOPRIO_SET, ioWhoProcess, uintptr(id), bestEffort); errno != 0 {
		t.Skip("the I/O class cannot be set here:", errno)
	}
	if err := Lower(nil); err != nil {
		t.Fatal(err)
	}
	if _, io, err := priorities(id); err != nil || io != ioIdle {
		t.Errorf("I/O priority %#x, %v", io, err)
	}
}

func BenchmarkLower_Again(b *testing.B) {
	for b.Loop() {
		if err := Lower(nil); err != nil {
			b.Fatal(err)
		}
	}
}

// holdThreads has n goroutines held in system calls, each in a thread of its own. The
// function frees and awaits them.
func holdThreads(t *testing.T, n int) (_ int, free func()) {
	var held sync.WaitGroup
	var began sync.WaitGroup
	var ends []int
	for range n {
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			t.Error(err)
			break
		}
		ends = append(ends, p[1])
		began.Add(1)
		held.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			began.Done()
			unix.Read(p[0], make([]byte, 1)) // until the other end is closed
			unix.Close(p[0])
		})
	}
	began.Wait()
	return len(ends), func() {
		for _, fd := range ends {
			unix.Close(fd)
		}
		held.Wait()
	}
}

func threads(t *testing.T) (ids []int) {
	entries, err := os.ReadDir(taskDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// priorities reads what the kernel says of a thread: field 19 of its stat file, and its I/O priority.
func priorities(id int) (nice, io int, err error) {
	b, err := os.ReadFile(filepath.Join(taskDir, strconv.Itoa(id), "stat"))
	if err != nil {
		return 0, 0, err
	}
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:]) // from the third on
	if len(f) < 17 {
		return 0, 0, fmt.Errorf("stat has %d fields", len(f))
	}
	if nice, err = strconv.Atoi(string(f[16])); err != nil {
		return 0, 0, err
	}
	io, err = ioPriority(id)
	return nice, io, err
}

// sessionVariable makes a child of the test lower itself and print what group it is in.
const sessionVariable = "FORAGE_TEST_SESSION"

func TestMain(m *testing.M) {
	switch name := os.Getenv(launcherVariable); name {
	case "":
	case "1":
		if err := launchBoth(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	default:
		nice, io, err := priorities(os.Getpid())
		fmt.Println(name, nice, io)
		group, _ := os.ReadFile(autogroup)
		_, of, _ := bytes.Cut(group, []byte(" "))
		fmt.Printf("%s\n", of)
		if err != nil {
			os.Exit(1)
		}
		return
	}
	if os.Getenv(sessionVariable) != "" {
		if err := Lower(nil); err != nil {
			fmt.Println(err)
		}
		b, _ := os.ReadFile(autogroup)
		fmt.Printf("%s", b)
		return
	}
	os.Exit(m.Run())
}

// The group of a session is lowered by who leads it, and left alone by others in it.
func TestLower_GroupOfItsOwnSession(t *testing.T) {
	before, err := os.ReadFile(autogroup)
	if err != nil {
		t.Skip(err)
	}
	for _, own := range []bool{true, false} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), sessionVariable+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: own}
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		switch got := string(out); {
		case own && !strings.HasSuffix(got, "nice 19\n"):
			t.Errorf("in its own session: %q", got)
		case !own && got != string(before):
			t.Errorf("in the session of others: %q, before %q", got, before)
		}
	}
}
