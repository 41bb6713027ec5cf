//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a program that runs in a process group of its own.
type process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when it is gone
	out   lockedBuffer
}

// launch starts a program with an environment and nothing else in it.
func launch(env []string, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.Command(name, args...), ended: make(chan struct{})}
	p.cmd.Env = env
	return p, p.start()
}

func (p *process) start() error {
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = time.Second // what it started may hold its output open
	if p.cmd.Stdout == nil {
		p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	}
	if err := p.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", filepath.Base(p.cmd.Path), err)
	}
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	return nil
}

func (p *process) gone() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// stop asks it to end, and makes it end if it does not. What it started in its group ends too.
func (p *process) stop() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(patience):
	}
	p.kill()
}

// kill takes the program away, and what it started in its group.
func (p *process) kill() {
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.ended
}

// exit is the exit code of a program that is gone, -1 if a signal ended it.
func (p *process) exit() int { return p.cmd.ProcessState.ExitCode() }

// living lists the processes that were started with a setting in their environment, and whose program has
// that name; "" means any.
func living(setting, program string) []int {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var pids []int
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !slices.Contains(strings.Split(string(env), "\x00"), setting) {
			continue
		}
		if exe, _ := os.Readlink(filepath.Join(dir, "exe")); program != "" && filepath.Base(exe) != program {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// lockedBuffer is written to by a process and read by a test.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
