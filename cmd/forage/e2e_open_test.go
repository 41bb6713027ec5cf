//go:build unix

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/conns"
	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/ui/open"
)

// seat is where somebody starts "forage" alone: a home, a display, and stand-ins for window and browser.
type seat struct {
	t            *testing.T
	home, bin    string
	told, browse string // files: what window and browser were told
	env          []string
}

// standIn builds the program that stands in for the window.
var standIn = sync.OnceValues(func() (string, error) { return build("stand-in", "./testdata/window") })

func newSeat(t *testing.T) *seat {
	t.Helper()
	window, err := standIn()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s := &seat{t: t, home: filepath.Join(dir, "home"), bin: filepath.Join(dir, "bin"), told: filepath.Join(dir, "window"), browse: filepath.Join(dir, "browser")}
	if err := os.Mkdir(s.bin, 0o700); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\necho \"$@\" >> " + s.browse + "\n"
	if err := os.WriteFile(filepath.Join(s.bin, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s.env = []string{"PATH=" + s.bin + ":" + os.Getenv("PATH"), "DISPLAY=another-computer:7", "FORAGE_WINDOW=" + window, "STANDIN_LOG=" + s.told}
	startForage(t, "set", "web.addr=127.0.0.1:0", "--home", s.home).succeed()
	t.Cleanup(s.clear)
	return s
}

// clear ends the window and the node, which nobody waits for any more.
func (s *seat) clear() {
	for _, line := range s.words() {
		var pid int
		if _, err := fmt.Sscanf(line, "start %d ", &pid); err == nil && runs(pid, filepath.Join(scratch, "stand-in")) {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
			until(s.t, "the window to end", func() bool { return hasEnded(pid) })
		}
	}
	d, err := descriptor.Read(s.state())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		s.t.Error(err)
		return
	}
	if !runs(d.PID, program) || syscall.Kill(d.PID, syscall.SIGTERM) != nil {
		return // it has ended
	}
	until(s.t, "the node to end", func() bool { return hasEnded(d.PID) })
}

// runs reports whether a process is one of ours, and not another one that got its number.
func runs(pid int, path string) bool {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return pid > 1 && err == nil && exe == path
}

// hasEnded reports whether a process that is not ours has ended. What nobody has waited for yet has, too.
func hasEnded(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, found := strings.Cut(string(stat), ") ")
	return err == nil && found && strings.HasPrefix(state, "Z")
}

func (s *seat) state() string { return filepath.Join(s.home, "state") }

// sit starts "forage" alone with more in its environment.
func (s *seat) sit(env []string, args ...string) *process {
	s.t.Helper()
	cmd := exec.Command(program, append([]string{"--home", s.home}, args...)...)
	cmd.Dir = s.t.TempDir()
	return startWith(s.t, cmd, slices.Concat(s.env, env)...)
}

// openedAs is what "forage --json" prints.
type openedAs struct {
	Started *bool   `json:"started"`
	Opened  string  `json:"opened"`
	URL     *string `json:"url"`
}

func (s *seat) sees(started bool, opened string, env ...string) openedAs {
	s.t.Helper()
	return s.saw(s.sit(env, "--json"), started, opened)
}

// saw is sees for a "forage --json" that runs already.
func (s *seat) saw(p *process, started bool, opened string) openedAs {
	s.t.Helper()
	p.succeed()
	got := parseJSON[openedAs](s.t, p.stdout.String())
	if got.Started == nil || *got.Started != started || got.Opened != opened || got.URL == nil || (*got.URL != "") != (opened == "none") {
		s.t.Errorf("it says %s, want started %v and opened %q; %s", p.stdout.String(), started, opened, p.stderr.String())
	}
	return got
}

// words are what the window was told, line by line.
func (s *seat) words() []string {
	s.t.Helper()
	text, err := os.ReadFile(s.told)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func (s *seat) starts() (n int) {
	for _, line := range s.words() {
		if strings.HasPrefix(line, "start ") {
			n++
		}
	}
	return n
}

// Who types "forage" sees the window of a node that goes on for itself; the second time, the same window.
func TestOpen_StartsNodeAndWindow(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	p := s.sit(nil).succeed()
	for _, want := range []string{"window", "background", "forage stop --home " + s.home, "forage status --home " + s.home} {
		if !strings.Contains(p.stdout.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, p.stdout.String())
		}
	}
	d, err := descriptor.Read(s.state())
	if err != nil {
		t.Fatal(err)
	}
	s.sees(false, "window")
	if again, err := descriptor.Read(s.state()); err != nil || again.PID != d.PID {
		t.Errorf("the node is %d, %v, was %d", again.PID, err, d.PID)
	}
	if n := s.starts(); n != 1 {
		t.Errorf("%d windows were started: %q", n, s.words())
	}
	client, err := api.Dial(s.state())
	if err != nil {
		t.Fatal(err)
	}
	if raised, err := client.ShowWindow(t.Context(), "settings"); !raised || err != nil {
		t.Errorf("show settings: %v, %v", raised, err)
	}
	until(t, "the window to be told", func() bool { return slices.Contains(s.words(), "show settings") })
}

// However many start it at the same moment, there is one node and one window, and all of them see it.
func TestOpen_AtTheSameMoment(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	var all []*process
	for range 6 {
		all = append(all, s.sit(nil, "--json"))
	}
	started := 0
	for _, p := range all {
		got := parseJSON[openedAs](t, p.succeed().stdout.String())
		if *got.Started {
			started++
		}
		if got.Opened != "window" {
			t.Errorf("one saw %q", got.Opened)
		}
	}
	if n := s.starts(); started != 1 || n != 1 {
		t.Errorf("%d nodes and %d windows were started; %q", started, n, s.words())
	}
}

// Where no window can be shown, the dashboard is.
func TestOpen_DashboardInsteadOfWindow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ env, says string }{
		"refused": {"STANDIN_EXIT=3", "The window cannot open here: it is too dark."},
		"crashed": {"STANDIN_CRASH=1", "The window cannot open here: panic: in the dark."},
		"missing": {"FORAGE_WINDOW=/nowhere/forage-window", "dashboard"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSeat(t)
			p := s.sit([]string{c.env}).succeed()
			if !strings.Contains(p.stdout.String(), c.says) {
				t.Errorf("it does not say %q:\n%s%s", c.says, p.stdout.String(), p.stderr.String())
			}
			until(t, "the browser", func() bool {
				text, _ := os.ReadFile(s.browse)
				return strings.HasPrefix(string(text), "file://")
			})
			s.sees(false, "dashboard", c.env)
		})
	}
}

