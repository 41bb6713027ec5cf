package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/demo"
)

// patience is how long a test waits for what must come; a busy machine may need it.
const patience = 3 * time.Minute

// lab is a practice web with the home of one node.
type lab struct {
	t     *testing.T
	web   *demo.Web
	home  string
	hosts string
	node  *exec.Cmd
	ended chan struct{} // closed when the node's process is gone
	out   lockedBuffer
}

func newLab(t *testing.T) *lab {
	t.Helper()
	if chrome == nil {
		t.Skip("there is no browser")
	}
	web, err := demo.Start(demo.Options{Sites: 30, Pages: 3000})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	l := &lab{t: t, web: web, home: filepath.Join(t.TempDir(), "home"), hosts: filepath.Join(t.TempDir(), "hosts")}
	if err := os.WriteFile(l.hosts, []byte(web.Hosts()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(l.home, 0o700); err != nil {
		t.Fatal(err)
	}
	// The node works however full the disk of this computer is.
	roomy := []byte("[disk]\nkeep_free = 0\nmax_percent = 100\n")
	if err := os.WriteFile(filepath.Join(l.home, "config.toml"), roomy, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.stop()
		if t.Failed() {
			t.Logf("the node said:\n%s", l.out.String())
		}
	})
	return l
}

// start starts the node and waits until it answers. It takes any free port, or the one of addr.
func (l *lab) start(addr string, flags ...string) {
	l.t.Helper()
	args := slices.Concat([]string{"run", "--home", l.home, "--lab", "--hosts", l.hosts, "--seeds", l.web.StartURL(), "--api", addr, "--no-tray"}, flags)
	l.node = exec.Command(program, args...)
	l.node.Stdout, l.node.Stderr = &l.out, &l.out
	if err := l.node.Start(); err != nil {
		l.t.Fatal(err)
	}
	ended, node := make(chan struct{}), l.node
	l.ended = ended
	go func() {
		node.Wait()
		close(ended)
	}()
	l.await("the node answers", func() bool {
		_, err := client.Dial(l.state())
		return err == nil
	})
}

// crawl starts a node that crawls at once, with nobody's limits but a gap of a second for each site.
func (l *lab) crawl(flags ...string) {
	l.start("127.0.0.1:0", append([]string{"--accept", "--gap", "1s"}, flags...)...)
}

func (l *lab) stop() {
	if l.node == nil {
		return
	}
	l.node.Process.Signal(syscall.SIGTERM)
	select {
	case <-l.ended:
	case <-time.After(patience):
		l.node.Process.Kill()
		<-l.ended
	}
	l.node = nil
}

// kill takes the node away as a power cut does.
func (l *lab) kill() {
	l.node.Process.Kill()
	<-l.ended
	l.node = nil
}

func (l *lab) state() string { return filepath.Join(l.home, "state") }

// addr is where the node's API is.
func (l *lab) addr() string {
	l.t.Helper()
	d, err := descriptor.Read(l.state())
	if err != nil {
		l.t.Fatal(err)
	}
	return d.Addr
}

// client asks the node, which on a busy computer may not answer at once.
func (l *lab) client() (c *client.Client) {
	l.t.Helper()
	l.await("the node answers", func() (done bool) {
		var err error
		c, err = client.Dial(l.state())
		return err == nil
	})
	return c
}

func (l *lab) status() api.Status {
	l.t.Helper()
	s, err := l.client().Status(context.Background())
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

// await waits for what must come.
func (l *lab) await(what string, done func() bool) {
	l.t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			l.t.Fatalf("it did not come true that %s", what)
		}
	}
}

// forage runs another command with the home of the lab and returns what it printed.
func (l *lab) forage(args ...string) string {
	l.t.Helper()
	cmd := exec.Command(program, append(args, "--home", l.home)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C") // its texts are compared
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("forage %v: %v\n%s", args, err, out)
	}
	return string(out)
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
