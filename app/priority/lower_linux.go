package priority

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

const (
	// nicest is the last of the nice values. The policy SCHED_IDLE is below it, but asks too much of a node
	// with deadlines: beside one busy program on a core, a thread that wakes up waits for 180 ms (median)
	// instead of 24 ms, and gains the others hardly more than a hundredth of the core.
	nicest = 19

	// ioIdle is the I/O class that is served when nobody else asks: see ioprio_set(2), whose
	// constants package unix does not have.
	ioIdle       = 3 << 13
	ioWhoProcess = 1 // one thread, whatever its name says

	// maxPasses bounds how often threads are listed. Each pass finds those that were made
	// during the one before, by threads that had not been lowered yet.
	maxPasses = 100

	taskDir   = "/proc/self/task"
	autogroup = "/proc/self/autogroup"
)

// lower goes over all threads until no new one appears: both priorities are kept for
// each thread, and no call sets them for a whole process.
func lower(but *Launcher) error {
	l := lowering{but: but, done: make(map[int]bool)}
	for range maxPasses {
		found, err := l.pass()
		if err != nil {
			return fmt.Errorf("lower priority: %w", err)
		}
		if found == 0 {
			break
		}
	}
	return errors.Join(l.nice, l.io, lowerGroup())
}

// lowering is what came of one call, with the last error of each kind.
type lowering struct {
	but      *Launcher
	done     map[int]bool
	nice, io error
}

// pass lowers the threads that are not done yet and returns how many it found.
func (l *lowering) pass() (found int, err error) {
	entries, err := os.ReadDir(taskDir)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil || l.done[id] || l.but.is(id) {
			continue
		}
		found++
		l.done[id] = true
		if err := setNice(id); err != nil && !errors.Is(err, unix.ESRCH) { // it may have ended
			l.nice = fmt.Errorf("lower CPU priority: %w", err)
		}
		if err := setIdleIO(id); err != nil && !errors.Is(err, unix.ESRCH) {
			l.io = fmt.Errorf("lower I/O priority: %w", err)
		}
	}
	return found, nil
}

// setNice sets the nice value of a thread. The system call to read it gives 20 less the value.
func setNice(id int) error {
	if is, err := unix.Getpriority(unix.PRIO_PROCESS, id); err == nil && 20-is == nicest {
		return nil
	}
	return os.NewSyscallError("setpriority", unix.Setpriority(unix.PRIO_PROCESS, id, nicest))
}

func setIdleIO(id int) error {
	if is, err := ioPriority(id); err == nil && is == ioIdle {
		return nil
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOPRIO_SET, ioWhoProcess, uintptr(id), ioIdle); errno != 0 {
		return os.NewSyscallError("ioprio_set", errno)
	}
	return nil
}

// ioPriority returns class and level of a thread.
func ioPriority(id int) (int, error) {
	p, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, ioWhoProcess, uintptr(id), 0)
	if errno != 0 {
		return 0, os.NewSyscallError("ioprio_get", errno)
	}
	return int(p), nil
}

// lowerGroup lowers the scheduler's group of the session. Where there are such groups (see
// sched(7), the autogroup feature), nice values count only within one: beside a busy program of another
// session a process at 19 gets half of a core, and with its group at 19 less than a fiftieth. In a session of others
// the group is theirs. Kernels without groups have no such file, and EAGAIN says
// that they are changed too often: there is another time.
func lowerGroup() error {
	leader, err := unix.Getsid(0)
	if err != nil || leader != os.Getpid() {
		return nil
	}
	f, err := os.OpenFile(autogroup, os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	if _, err := f.WriteString(strconv.Itoa(nicest)); err != nil && !errors.Is(err, unix.EAGAIN) {
		return fmt.Errorf("lower CPU priority of the session: %w", err)
	}
	return nil
}
