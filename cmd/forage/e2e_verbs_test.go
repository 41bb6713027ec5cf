//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/demo"
)

// The commands beside a node that is at work.
func TestVerbs_BesideARunningNode(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{Pages: 5000})
	const gap = 2 * time.Second // with so many pages, the crawl takes longer than the test may
	node := l.start("--gap", gap.String(), "--fetchers", "16", "--no-limits")
	node.awaitUp(l.home)
	until(t, "a hundred requests", func() bool { return l.served.Load() >= 100 })

	t.Run("status", func(t *testing.T) {
		s := l.status()
		if s.PID != node.cmd.Process.Pid || !s.Lab || s.Home != l.home || s.Network != "lab-main" || s.ArchiveDir != l.warcDir() {
			t.Errorf("status says %+v", s)
		}
		if s.State != api.StateWorking && s.State != api.StateWaiting {
			t.Errorf("the node is %s, want at work", s.State)
		}
		if s.Pages == 0 || s.Pages != s.PagesSession || s.Domains < 41 || s.Queued == 0 || s.Known < s.Pages || s.BytesReceived == 0 {
			t.Errorf("status says %+v", s)
		}
		if out := l.forage("status"); !strings.Contains(out, l.warcDir()) || !strings.Contains(out, "Pages") {
			t.Errorf("status says\n%s", out)
		}
	})
	t.Run("domains", func(t *testing.T) {
		domains := parseJSON[[]api.Domain](t, l.forage("domains", "--json"))
		if len(domains) != 41 || !slices.IsSortedFunc(domains, func(a, b api.Domain) int { return strings.Compare(a.Domain, b.Domain) }) {
			t.Errorf("%d domains, want 41 in order: %+v", len(domains), domains)
		}
		if out := l.forage("domains"); !strings.Contains(out, "corner-bakery.test") {
			t.Errorf("domains says\n%s", out)
		}
	})
	t.Run("stats", func(t *testing.T) {
		if s := l.stats(); s.Totals.Pages == 0 || len(s.Hours) == 0 {
			t.Errorf("stats says %+v", s)
		}
	})
	t.Run("log", func(t *testing.T) { checkLog(t, l) })
	t.Run("export", func(t *testing.T) { checkExportBesides(t, l) })
	t.Run("home before the command", func(t *testing.T) {
		p := startForage(t, "--home", l.home, "--json", "status").succeed()
		if s := parseJSON[api.Status](t, p.stdout.String()); s.PID != node.cmd.Process.Pid {
			t.Errorf("status says %+v", s)
		}
	})
	t.Run("pause", func(t *testing.T) { checkPause(t, l) })
	t.Run("pause for a while", func(t *testing.T) { checkPauseFor(t, l) })
	t.Run("stop", func(t *testing.T) {
		if out := l.forage("stop"); out != "Stopped.\n" {
			t.Errorf("stop says %q", out)
		}
		// The commands that follow in a script find the files free.
		if s := l.status(); s.State != "not running" || s.Leases != 0 || s.Queued == 0 {
			t.Errorf("after the stop, status says %+v", s)
		}
		node.succeed()
		if isUp(l.home) {
			t.Error("the API descriptor is still there")
		}
	})
	t.Run("erase", func(t *testing.T) {
		l.forage("erase", "--yes")
		if p := startForage(t, "status", "--home", l.home); p.wait() != 1 {
			t.Errorf("status after erase: %s", p.stdout.String())
		}
		left, err := os.ReadDir(l.warcDir())
		if len(left) > 0 {
			t.Errorf("%d files are left in the archive, %v", len(left), err)
		}
		if _, err := os.Stat(filepath.Join(l.home, "config.toml")); err != nil {
			t.Errorf("the settings are gone: %v", err)
		}
	})
	l.visits().lawful(t, l.web)
	l.visits().noRepeats(t)
	keepsGapEverywhere(t, l.visits(), gap)
}

// keepsGapEverywhere fails the test unless every site was left alone for a
// while between two requests; a robots.txt may redirect.
func keepsGapEverywhere(t *testing.T, v visits, gap time.Duration) {
	t.Helper()
	few := complaints{t: t}
	last := make(map[string]demo.Hit) // by domain: the hosts of one have two labels or three
	for _, h := range v {
		host, _, _ := strings.Cut(strings.TrimPrefix(h.URL, "http://"), "/")
		labels := strings.Split(host, ".")
		domain := labels[len(labels)-2]
		before, ok := last[domain]
		if waited := h.Start.Sub(before.End); ok && !isRobots(h.URL) && waited < gap {
			few.errorf("%s was requested by %s %s after %s (%d, %d bytes, in %s, to %s), want %s",
				h.URL, h.Client, waited, before.URL, before.Status, before.Bytes, before.End.Sub(before.Start), before.Client, gap)
		}
		last[domain] = h
	}
}

// checkLog reads the events, as text and as JSON lines with increasing numbers.
func checkLog(t *testing.T, l *lab) {
	var last uint64
	kinds := make(map[api.Kind]int)
	for line := range strings.Lines(l.forage("log", "--json")) {
		var e api.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if e.ID <= last {
			t.Errorf("event %d after %d", e.ID, last)
		}
		last = e.ID
		kinds[e.Kind]++
	}
	if kinds[api.KindPage] == 0 || kinds[api.KindRobots] == 0 || kinds[api.KindNode] == 0 {
		t.Errorf("events by kind: %v", kinds)
	}
	if out := l.forage("log"); !strings.Contains(out, "http://start.test/") {
		t.Errorf("log says\n%s", tail(out))
	}
	follow := startForage(t, "log", "--follow", "--json", "--home", l.home)
	until(t, "an event that came after", func() bool {
		lines := strings.Split(follow.stdout.String(), "\n")
		var e api.Event
		return len(lines) > 1 && json.Unmarshal([]byte(lines[len(lines)-2]), &e) == nil && e.ID > last
	})
}