// Without a display it says how to look, and that is no failure.
func TestOpen_WithoutDisplay(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	p := s.sit([]string{"DISPLAY="}).succeed()
	for _, want := range []string{"forage dashboard --print", "forage status", "forage stop"} {
		if !strings.Contains(p.stdout.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, p.stdout.String())
		}
	}
	got := s.sees(false, "none", "DISPLAY=")
	if !strings.Contains(*got.URL, "/#key=") {
		t.Errorf("the URL is %q", *got.URL)
	}
	if s.starts() != 0 {
		t.Errorf("the window was started: %q", s.words())
	}
}

// A node that cannot start says why, here and now, and what it ended with is passed on.
func TestOpen_NodeThatCannotStart(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	file := filepath.Join(s.home, "config.toml")
	if err := os.WriteFile(file, []byte("[disk]\nmax = \"much\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := s.sit(nil)
	if code := p.wait(); code != 6 || !strings.Contains(p.stderr.String(), "disk.max") || strings.Count(p.stderr.String(), "\n") != 1 {
		t.Errorf("it ended with %d and says %q; want 6 and what is wrong with disk.max", code, p.stderr.String())
	}
}

// Who clicked an icon sees in the browser why there is no node.
func TestOpen_TroubleIsShown(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	if err := os.WriteFile(filepath.Join(s.home, "config.toml"), []byte("[disk]\nmax = \"<much>\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := s.sit(nil).wait(); code != 6 {
		t.Errorf("it ended with %d, want 6", code)
	}
	until(t, "the browser", func() bool {
		text, _ := os.ReadFile(s.browse)
		return strings.HasPrefix(string(text), "file://")
	})
	text, err := os.ReadFile(filepath.Join(s.state(), "forage-trouble.html"))
	if err != nil || !strings.Contains(string(text), "disk.max") || strings.Contains(string(text), "<much>") {
		t.Errorf("the page is %s, %v", text, err)
	}
}

// A port that another program has keeps nobody from starting it, and menus open the dashboard without a terminal.
func TestOpen_PortIsTaken(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	taken, err := conns.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	startForage(t, "set", "web.addr="+taken.Addr().String(), "--home", s.home).succeed()
	s.sees(true, "window")
	p := s.sit(nil, "dashboard", "--open").succeed()
	until(t, "the browser", func() bool {
		text, _ := os.ReadFile(s.browse)
		return strings.HasPrefix(string(text), "file://")
	})
	if out := p.stdout.String(); !strings.Contains(out, "opens in your browser") || strings.Contains(out, "#key=") {
		t.Errorf("it says %s", out)
	}
}

// The text of a crash is in the log of the node, where it can be found.
func TestOpen_CrashIsLogged(t *testing.T) {
	t.Parallel()
	s := newSeat(t)
	s.sees(true, "window")
	d, err := descriptor.Read(s.state())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(d.PID, syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	until(t, "the end of the node", func() bool { return hasEnded(d.PID) })
	log := filepath.Join(s.state(), open.NodeLog)
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), "SIGQUIT: quit") || !strings.Contains(string(text), "goroutine ") {
		t.Errorf("%s holds no crash (%v):\n%s", log, err, tail(string(text)))
	}
	if info, err := os.Stat(log); err != nil || info.Mode() != 0o600 {
		t.Errorf("%s has mode %v, %v", log, info.Mode(), err)
	}
}
