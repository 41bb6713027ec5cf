package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/sense"
)

// computer is a made-up one with a user at it: files of its kernel, and the services of a
// desktop on two buses. Its user has been away for an hour.
type computer struct {
	t   testing.TB
	dir string

	mu      sync.Mutex
	input   time.Time // when there was some last
	metered uint32    // as NetworkManager has it: 1 yes, 2 no
	film    bool      // a program keeps the screen on
	lost    bool      // the buses let nobody in
	conns   map[net.Conn]chan struct{}
	served  sync.WaitGroup
	kernel  *kernelEvents
}

func newComputer(t testing.TB) *computer {
	c := &computer{t: t, dir: t.TempDir(), input: time.Now().Add(-time.Hour), metered: 2, conns: make(map[net.Conn]chan struct{})}
	c.file("proc/stat", "cpu  100 0 100 1000 0 0 0 0 0 0\n")
	c.program(1, "init")
	c.file("sys/class/power_supply/AC/type", "Mains\n")
	c.file("sys/class/power_supply/BAT0/type", "Battery\n")
	c.file("sys/class/power_supply/BAT0/capacity", "80\n")
	c.power(true)
	return c
}

func (c *computer) file(name, content string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// program has a program run, as far as lists of processes show.
func (c *computer) program(pid int, name string) {
	c.file(fmt.Sprintf("proc/%d/comm", pid), name+"\n")
}

// power puts the computer on mains or on battery.
func (c *computer) power(mains bool) {
	online, status := "1\n", "Full\n"
	if !mains {
		online, status = "0\n", "Discharging\n"
	}
	c.file("sys/class/power_supply/AC/online", online)
	c.file("sys/class/power_supply/BAT0/status", status)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kernel != nil {
		c.kernel.messages <- []byte("change@/devices/BAT0\x00ACTION=change\x00SUBSYSTEM=power_supply\x00")
	}
}

// touch is one key press.
func (c *computer) touch() {
	c.mu.Lock()
	now := time.Now()
	c.input = now
	c.mu.Unlock()
	c.tellInput()
	time.AfterFunc(idleWatch, func() {
		c.mu.Lock()
		idle := c.input.Equal(now)
		c.mu.Unlock()
		if idle {
			c.tellInput()
		}
	})
}

// idleWatch is after how long without input the desktop is asked to tell of it.
const idleWatch = 5 * time.Second

func (c *computer) tellInput() {
	c.signal("/org/gnome/Mutter/IdleMonitor/Core", "org.gnome.Mutter.IdleMonitor", "WatchFired")
}

// pay says whether the network costs by the byte.
func (c *computer) pay(metered bool) {
	c.mu.Lock()
	c.metered = 2
	if metered {
		c.metered = 1
	}
	c.mu.Unlock()
	c.signal("/org/freedesktop/NetworkManager", "org.freedesktop.DBus.Properties", "PropertiesChanged")
}

// play shows a film, or ends it.
func (c *computer) play(film bool) {
	c.mu.Lock()
	c.film = film
	c.mu.Unlock()
	c.signal("/org/freedesktop/login1", "org.freedesktop.DBus.Properties", "PropertiesChanged")
}

// loseBuses takes the buses away.
func (c *computer) loseBuses() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost = true
	for conn := range c.conns {
		conn.Close()
	}
}

// options have sensors read this computer.
func (c *computer) options() sense.Options {
	start := time.Now()
	c.kernel = &kernelEvents{messages: make(chan []byte, 16), closed: make(chan struct{})}
	return sense.Options{
		Sys: filepath.Join(c.dir, "sys"), Proc: filepath.Join(c.dir, "proc"),
		Getenv: func(name string) string {
			return map[string]string{"DBUS_SESSION_BUS_ADDRESS": "unix:path=/bus", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/bus"}[name]
		},
		Dial:     c.dial,
		ReadFile: func(string) ([]byte, error) { return nil, os.ErrNotExist },
		Boot:     func() time.Duration { return time.Since(start) }, Awake: func() time.Duration { return time.Since(start) },
		OwnCPU:       func() (time.Duration, error) { return 0, nil },
		RouteEvents:  func() (io.ReadCloser, error) { return nil, errors.New("no such socket") },
		DeviceEvents: func() (io.ReadCloser, error) { return c.kernel, nil },
		Addresses:    func() (string, error) { return "eth0 192.0.2.1/24", nil },
		Space:        func(string) (sense.Space, error) { return sense.Space{Free: 5 << 30, Total: 10 << 30}, nil },
	}
}

// dial connects to one of the buses, which are the same.
func (c *computer) dial(_ context.Context, name string) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name != "/bus" {
		return nil, &os.PathError{Op: "connect", Path: name, Err: os.ErrNotExist}
	}
	if c.lost {
		return nil, errors.New("connect: the bus is broken")
	}
	ours, theirs := net.Pipe()
	c.conns[theirs] = make(chan struct{}, 1)
	c.served.Go(func() {
		c.serveBus(theirs)
		theirs.Close()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.conns, theirs)
	})
	return ours, nil
}

// kernelEvents is a socket on which the kernel tells of devices.
type kernelEvents struct {
	messages chan []byte
	once     sync.Once
	closed   chan struct{}
}

func (k *kernelEvents) Read(p []byte) (int, error) {
	select {
	case m := <-k.messages:
		return copy(p, m), nil
	case <-k.closed:
		return 0, os.ErrClosed
	}
}

func (k *kernelEvents) Close() error { k.once.Do(func() { close(k.closed) }); return nil }