// checkExportBesides writes out what a running node has up to now.
func checkExportBesides(t *testing.T, l *lab) {
	dir := t.TempDir()
	for _, format := range []string{"warc", "cdxj", "links", "stats"} {
		l.forage("export", "--format", format, filepath.Join(dir, format))
	}
	if n := len(captures(readArchive(t, filepath.Join(dir, "warc")))); n == 0 {
		t.Error("no capture in the exported archive")
	}
	if lines := readLines(t, filepath.Join(dir, "cdxj", "index.cdxj")); len(lines) < 2 || !slices.IsSorted(lines) {
		t.Errorf("%d lines in the index, or they are not sorted", len(lines))
	}
	if lines := readLines(t, filepath.Join(dir, "links", "links.tsv")); len(lines) < 40 {
		t.Errorf("%d links", len(lines))
	}
	if s := parseJSON[api.Stats](t, string(readFile(t, filepath.Join(dir, "stats", "stats.json")))); s.Totals.Pages == 0 {
		t.Errorf("stats.json says %+v", s)
	}
}

// checkPause pauses a node, watches for a while that no request starts once
// those in flight are over, and resumes it.
func checkPause(t *testing.T, l *lab) {
	l.forage("pause")
	s := l.status()
	if s.State != api.StatePaused || len(s.Reasons) != 1 || !strings.HasPrefix(s.Reasons[0], "Paused by you until you resume") || s.ResumeAt != nil {
		t.Errorf("paused, status says %s, %q, until %v", s.State, s.Reasons, s.ResumeAt)
	}
	until(t, "the last requests and leases to be over", func() bool { s := l.status(); return s.InFlight == 0 && s.Leases == 0 })
	quiet := time.Now()
	until(t, "the time to pass in which something might start", func() bool { return time.Since(quiet) > 2*time.Second })
	for _, h := range l.visits() {
		if h.Start.After(quiet) {
			t.Errorf("%s was requested %s after all was quiet", h.URL, h.Start.Sub(quiet))
		}
	}
	n := l.served.Load()
	l.forage("resume")
	until(t, "requests after resuming", func() bool { return l.served.Load() > n })
}

// checkPauseFor pauses a node that goes on by itself.
func checkPauseFor(t *testing.T, l *lab) {
	const d = time.Second
	asked := time.Now()
	l.forage("pause", d.String())
	if s := l.status(); s.State == api.StatePaused && (s.ResumeAt == nil || s.ResumeAt.Sub(asked) < d || s.ResumeAt.Sub(asked) > patience) {
		t.Errorf("asked at %s to pause for %s, status says until %v", asked, d, s.ResumeAt)
	}
	until(t, "the end of the pause", func() bool { return l.status().State != api.StatePaused })
	if took := time.Since(asked); took < d {
		t.Errorf("the pause took %s, want %s at least", took, d)
	}
	n := l.served.Load()
	until(t, "requests after the pause", func() bool { return l.served.Load() > n })
}

func TestVerbs_WithoutANode(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	for _, args := range [][]string{
		{"paths", "--json", "--home", home}, {"--home", home, "paths", "--json"}, {"--json", "--home=" + home, "paths"},
	} {
		got := parseJSON[map[string]string](t, startForage(t, args...).succeed().stdout.String())
		for key, want := range map[string]string{
			"config": filepath.Join(home, "config.toml"), "state": filepath.Join(home, "state"),
			"data": filepath.Join(home, "data"), "warc": filepath.Join(home, "data", "warc"),
		} {
			if got[key] != want {
				t.Errorf("%q says %s is %s, want %s", args, key, got[key], want)
			}
		}
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("asking for the paths has made a directory")
	}
	out := startForage(t, "version").succeed().stdout.String()
	version := parseJSON[map[string]string](t, startForage(t, "version", "--json").succeed().stdout.String())["version"]
	if out != "forage "+version+"\n" || version == "" {
		t.Errorf("version says %q, in JSON %q", out, version)
	}
	for _, args := range [][]string{{"help"}, {"--help"}, {"run", "--help"}, {"export", "-h"}} {
		p := startForage(t, args...).succeed()
		if !strings.Contains(p.stdout.String(), "usage: forage") || p.stderr.String() != "" {
			t.Errorf("%q says %q, and on standard error %q", args, p.stdout.String(), p.stderr.String())
		}
	}
}

// Settings are kept in the file that people edit, and take effect.
func TestVerbs_SetAndGet(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	writeConfig(t, home, "# my settings\n[budget.full]\nfetchers = 3 # few\n")
	startForage(t, "set", "disk.max=5 GB", "--home", home).succeed()
	startForage(t, "set", "budget.full.fetchers=4", "--home", home).succeed()
	for key, want := range map[string]string{"budget.full.fetchers": "4", "disk.max": "5 GB", "budget.full.sockets": "60"} {
		got := startForage(t, "get", key, "--home", home).succeed().stdout.String()
		if strings.Trim(got, "\"\n") != want {
			t.Errorf("get %s says %q, want %s", key, got, want)
		}
	}
	if text := string(readFile(t, filepath.Join(home, "config.toml"))); !strings.Contains(text, "# my settings") || !strings.Contains(text, "# few") {
		t.Errorf("the comments are gone:\n%s", text)
	}
}
