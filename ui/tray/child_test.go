//go:build unix

package tray

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/locale"
	"github.com/forage-net/forage/ui/tray/traytest"
)

// A process has one tray in its life, so each test has a process of its own: this program again. It is told what the node
// does, a line of JSON each time, and tells in lines what the node was asked for.

const (
	childMark = "FORAGE_TRAY_CHILD"
	endsMark  = "FORAGE_TRAY_ENDS" // how long the desktop may take to let go
)

func TestMain(m *testing.M) {
	if os.Getenv(childMark) != "" {
		os.Exit(beChild(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// told is what the node of a child is to be like from now on.
type told struct {
	Glance *api.Glance
	Event  *api.Event
}

// standIn is a node in memory.
type standIn struct {
	mu     sync.Mutex
	glance api.Glance
	events []api.Event
	more   chan struct{}
	out    io.Writer
	starts bool // with the computer
}

func (s *standIn) Startup() api.Startup {
	s.mu.Lock()
	defer s.mu.Unlock()
	return api.Startup{Possible: true, On: s.starts}
}

func (s *standIn) SetStartup(_ context.Context, on bool) error {
	s.mu.Lock()
	s.starts = on
	s.mu.Unlock()
	return s.say("startup %t", on)
}

func (s *standIn) Glance(lang string) (api.Glance, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, "look at %d\n", len(s.glance.Sentence))
	return s.glance, nil
}

func (s *standIn) Events(since uint64, limit int) ([]api.Event, uint64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.events[min(since, uint64(len(s.events))):]
	list = list[:min(limit, len(list))]
	return list, since + uint64(len(list)), false
}

func (s *standIn) Wait(ctx context.Context, since uint64) {
	s.mu.Lock()
	more, there := s.more, uint64(len(s.events)) > since
	s.mu.Unlock()
	if there {
		return
	}
	select {
	case <-ctx.Done():
	case <-more:
	}
}

func (s *standIn) take(what told) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := api.Event{Kind: api.KindNode}
	if what.Glance != nil {
		s.glance = *what.Glance
	}
	if what.Event != nil {
		e = *what.Event
	}
	s.events = append(s.events, e)
	close(s.more)
	s.more = make(chan struct{})
}

func (s *standIn) say(format string, args ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.out, format+"\n", args...)
	return nil
}

func (s *standIn) Pause(_ context.Context, d time.Duration) error   { return s.say("pause %s", d) }
func (s *standIn) Work(_ context.Context, d time.Duration) error    { return s.say("work %s", d) }
func (s *standIn) SetRun(_ context.Context, mode api.RunMode) error { return s.say("run %s", mode) }
func (s *standIn) Finish(context.Context) error                     { return s.say("finish") }
func (s *standIn) Resume(context.Context) error                     { return s.say("resume") }
func (s *standIn) Stop(context.Context) error                       { return s.say("stop") }

// beChild shows a tray until in ends.
func beChild(in io.Reader, out io.Writer) int {
	node := &standIn{more: make(chan struct{}), out: out}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 8<<20)
	next := func() bool {
		var what told
		if !lines.Scan() {
			return false
		}
		if err := json.Unmarshal(lines.Bytes(), &what); err != nil {
			panic(err)
		}
		node.take(what)
		return true
	}
	next()
	t := newTray(Config{
		Node: node, Lang: locale.Lang(os.Getenv), Open: func(page string) error { return node.say("open %q", page) },
		Seen: func(seen bool) { node.say("seen %t", seen) },
		Log:  slog.New(slog.NewTextHandler(says{node}, &slog.HandlerOptions{ReplaceAttr: noTime})),
	})
	t.rest, t.again, t.comes = 5*time.Millisecond, 50*time.Millisecond, 100*time.Millisecond
	patience := traytest.Patience
	if ends, err := time.ParseDuration(os.Getenv(endsMark)); err == nil {
		t.ends, patience = ends, 0 // what is left behind then stays
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- t.run(ctx) }()
	for next() {
	}
	cancel()
	node.say("ended %v", <-ended)
	for deadline := time.Now().Add(patience); goroutines() != "" && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	node.say("left behind:%s", strings.ReplaceAll(goroutines(), "\n", "|"))
	return 0
}

// goroutines returns the stacks of those that the tray has left.
func goroutines() string {
	var all, left strings.Builder
	pprof.Lookup("goroutine").WriteTo(&all, 2)
	for one := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(one, "forage/ui/tray.(") || strings.Contains(one, "systray.") || strings.Contains(one, "godbus") {
			left.WriteString(one + "\n")
		}
	}
	return left.String()
}

type says struct{ *standIn }

func (s says) Write(p []byte) (int, error) {
	return len(p), s.say("log %s", strings.TrimSpace(string(p)))
}

func noTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// child is a process with a tray.
type child struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	heard []string
}

// startChild starts one in a language on a bus.
func startChild(t *testing.T, bus *traytest.Bus, locale string, first api.Glance) *child {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, cmd: exec.Command(program), lines: make(chan string, 1000)}
	c.cmd.Env = append(os.Environ(), childMark+"=1", "DBUS_SESSION_BUS_ADDRESS="+bus.Address, "LC_ALL="+locale)
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err == nil {
		c.in, err = c.cmd.StdinPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(c.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			c.lines <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		c.cmd.Process.Kill()
		<-read
		c.cmd.Wait()
	})
	c.glance(first)
	return c
}

// glance has the node be so.
func (c *child) glance(g api.Glance) { c.t.Helper(); c.send(told{Glance: &g}) }

func (c *child) send(what told) {
	c.t.Helper()
	line, err := json.Marshal(what)
	if err == nil {
		_, err = c.in.Write(append(line, '\n'))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// hears waits until a line begins so, and returns it. Lines before are skipped.
func (c *child) hears(begin string) string {
	c.t.Helper()
	timer := time.NewTimer(traytest.Patience)
	defer timer.Stop()
	for {
		select {
		case line, ok := <-c.lines:
			if !ok {
				c.t.Fatalf("ended without %q; heard %q", begin, c.heard)
			}
			if c.heard = append(c.heard, line); strings.HasPrefix(line, begin) {
				return line
			}
		case <-timer.C:
			c.t.Fatalf("waited in vain for %q; heard %q", begin, c.heard)
		}
	}
}

// end ends the tray, which must leave nothing behind unless the bus hangs.
func (c *child) end(hangs bool) {
	c.t.Helper()
	c.in.Close()
	c.hears("ended <nil>")
	if left := c.hears("left behind:"); (left != "left behind:") != hangs {
		c.t.Errorf("with a bus that hangs (%t) it has %s", hangs, strings.ReplaceAll(left, "|", "\n"))
	}
}
