package priority

import (
	"errors"
	"os/exec"
	"runtime"
)

// Launcher starts programs with the priority that this process had when the launcher was made: what the user looks at
// is not to wait for whatever else runs. Where priority is of the thread, as on Linux, and goes from the one that
// starts a program to the program, the launcher has a thread of its own, which Lower and Keep leave as it is when they
// are given the launcher. Elsewhere a program that was started sees to its own priority (Restore).
//
// A nil Launcher starts programs as exec.Cmd does.
type Launcher struct {
	thread int // its ID, 0 where threads have none
	starts chan launch
	closed chan struct{}
}

var errClosed = errors.New("start program: the launcher is closed")

type launch struct {
	cmd  *exec.Cmd
	done chan error
}

// NewLauncher returns a launcher. It is to be made before the priority is lowered, and closed.
func NewLauncher() *Launcher {
	l := &Launcher{starts: make(chan launch), closed: make(chan struct{})}
	ready := make(chan struct{})
	go func() {
		// The runtime makes no thread from one that is locked, so no other one gets its priority; and the thread ends
		// with the goroutine, since it is never unlocked.
		runtime.LockOSThread()
		l.thread = threadID()
		close(ready)
		for {
			select {
			case s := <-l.starts:
				s.done <- s.cmd.Start()
			case <-l.closed:
				return
			}
		}
	}()
	<-ready
	return l
}

// Start is cmd.Start. After Close it is an error.
func (l *Launcher) Start(cmd *exec.Cmd) error {
	if l == nil {
		return cmd.Start()
	}
	s := launch{cmd, make(chan error, 1)}
	select {
	case l.starts <- s:
		return <-s.done
	case <-l.closed:
		return errClosed
	}
}

// Close ends the launcher, once; what it started goes on.
func (l *Launcher) Close() {
	if l != nil {
		close(l.closed)
	}
}

// is reports whether a thread is the launcher's.
func (l *Launcher) is(thread int) bool { return l != nil && l.thread == thread }

// Restore gives this process the ordinary priority, where one that was started with less may: on Windows and macOS.
func Restore() error { return restore() }
