package sense

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// start starts a program that the test needs, or skips it.
func start(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: nothing is tested against the real one", name)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait(); r.Close() })
	w.Close()
	line, err := bufio.NewReader(r).ReadString('\n') // it says so when it is ready
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	cmd.Args = append(cmd.Args, strings.TrimSpace(line))
	return cmd
}

// live serves a hub in real time.
func live(t *testing.T, env map[string]string) *Hub {
	h := New(Options{Getenv: func(k string) string { return env[k] }})
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() { h.Serve(ctx) })
	t.Cleanup(func() { cancel(); all.Wait() })
	return h
}

// until waits for a snapshot.
func until(t *testing.T, h *Hub, what string, ok func(Snapshot) bool) {
	t.Helper()
	changes, stop := h.Subscribe()
	defer stop()
	over := time.After(time.Minute)
	for {
		select {
		case s := <-changes:
			if ok(s) {
				return
			}
		case <-over:
			t.Fatalf("not %s: %+v", what, h.Snapshot())
		}
	}
}

// provide offers the services of a fakeBus on a real bus.
func (b *fakeBus) provide(t *testing.T, path string, names ...string) {
	conn, err := dbus.Connect("unix:path="+path, dbus.WithHandler(provided{bus: b, names: names}))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if got, err := conn.RequestName(n, 0); err != nil || got != dbus.RequestNameReplyPrimaryOwner {
			t.Fatalf("the bus answers %v, %v", got, err)
		}
	}
	leave := b.join(conn, func(path, signal string) { conn.Emit(dbus.ObjectPath(path), signal, uint32(1)) })
	t.Cleanup(func() { leave(); conn.Close() })
}

func TestReal_DBusDaemon(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bus")
	start(t, "dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=unix:path="+path, "--print-address=3")
	b := newFakeBus()
	var mu sync.Mutex
	idle := uint64(10)
	b.handle(mutterName, mutterPath, "GetIdletime", func() any {
		mu.Lock()
		defer mu.Unlock()
		return idle
	})
	b.on(mutterName, mutterPath, "AddIdleWatch", uint32(1))
	b.on(mutterName, mutterPath, "AddUserActiveWatch", uint32(2))
	b.set(nmName, nmPath, "Metered", uint32(3))
	b.set(loginName, loginPath, "IdleHint", false)
	b.on(loginName, loginPath, "ListInhibitors", []struct {
		What, Who, Why, Mode string
		User, Process        uint32
	}{{"idle", "film", "", "block", 1, 2}})
	b.provide(t, path, mutterName, nmName, loginName)
	h := live(t, map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=" + path,
		"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + path})
	until(t, h, "in use", func(s Snapshot) bool {
		return s.Input.Known && s.Input.Value.Active &&
			s.Input.Source == "Mutter"
	})
	until(t, h, "metered", func(s Snapshot) bool { return s.Metered.Value == Metered{Yes: true, Guess: true} && s.Metered.Known })
	until(t, h, "a film", func(s Snapshot) bool { return s.Inhibition.Value == Inhibition{true, "film"} })
	mu.Lock()
	idle = 600_000
	mu.Unlock()
	b.signal(mutterPath, mutterName+".WatchFired")
	until(t, h, "idle", func(s Snapshot) bool { return s.Input.Known && !s.Input.Value.Active })
	mu.Lock()
	idle = 3
	mu.Unlock()
	b.signal(mutterPath, mutterName+".WatchFired")
	until(t, h, "in use again", func(s Snapshot) bool { return s.Input.Known && s.Input.Value.Active })
	b.die() // the service goes, the bus stays
	until(t, h, "not known", func(s Snapshot) bool {
		return !s.Input.Known &&
			strings.Contains(fmt.Sprint(s.Input.Why), mutterName)
	})
}
