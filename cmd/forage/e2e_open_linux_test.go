package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/ui/open"
)

// A node that "forage" has started has nothing of the terminal: Ctrl-C there and its end do not reach it.
func TestOpen_NodeOutlivesItsTerminal(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	// A shell, as people have it, so that the terminal is still there when forage has ended.
	shell := exec.Command("/bin/sh", "-c", `"$0" --home "$1"; echo done; exec sleep 600`, program, s.home)
	term := startCommandInTerminal(t, shell, s.env...)
	until(t, "the shell to go on", func() bool { return strings.Contains(term.screen.String(), "done") })
	if text := term.screen.String(); !strings.Contains(text, "background") || strings.Contains(text, "level=") {
		t.Errorf("the terminal shows\n%s", text)
	}
	d, err := descriptor.Read(s.state())
	if err != nil {
		t.Fatal(err)
	}
	if sid, err := unix.Getsid(d.PID); err != nil || sid != d.PID {
		t.Errorf("the node is in session %d, %v, want its own, %d", sid, err, d.PID)
	}
	for fd, want := range []string{os.DevNull, os.DevNull, filepath.Join(s.state(), open.NodeLog)} {
		if got, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", d.PID, fd)); err != nil || got != want {
			t.Errorf("its file %d is %s, %v, want %s", fd, got, err, want)
		}
	}
	if _, err := term.keyboard.Write([]byte{3}); err != nil { // Ctrl-C
		t.Fatal(err)
	}
	<-term.ended // the shell; forage has gone before
	term.keyboard.Close()
	if st, err := clientOf(t, s).Status(t.Context()); err != nil || st.PID != d.PID {
		t.Errorf("the node is %d, %v, want %d", st.PID, err, d.PID)
	}
}

func clientOf(t *testing.T, s *seat) *api.Client {
	t.Helper()
	c, err := api.Dial(s.state())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The window has the priority that programs have, whatever the node has.
func TestOpen_WindowIsNotNice(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	s.sees(true, "window")
	d, err := descriptor.Read(s.state())
	if err != nil {
		t.Fatal(err)
	}
	var window int
	if _, err := fmt.Sscanf(s.words()[0], "start %d ", &window); err != nil {
		t.Fatal(err)
	}
	own := niceOf(t, os.Getpid())
	if got := niceOf(t, window); got != own {
		t.Errorf("the window has nice value %d, want %d", got, own)
	}
	until(t, "the node to step back", func() bool { return niceOf(t, d.PID) == 19 })
}

// niceOf reads the nice value of a process.
func niceOf(t *testing.T, pid int) (nice int) {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	f := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if _, err := fmt.Sscan(string(f[16]), &nice); err != nil {
		t.Fatal(err)
	}
	return nice
}

// What "forage" starts sends nothing before its user has agreed, whatever the settings say.
func TestOpen_NothingLeavesBeforeConsent(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	startForage(t, "set", "crawl.seeds=https://example.org/", "--home", s.home).succeed()
	startForage(t, "set", "net.bootstrap=/ip4/192.0.2.1/tcp/4001/p2p/12D3KooWFexZP63ATEAQQqbyjsc2iuFLWero2tZ9CdhEsLiFg9zx", "--home", s.home).succeed()
	startForage(t, "set", "peer.upnp=yes", "--home", s.home).succeed()
	args, file := straced(t, "network,execve")
	cmd := exec.Command("strace", append(args, program, "--home", s.home)...)
	cmd.Dir = t.TempDir()
	startWith(t, cmd, s.env...) // it follows what forage starts, so it lasts as long
	client := s.awaitNode()
	until(t, "the window", func() bool { return s.starts() == 1 })
	for quiet := time.Now().Add(sized(2*time.Second, 5*time.Second, 5*time.Second)); time.Now().Before(quiet); time.Sleep(100 * time.Millisecond) {
		if st, err := client.Status(t.Context()); err != nil || st.State != api.StatePaused {
			t.Fatalf("it is %s %q, %v, want to await consent", st.State, st.Reasons, err)
		}
	}
	for _, addr := range addresses(t, file) {
		if !addr.IsLoopback() {
			t.Errorf("%s stands in a call to the network", addr)
		}
	}
	if trace := strings.Join(readLines(t, file), "\n"); strings.Count(trace, "execve(") < 3 {
		t.Errorf("the trace is not one of forage, node and window")
	}
}

func (s *seat) awaitNode() (client *api.Client) {
	s.t.Helper()
	until(s.t, "the node", func() bool {
		var err error
		client, err = api.Dial(s.state())
		return err == nil
	})
	return client
}

// A kill of the node does not harm the window, and the other way round; "forage" brings back what is missing.
func TestOpen_BringsBackWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	s.sees(true, "window")
	var window int
	if _, err := fmt.Sscanf(s.words()[0], "start %d ", &window); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(window, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the window's end", func() bool { return hasEnded(window) })
	s.sees(false, "window")
	if n := s.starts(); n != 2 {
		t.Errorf("%d windows were started, want another one: %q", n, s.words())
	}
	d, err := descriptor.Read(s.state())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(d.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	until(t, "the node's end", func() bool { return hasEnded(d.PID) })
	s.sees(true, "window")
}

// A node that does not answer yet, since other programs keep the computer busy, is waited for.
func TestOpen_WaitsForABusyNode(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	s.sees(true, "window")
	d, err := descriptor.Read(s.state())
	if err != nil {
		t.Fatal(err)
	}
	goOn := standStill(t, d.PID)
	p := s.sit(nil, "--json")
	until(t, "forage to ask the node", func() bool { return hasEnded(p.cmd.Process.Pid) || hasSocket(p.cmd.Process.Pid) })
	goOn()
	s.saw(p, false, "window")
}

// standStill stops a process until goOn is called, or the test ends: one that stands still heeds no other signal. On a busy
// computer it may go on for a second after it was told to stop, so standStill waits for each of its threads.
func standStill(t *testing.T, pid int) (goOn func()) {
	t.Helper()
	goOn = func() { _ = syscall.Kill(pid, syscall.SIGCONT) } // it may have ended
	t.Cleanup(goOn)
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	until(t, "the process to stand still", func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		return err == nil && len(threads) > 0 && !slices.ContainsFunc(threads, func(path string) bool {
			stat, err := os.ReadFile(path)
			return err != nil || !bytes.HasPrefix(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" T "))
		})
	})
	return goOn
}

