//go:build unix

package main

import (
	"bufio"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/app/demo"
)

// nobodyTells is an environment in which no desktop and no service says what the computer is doing.
var nobodyTells = []string{"DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent/bus", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent/bus"}

// unlimited are settings with which what this computer happens to be like limits nothing.
var unlimited = []string{
	"pause.battery=no", "pause.metered=no", "pause.vpn=no", "pause.other_cpu=100", "disk.keep_free=0", "disk.max_percent=100",
	"budget.full.cpu_percent=100", "budget.full.down_kbit=-1", "budget.full.up_kbit=-1", "budget.full.pages_per_min=300", "budget.full.fetchers=4",
}

// run runs a command in a home and returns what it prints.
func run(t *testing.T, home string, args ...string) string {
	t.Helper()
	return startForage(t, append(args, "--home", home)...).succeed().stdout.String()
}

// limitsOf returns what "forage limits" says.
func limitsOf(t *testing.T, home string) api.Limits {
	t.Helper()
	return parseJSON[api.Limits](t, run(t, home, "limits", "--json"))
}

// dial returns the API of the node of a home.
func dial(t *testing.T, home string) *client.Client {
	t.Helper()
	c, err := client.Dial(filepath.Join(home, "state"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// limited is a node in a lab with the limits of a user, of whom nothing is known at first.
type limited struct {
	*lab
	node *process
	api  *client.Client
}

func startLimited(t *testing.T, env []string, settings ...string) *limited {
	t.Helper()
	l := newLab(t, demo.Options{Pages: 5000})
	l.slowDown(100 * time.Millisecond)
	for _, s := range slices.Concat(unlimited, settings) {
		run(t, l.home, "set", s)
	}
	node := startWith(t, exec.Command(program, l.runArgs("--gap", "0s", "--lab-limits", "--lab-times", "real")...), env...)
	node.awaitUp(l.home)
	return &limited{l, node, dial(t, l.home)}
}

// now returns what holds now.
func (l *limited) now() api.Limits {
	l.t.Helper()
	is, err := l.api.Limits(l.t.Context(), "en")
	if err != nil {
		l.t.Fatal(err)
	}
	return is
}

// works waits for requests that have not been there yet.
func (l *limited) works() {
	l.t.Helper()
	n := l.served.Load()
	until(l.t, "work", func() bool { return l.served.Load() >= n+10 })
}

// rests waits until there is no work for a reason, and nothing is in flight any more. Limits are asked for only
// then: the answer is decided again.
func (l *limited) rests(kind, footing string) {
	l.t.Helper()
	until(l.t, "the last answer", func() bool {
		s, err := l.api.Status(l.t.Context())
		return err == nil && s.State == api.StatePaused && s.InFlight == 0
	})
	until(l.t, kind, func() bool {
		is := l.now()
		return is.Level == "off" && is.Footing == footing && is.Reasons[0].Kind == kind
	})
}

// What a user asks for, and sets, while a node runs.
func TestLimits_ByHand(t *testing.T) {
	t.Parallel()
	l := startLimited(t, nobodyTells)

	l.rests("unknown_input", "standby")
	is := limitsOf(t, l.home)
	if text := l.forage("limits"); !strings.HasPrefix(text, is.Sentence+"\n") || !strings.Contains(text, "level          off\nparticipation  on standby\n") || !strings.Contains(text, "data.day") {
		t.Errorf("limits says\n%s", text)
	}
	if is.Mode != "auto" || l.served.Load() != 0 {
		t.Errorf("mode %s, %d requests although nobody knows whether somebody is there", is.Mode, l.served.Load())
	}

	if out := l.forage("resume", "--for", "10m"); !strings.Contains(out, "Working while you're here") {
		t.Errorf("resume says %q", out)
	}
	l.works()
	if text := l.forage("limits"); !strings.Contains(text, "level          full\n") || !strings.Contains(text, "mode           on until ") {
		t.Errorf("limits says\n%s", text)
	}

	l.forage("resume")
	l.rests("unknown_input", "standby")
	l.forage("set", "idle.unknown_is=away")
	l.works() // without a restart
	l.forage("pause", "1h")
	if is := limitsOf(t, l.home); is.Level != "off" || is.Mode != "off" || is.Until == nil || is.Reasons[0].Kind != "paused" {
		t.Errorf("after pause: %+v", is)
	}
	l.rests("paused", "silent")
	l.forage("pause", "2s")
	l.works() // by itself
	checkSettingsFile(t, l)

	l.node.signal(syscall.SIGTERM)
	l.node.succeed()
	l.visits().lawful(t, l.web)
	l.visits().noRepeats(t) // nothing that was in flight was cut
}

// checkSettingsFile makes the settings file wrong, and right again.
func checkSettingsFile(t *testing.T, l *limited) {
	t.Helper()
	name := filepath.Join(l.home, "config.toml")
	good, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l.node.signal(syscall.SIGHUP)
	}
	write(string(good) + "\nthis is wrong\n")
	until(t, "what is wrong", func() bool { return l.now().Fault != "" })
	if text := l.forage("limits"); !strings.Contains(text, "The settings file has a fault, so the last good settings apply:\n"+name+":") || !strings.Contains(text, "level          full") {
		t.Errorf("with a wrong file limits says\n%s", text)
	}
	write(strings.Replace(string(good), `unknown_is = "away"`, `unknown_is = "in_use"`, 1))
	l.rests("unknown_input", "standby")
	if is := l.now(); is.Fault != "" {
		t.Errorf("after it was mended: %s", is.Fault)
	}
}

// What scripts read is as documented.
func TestLimits_JSON(t *testing.T) {
	t.Parallel()
	l := startLimited(t, nobodyTells)
	l.rests("unknown_input", "standby")
	keys := func(v any) []string {
		m, _ := v.(map[string]any)
		return slices.Sorted(maps.Keys(m))
	}
	first := func(v any) any {
		list, ok := v.([]any)
		if !ok || len(list) == 0 {
			t.Errorf("no list, or an empty one: %v", v)
			return nil
		}
		return list[0]
	}
	is := func(what string, v any, want string) {
		t.Helper()
		if got := strings.Join(keys(v), " "); got != want {
			t.Errorf("%s has the keys %q, want %q", what, got, want)
		}
	}
	all := parseJSON[map[string]any](t, l.forage("limits", "--json"))
	is("limits", all, "budgets changes fault footing help_now level mode quotas reasons run sensors sentence until")
	is("a budget", first(all["budgets"]), "day hour limit minute month name now unit")
	is("a quota", first(all["quotas"]), "limit name sites used")
	is("a reason", first(all["reasons"]), "allows kind sentence since until")
	is("a sensor", first(all["sensors"]), "known name never source value why")
	var names []string
	for _, b := range all["budgets"].([]any) {
		names = append(names, b.(map[string]any)["name"].(string))
	}
	if got := strings.Join(names, " "); got != "cpu_percent down_kbit up_kbit sockets pages_per_min fetchers" {
		t.Errorf("budgets %s", got)
	}
	var history map[string]any
	until(t, "a minute of history", func() bool {
		history = parseJSON[map[string]any](t, l.forage("limits", "--history", "--json"))
		list, _ := history["minutes"].([]any)
		return len(list) > 0
	})
	is("history", history, "breaches minutes summary")
	is("a minute", first(history["minutes"]), "figures level seconds start")
	is("a figure", first(first(history["minutes"]).(map[string]any)["figures"]), "limit max mean name")
	if text := l.forage("limits", "--history"); !strings.Contains(text, "minutes full") {
		t.Errorf("the history is\n%s", text)
	}
}

// A node that is killed has lost little of what it knew of the data that were used.
func TestLimits_KillLosesLittleOfWhatWasUsed(t *testing.T) {
	t.Parallel()
	// At most 1 MiB, what moves until that is noticed and committed, and what is under way at the end.
	const size, settled, mayLose = 200_000, 34, 3_000_000
	pages := map[string]string{"/": ""}
	for i := range 60 {
		pages["/"] += `<a href="/` + itoa(i) + `">x</a>`
		pages["/"+itoa(i)] = itoa(i) + strings.Repeat("x", size)
	}
	s := newSite(t, "big.test", pages)
	dead := make(chan struct{})
	defer close(dead)
	s.whenAsked(40, func() { <-dead }) // from now on nothing moves
	for _, set := range append(unlimited, "idle.unknown_is=away") {
		run(t, s.home, "set", set)
	}
	args := []string{"run", "--home", s.home, "--accept", "--lab", "--hosts", s.hosts, "--api", "127.0.0.1:0", "--seeds", s.url("/"), "--gap", "50ms", "--lab-limits"}
	node := startWith(t, exec.Command(program, args...), nobodyTells...)
	node.awaitUp(s.home)
	c, used := dial(t, s.home), int64(0)
	until(t, "pages to be settled", func() bool {
		status, err := c.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		l, err := c.Limits(t.Context(), "en")
		if err != nil {
			t.Fatal(err)
		}
		used = l.Quotas[0].Used
		return status.Pages >= settled
	})
	node.signal(syscall.SIGKILL)
	node.killedBy(syscall.SIGKILL)
	run(t, s.home, "set", "level.away=off")
	node = startWith(t, exec.Command(program, args...), nobodyTells...)
	node.awaitUp(s.home)
	if q := limitsOf(t, s.home).Quotas[0]; q.Name != "data.day" || used < 2*mayLose || q.Used < used-mayLose {
		t.Errorf("%s: %d bytes used after the kill, %d before", q.Name, q.Used, used)
	}
}

// startDisplay starts an X server without a screen, and returns its name.
func startDisplay(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"Xvfb", "xdotool"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("no %s here", name)
		}
	}
	tell, told, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer tell.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{told}
	startWith(t, cmd)
	told.Close()
	number, err := bufio.NewReader(tell).ReadString('\n')
	if err != nil {
		t.Fatalf("no display: %v", err)
	}
	return ":" + strings.TrimSpace(number)
}

// A user who touches the mouse has the computer alone within two seconds, and forage is back a minute after.
func TestLong_MouseStopsWork(t *testing.T) {
	long(t)
	display := "DISPLAY=" + startDisplay(t)
	l := startLimited(t, append(nobodyTells, display), "idle.after=1 min")
	l.rests("in_use", "standby")
	if n := l.served.Load(); n != 0 {
		t.Errorf("%d requests within the first minute", n)
	}
	var moved time.Time
	for range 3 {
		l.works()
		moved = time.Now()
		startWith(t, exec.Command("xdotool", "mousemove_relative", "--", "7", "5"), display).succeed()
		l.rests("in_use", "standby")
		time.Sleep(3 * time.Second)
		var last time.Time
		for _, h := range l.visits() {
			if h.Start.After(last) {
				last = h.Start
			}
		}
		if late := last.Sub(moved); late > 2*time.Second {
			t.Errorf("the last request began %v after the mouse was moved", late)
		} else {
			t.Logf("the last request began %v after the mouse was moved", late)
		}
	}
	n := len(l.visits())
	l.works()
	t.Logf("the first request after that began %v after the mouse was moved", l.visits()[n].Start.Sub(moved))
	l.visits().noRepeats(t)
}

// A node that is told to finish ends in order, when the last request has come to its end.
func TestLimits_Finish(t *testing.T) {
	t.Parallel()
	l := startLimited(t, nobodyTells)
	l.forage("resume", "--for", "10m")
	l.works()
	if out := l.forage("finish"); !strings.Contains(out, "then stopping.") {
		t.Errorf("finish says %q", out)
	}
	if code := l.node.wait(); code != 0 {
		t.Errorf("it ended with %d, want 0: a service would be started again\n%s", code, tail(l.node.stderr.String()))
	}
	if isUp(l.home) {
		t.Error("the API descriptor is still there")
	}
	l.visits().lawful(t, l.web)
	l.visits().noRepeats(t)
}
