package sense

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// computer is a made-up one. Its sockets are pipes, so that its time is that of a
// bubble of synctest.
type computer struct {
	t   *testing.T
	dir string

	mu        sync.Mutex
	env       map[string]string
	sockets   map[string]func(net.Conn) // serves one connection
	served    sync.WaitGroup
	asleep    time.Duration // in all
	addresses string
	own       time.Duration
	space     func(string) (Space, error)
	routes    *fakeKernel
	devices   *fakeKernel
}

func newComputer(t *testing.T) *computer {
	c := &computer{
		t: t, dir: t.TempDir(), sockets: make(map[string]func(net.Conn)), env: make(map[string]string),
		addresses: "eth0 192.0.2.1/24",
		space:     func(string) (Space, error) { return Space{5 << 30, 10 << 30}, nil },
	}
	c.file("proc/stat", "cpu  100 0 100 1000 0 0 0 0 0 0\n")
	c.file("sys/class/x", "")
	return c
}

// file writes a file of sysfs or proc.
func (c *computer) file(name, content string) {
	writeFile(c.t, filepath.Join(c.dir, name), content)
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// listen has a socket served.
func (c *computer) listen(name string, serve func(net.Conn)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sockets[name] = serve
}

// vanish takes a socket away; connections stay.
func (c *computer) vanish(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sockets, name)
}

// retryMost is within what a source that failed is tried again.
const retryMost = 2 * time.Minute

const (
	sessionSocket = "/run/user/1000/bus"
	systemSocket  = "/var/run/dbus/system_bus_socket"
	xSocket       = "/tmp/.X11-unix/X7"
	wlSocket      = "/run/user/1000/wayland-5"
)

func (c *computer) options() Options {
	start := time.Now()
	return Options{
		Sys: filepath.Join(c.dir, "sys"), Proc: filepath.Join(c.dir, "proc"),
		Getenv: func(k string) string {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.env[k]
		},
		Dial: func(_ context.Context, name string) (net.Conn, error) {
			c.mu.Lock()
			serve := c.sockets[name]
			c.mu.Unlock()
			if serve == nil {
				return nil, &os.PathError{Op: "connect", Path: name, Err: os.ErrNotExist}
			}
			ours, theirs := net.Pipe()
			c.served.Go(func() {
				q := &queued{Conn: theirs, queue: make(chan []byte, 64)}
				c.served.Go(q.drain)
				defer close(q.queue)
				serve(q)
			})
			return ours, nil
		},
		ReadFile: func(string) ([]byte, error) { return nil, os.ErrNotExist },
		Boot: func() time.Duration {
			c.mu.Lock()
			defer c.mu.Unlock()
			return time.Since(start) + c.asleep
		},
		Awake:        func() time.Duration { return time.Since(start) },
		OwnCPU:       func() (time.Duration, error) { c.mu.Lock(); defer c.mu.Unlock(); return c.own, nil },
		RouteEvents:  func() (io.ReadCloser, error) { return c.open(&c.routes) },
		DeviceEvents: func() (io.ReadCloser, error) { return c.open(&c.devices) },
		Addresses:    func() (string, error) { c.mu.Lock(); defer c.mu.Unlock(); return c.addresses, nil },
		Space: func(dir string) (Space, error) {
			c.mu.Lock()
			space := c.space
			c.mu.Unlock()
			return space(dir)
		},
	}
}

func (c *computer) open(k **fakeKernel) (io.ReadCloser, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if *k == nil {
		return nil, errors.New("no such socket")
	}
	return *k, nil
}

// queued is a connection with a queue, as sockets have.
type queued struct {
	net.Conn
	queue chan []byte
}

func (q *queued) Write(b []byte) (int, error) {
	q.queue <- append([]byte(nil), b...)
	return len(b), nil
}

func (q *queued) drain() {
	defer q.Conn.Close()
	for b := range q.queue {
		q.Conn.Write(b)
	}
}

// set changes the computer.
func (c *computer) set(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

// run serves a hub in a bubble, and sees to it that nothing is left of it.
func run(t *testing.T, story func(c *computer, h *Hub)) {
	runOn(t, func(*computer) {}, story)
}

func runOn(t *testing.T, prepare func(c *computer), story func(c *computer, h *Hub)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := newComputer(t)
		c.env = maps.Clone(map[string]string{"XDG_RUNTIME_DIR": "/run/user/1000",
			"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=" + systemSocket})
		prepare(c)
		h := New(c.options())
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- h.Serve(ctx) }()
		story(c, h)
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve = %v", err)
		}
		c.served.Wait()
	})
}

// after lets time pass and returns what is known then.
func after(h *Hub, d time.Duration) Snapshot {
	time.Sleep(d)
	synctest.Wait()
	return h.Snapshot()
}

// is compares a reading with what it should be.
func is[T any](t *testing.T, name string, got Reading[T], want T, source string) {
	t.Helper()
	if !got.Known || fmt.Sprint(got.Value) != fmt.Sprint(want) || got.Source != source {
		t.Errorf("%s = %+v, want %+v by %s", name, got, want, source)
	}
}

func unknown[T any](t *testing.T, name string, got Reading[T]) {
	t.Helper()
	if got.Known || got.Why == nil {
		t.Errorf("%s = %+v, want it not known, and why", name, got)
	}
}

// fakeKernel is a socket of the kernel.
type fakeKernel struct {
	messages chan []byte
	once     sync.Once
	closed   chan struct{}
}

func newFakeKernel() *fakeKernel {
	return &fakeKernel{messages: make(chan []byte, 16), closed: make(chan struct{})}
}

func (k *fakeKernel) Read(p []byte) (int, error) {
	select {
	case m := <-k.messages:
		if m == nil {
			return 0, errLost
		}
		return copy(p, m), nil
	case <-k.closed:
		return 0, os.ErrClosed
	}
}

func (k *fakeKernel) Close() error { k.once.Do(func() { close(k.closed) }); return nil }

func symlink(t *testing.T, to, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}