// hasSocket reports whether a process has a connection, or is making one.
func hasSocket(pid int) bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // none once it has ended
	return slices.ContainsFunc(files, func(path string) bool {
		to, err := os.Readlink(path)
		return err == nil && strings.HasPrefix(to, "socket:")
	})
}

// The window that is opened from the icon of a node which has stepped back long ago has the priority of other programs, and outlives
// the node.
func TestOpen_WindowFromTheTrayIsNotNice(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	s := newSeat(t)
	cmd := exec.Command(program, "run", "--await-consent", "--home", s.home)
	node := startWith(t, cmd, append(slices.Clone(s.env), "DBUS_SESSION_BUS_ADDRESS="+d.Address)...)
	icon := d.panel.Item()
	node.awaitUp(s.home)
	until(t, "the node to step back", func() bool { return niceOf(t, cmd.Process.Pid) == 19 })
	icon.Tap()
	until(t, "the window", func() bool { return s.starts() == 1 })
	var window int
	if _, err := fmt.Sscanf(s.words()[0], "start %d ", &window); err != nil {
		t.Fatal(err)
	}
	if got, own := niceOf(t, window), niceOf(t, os.Getpid()); got != own {
		t.Errorf("the window has nice value %d, want %d", got, own)
	}
	if got, own := ioPriorityOf(t, window), ioPriorityOf(t, os.Getpid()); got != own {
		t.Errorf("the window has I/O priority %#x, want %#x", got, own)
	}
	if group, err := os.ReadFile(fmt.Sprintf("/proc/%d/autogroup", window)); err == nil && !strings.HasSuffix(string(group), "nice 0\n") {
		t.Errorf("the window is in the group %s", group)
	}
	icon.Tap()
	until(t, "the window to be raised", func() bool { return slices.Contains(s.words(), "show ") })
	node.signal(syscall.SIGKILL)
	<-node.ended
	if hasEnded(window) {
		t.Error("the window ended with the node")
	}
}

func ioPriorityOf(t *testing.T, pid int) uintptr {
	t.Helper()
	const whoProcess = 1
	p, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, whoProcess, uintptr(pid), 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	return p
}

// On a terminal "forage dashboard" opens the browser; the link is not printed.
func TestDashboard_OpensFromATerminal(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	s.sees(true, "window")
	term := startCommandInTerminal(t, exec.Command(program, "dashboard", "--home", s.home), s.env...)
	term.succeed()
	until(t, "the browser", func() bool {
		text, _ := os.ReadFile(s.browse)
		return strings.HasPrefix(string(text), "file://")
	})
	until(t, "the line about it", func() bool { return strings.Contains(term.screen.String(), "opens in your browser") })
	if strings.Contains(term.screen.String(), "#key=") {
		t.Errorf("the terminal shows\n%s", term.screen.String())
	}
}
