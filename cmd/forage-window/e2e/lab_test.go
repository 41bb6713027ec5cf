//go:build linux

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/ui/open"
)

// lab is a practice web with the home of one node, on a desktop.
type lab struct {
	*display
	t     *testing.T
	web   *demo.Web
	home  string
	hosts string
	env   []string // of all programs of this lab
	node  *process

	api  *api.Client
	boot string // of the node that api is for
}

// newLab makes a lab in which nothing runs yet.
func newLab(t *testing.T) *lab {
	t.Helper()
	return newLabOn(t, onDesktop(t))
}

func newLabOn(t *testing.T, d *display) *lab {
	t.Helper()
	return newLabOf(t, d, demo.Options{Sites: 30, Pages: 3000})
}

func newLabOf(t *testing.T, d *display, o demo.Options) *lab {
	t.Helper()
	web, err := demo.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	dir := t.TempDir()
	l := &lab{display: d, t: t, web: web, home: filepath.Join(dir, "home"), hosts: filepath.Join(dir, "hosts")}
	l.env = append(slices.Clone(d.env), "FORAGE_WINDOW_MAP="+l.mapFile(), "FORAGE_PROGRAM="+l.starter())
	if err := os.WriteFile(l.hosts, []byte(web.Hosts()), 0o600); err != nil {
		t.Fatal(err)
	}
	// A node that the window starts is one of the lab, too.
	script := "#!/bin/sh\nexec " + filepath.Join(programs, "forage") + ` "$@" --no-tray ` + strings.Join(l.labFlags(), " ") + "\n"
	if err := os.WriteFile(l.starter(), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.stop()
		for _, pid := range living("FORAGE_PROGRAM="+l.starter(), "forage") {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		if log, err := os.ReadFile(filepath.Join(l.state(), open.WindowLog)); err == nil {
			l.inOrder(string(log)) // what windows said that others have started
		}
		if t.Failed() && l.node != nil {
			t.Logf("the node said:\n%s", tail(l.node.out.String()))
		}
	})
	return l
}

// threadError is what Fyne says when something of a window was called on another goroutine than its own. Programs with
// the tag "migrated_fynedo" do not look at that; those of the tests do.
const threadError = "*** Error in Fyne call thread"

// inOrder fails the test if a window has broken the rule of threads.
func (l *lab) inOrder(said string) {
	l.t.Helper()
	if at := strings.Index(said, threadError); at >= 0 {
		l.t.Errorf("a window broke the rule of threads:\n%s", said[at:min(len(said), at+2000)])
	}
}

// tail is the end of a long text.
func tail(text string) string { return text[max(0, len(text)-4000):] }

// freeHand are settings with which nothing but what a test sets limits a node.
var freeHand = []string{
	"pause.battery=no", "pause.metered=no", "pause.vpn=no", "pause.fullscreen=no", "pause.other_cpu=100", "disk.keep_free=0", "disk.max_percent=100",
	"level.in_use=full", "idle.unknown_is=away",
}

// start starts the node and waits until it answers.
func (l *lab) start(flags ...string) {
	l.t.Helper()
	args := slices.Concat([]string{"run", "--home", l.home}, l.labFlags(), flags)
	var err error
	if l.node, err = launch(l.env, filepath.Join(programs, "forage"), args...); err != nil {
		l.t.Fatal(err)
	}
	await(l.t, "the node answers", func() bool {
		if l.node.gone() {
			l.t.Fatalf("the node ended:\n%s", l.node.out.String())
		}
		return l.answers()
	})
}

func (l *lab) answers() bool {
	_, err := api.Dial(l.state())
	return err == nil
}

// labFlags are those with which all nodes of the lab run.
func (l *lab) labFlags() []string {
	return []string{"--lab", "--hosts", l.hosts, "--seeds", l.web.StartURL(), "--api", "127.0.0.1:0", "--lab-limits", "--gap", "1s"}
}

// crawl starts a node that crawls whether or not somebody is there, without an icon.
func (l *lab) crawl(flags ...string) {
	l.t.Helper()
	l.crawlWithTray(append([]string{"--no-tray"}, flags...)...)
}

// crawlWithTray is crawl with an icon.
func (l *lab) crawlWithTray(flags ...string) {
	l.t.Helper()
	for _, s := range freeHand {
		l.forage("set", s)
	}
	l.start(append([]string{"--accept"}, flags...)...)
	l.works()
}

// works waits until the practice web is asked for something new.
func (l *lab) works() {
	l.t.Helper()
	n := len(l.web.Served())
	await(l.t, "the node crawls", func() bool { return len(l.web.Served()) > n+1 })
}

func (l *lab) stop() {
	if l.node != nil && !l.node.gone() {
		l.node.stop()
	}
}

// starter is the program with which the window starts a node.
func (l *lab) starter() string { return filepath.Join(filepath.Dir(l.home), "forage-lab") }

func (l *lab) state() string { return filepath.Join(l.home, "state") }

// client is that of the node that runs now. Each keeps connections, of which a node has few to give.
func (l *lab) client() *api.Client {
	l.t.Helper()
	d, err := descriptor.Read(l.state())
	if err == nil && (l.api == nil || l.boot != d.BootID) {
		l.boot = d.BootID
		l.api, err = api.Dial(l.state())
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return l.api
}

func (l *lab) status() api.Status {
	l.t.Helper()
	s, err := l.client().Status(context.Background())
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

func (l *lab) limits() api.Limits {
	l.t.Helper()
	is, err := l.client().Limits(context.Background(), "en")
	if err != nil {
		l.t.Fatal(err)
	}
	return is
}

// rests reports whether the node rests for a reason.
func (l *lab) rests(kind string) bool {
	is := l.limits()
	return is.Level == "off" && slices.ContainsFunc(is.Reasons, func(r api.LimitReason) bool { return r.Kind == kind })
}

// forage runs another command with the home of the lab and returns what it printed.
func (l *lab) forage(args ...string) string {
	l.t.Helper()
	cmd := exec.Command(filepath.Join(programs, "forage"), append(args, "--home", l.home)...)
	cmd.Env = l.env
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("forage %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// judged fails the test unless the practice web was asked as a right crawler asks: nothing forbidden, and no page twice.
func (l *lab) judged() {
	l.t.Helper()
	once := make(map[string]int)
	for _, u := range l.web.Expected() {
		once[u] = 0
	}
	forbidden := make(map[string]bool)
	for _, u := range l.web.Forbidden() {
		forbidden[u] = true
	}
	for _, h := range l.web.Served() {
		if forbidden[h.URL] {
			l.t.Errorf("%s was asked for, which is forbidden", h.URL)
		}
		if _, ok := once[h.URL]; ok {
			if once[h.URL]++; once[h.URL] == 2 {
				l.t.Errorf("%s was fetched twice", h.URL)
			}
		}
	}
}

// setting is a text in the settings file.
func (l *lab) setting(key string) string {
	l.t.Helper()
	return strings.Trim(strings.TrimSpace(l.forage("get", key)), `"`)
}
