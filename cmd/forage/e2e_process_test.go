//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api/descriptor"
)

// patience is how long anything may take before it counts as hung. It is no
// promise of the program: machines that run tests are slow and busy.
const patience = 5 * time.Minute

// process is a run of the program, or of another one that runs it.
type process struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr output
	ended          chan struct{} // closed once code is set
	code           int
}

// output collects what a process writes.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// startProcess starts a process with a user directory of its own, so that
// nothing of the user who runs the tests is read or written. A process that
// has not ended with the test is killed.
func startProcess(t *testing.T, name string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = t.TempDir()
	return startCommand(t, cmd)
}

// startCommand is startProcess with another working directory, or user.
func startCommand(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	return startWith(t, cmd)
}

// startWith is startCommand with more in the environment. What the command says
// is collected unless it goes elsewhere already.
func startWith(t *testing.T, cmd *exec.Cmd, env ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, ended: make(chan struct{})}
	p.cmd.Env = append([]string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "LC_ALL=C"}, env...)
	if p.cmd.Stdout == nil {
		p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	}
	if p.cmd.SysProcAttr == nil {
		p.cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	p.cmd.SysProcAttr.Setpgid = !p.cmd.SysProcAttr.Setsid
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		// The error says no more than the code; a process that was killed has -1.
		_ = p.cmd.Wait()
		p.code = p.cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		for {
			select {
			case <-p.ended:
				return
			case <-time.After(time.Second): // what it has started lives on, and may write where it did
				_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
			}
		}
	})
	return p
}

// startForage starts the program with a command line.
func startForage(t *testing.T, args ...string) *process {
	t.Helper()
	return startProcess(t, program, args...)
}

// signal sends a signal; a process that has ended does not mind.
func (p *process) signal(s syscall.Signal) {
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Errorf("send %s: %v", s, err)
	}
}

// wait returns the exit code, -1 for a process that was killed. One that does
// not end has to say what it is doing.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.code
	case <-time.After(patience):
	}
	p.signal(syscall.SIGQUIT) // prints all goroutines
	<-p.ended
	p.t.Fatalf("%q did not end\n%s", p.cmd.Args, p.stderr.String())
	return 0
}

// succeed waits for the end and fails the test unless it is exit code 0.
func (p *process) succeed() *process {
	p.t.Helper()
	if code := p.wait(); code != 0 {
		p.t.Fatalf("%q ended with %d\n%s%s", p.cmd.Args[1:], code, tail(p.stdout.String()), tail(p.stderr.String()))
	}
	return p
}

// tail returns the last lines of a text.
func tail(s string) string {
	lines := strings.SplitAfter(s, "\n")
	return strings.Join(lines[max(0, len(lines)-40):], "")
}

// until asks again and again until the answer is yes, ever less often: at the
// end lookAtLeast apart. what is to be read after "waited in vain for".
func until(t *testing.T, what string, yes func() bool) {
	t.Helper()
	deadline, pause := time.Now().Add(patience), 5*time.Millisecond
	for !yes() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(pause)
		pause = min(pause*11/10, lookAtLeast)
	}
}

// lookAtLeast is how often is looked at least for what is waited for. Looking
// costs the node that is asked, too.
const lookAtLeast = 50 * time.Millisecond

// waitFor waits for a channel to be closed while a process runs.
func waitFor(t *testing.T, what string, done <-chan struct{}, p *process) {
	t.Helper()
	select {
	case <-done:
		return
	case <-p.ended:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s\n%s", what, tail(p.stderr.String()))
	}
	select {
	case <-done: // both at once
	default:
		t.Fatalf("waited in vain for %s: the process ended with %d\n%s", what, p.code, tail(p.stderr.String()))
	}
}

// isUp reports whether the node of a home has told where its API is.
func isUp(home string) bool {
	_, err := descriptor.Read(filepath.Join(home, "state"))
	return err == nil
}

// awaitUp waits until the process serves its API.
func (p *process) awaitUp(home string) {
	p.t.Helper()
	until(p.t, "the API descriptor", func() bool {
		select {
		case <-p.ended:
			p.t.Fatalf("%q ended with %d\n%s", p.cmd.Args[1:], p.code, tail(p.stderr.String()))
		default:
		}
		d, err := descriptor.Read(filepath.Join(home, "state"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			p.t.Fatal(err)
		}
		return err == nil && d.PID == p.cmd.Process.Pid
	})
}

// parseJSON reads what a command has printed as JSON.
func parseJSON[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, tail(text))
	}
	return v
}
