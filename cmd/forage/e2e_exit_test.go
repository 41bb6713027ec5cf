//go:build unix

package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/demo"
)

// Scripts rely on exit codes, and people on being told what to do.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	web := newLab(t, demo.Options{Sites: 1, Pages: 60})
	lab := []string{"--lab", "--hosts", web.hosts, "--seeds", web.web.StartURL()}
	for _, c := range []struct {
		name   string
		config string // of the settings file, if any
		args   []string
		code   int
		says   []string // on standard error
	}{
		{"no consent", "", []string{"run"}, 7, []string{
			"Nothing has been sent yet. If you agree, this happens:", "internet address", "robots.txt", "/data/warc", "forage consent", "--accept",
		}},
		{"no consent in a lab", "", append([]string{"run"}, lab...), 7, []string{"Nothing has been sent yet", "--accept"}},
		{"consent without a terminal", "", []string{"consent"}, 7, []string{"not agreed"}},
		{"unknown command", "", []string{"crawl"}, 2, []string{`"crawl"`, "forage help"}},
		{"unknown flag", "", []string{"run", "--fast"}, 2, []string{"-fast", "forage help run"}},
		{"unknown flag before the command", "", []string{"--fast", "run"}, 2, []string{"-fast"}},
		{"surplus argument", "", []string{"status", "now"}, 2, []string{"forage status", "no argument"}},
		{"missing argument", "", []string{"why"}, 2, []string{"forage why", "one argument"}},
		{"gap without lab", "", []string{"run", "--accept", "--gap", "1s"}, 2, []string{"--gap", "--lab"}},
		{"fetchers without lab", "", []string{"run", "--accept", "--fetchers", "2"}, 2, []string{"--fetchers", "--lab"}},
		{"no limits without lab", "", []string{"run", "--accept", "--no-limits"}, 2, []string{"--no-limits", "--lab"}},
		{"exit when idle without lab", "", []string{"run", "--accept", "--exit-when-idle", "1s"}, 2, []string{"--exit-when-idle", "--lab"}},
		{"hosts without lab", "", []string{"run", "--accept", "--hosts", web.hosts}, 2, []string{"--hosts", "--lab"}},
		{"gap is no duration", "", []string{"run", "--accept", "--lab", "--gap", "5"}, 2, []string{"gap"}},
		{"too many fetchers", "", []string{"run", "--accept", "--lab", "--fetchers", "1001"}, 2, []string{"1001", "1 to 1000"}},
		{"too deep", "", []string{"run", "--accept", "--depth", "256"}, 2, []string{"256", "0 to 255"}},
		{"setting out of range", "# mine\n[budget.full]\nfetchers = 40\n", []string{"run", "--accept"}, 6, []string{
			"config.toml:3:", "budget.full.fetchers", "cannot have this value", "a whole number from 1 to 16",
		}},
		{"setting out of range, asked before consent", "[budget.full]\nsockets = 4\n", []string{"run"}, 6, []string{
			"config.toml:2:", "budget.full.sockets", "8 to 400",
		}},
		{"unknown setting", "[budget.full]\nfetcher = 4\n", []string{"run", "--accept"}, 6, []string{"config.toml:2:", "budget.full.fetchers"}},
		{"broken settings", "[budget\n", []string{"run", "--accept"}, 6, []string{"config.toml:1:"}},
		{"broken settings, only read", "[budget\n", []string{"get", "disk.max"}, 6, []string{"config.toml:1:"}},
		{"set out of range", "", []string{"set", "budget.full.fetchers=17"}, 6, []string{"budget.full.fetchers", "17", "1 to 16"}},
		{"set what is not a setting", "", []string{"set", "budget.full.fetcher=4"}, 6, []string{"budget.full.fetchers"}},
		{"port taken", "", append([]string{"run", "--accept", "--api", taken.Addr().String()}, lab...), 1, []string{
			"is taken", "--api 127.0.0.1:0",
		}},
		{"API for all the world", "", append([]string{"run", "--accept", "--api", "0.0.0.0:0"}, lab...), 1, []string{"127.0.0.1"}},
		{"no hosts file", "", []string{"run", "--accept", "--lab", "--hosts", "/nowhere"}, 1, []string{"/nowhere"}},
		{"no seed file", "", []string{"run", "--accept", "--lab", "--seeds", "/nowhere"}, 2, []string{"/nowhere"}},
		{"seeds out of scope", "", append([]string{"run", "--accept", "--api", "127.0.0.1:0", "--scope", "elsewhere.test"}, lab...), 1, []string{"--scope"}},
		{"status where no node ever ran", "", []string{"status"}, 1, []string{"Forage has not run here yet", "forage run"}},
		{"domains where no node ever ran", "", []string{"domains"}, 1, []string{"Forage has not run here yet", "forage run"}},
		{"stats where no node ever ran", "", []string{"stats"}, 1, []string{"Forage has not run here yet", "forage run"}},
		{"pause without a node", "", []string{"pause"}, 1, []string{"Forage is not running here", "\"forage\" starts it"}},
		{"pause for nothing", "", []string{"pause", "soon"}, 2, []string{`"soon"`, "30m"}},
		{"resume without a node", "", []string{"resume"}, 1, []string{"Forage is not running here"}},
		{"stop without a node", "", []string{"stop"}, 1, []string{"Forage is not running here"}},
		{"log without a node", "", []string{"log"}, 1, []string{"Forage is not running here"}},
		{"export where no node ever ran", "", []string{"export", "--format", "warc", "out"}, 1, []string{"Forage has not run here yet"}},
		{"export of links where no node ever ran", "", []string{"export", "--format", "links", "out"}, 1, []string{"Forage has not run here yet"}},
		{"export of what", "", []string{"export", "out"}, 2, []string{"warc, wacz, cdxj, links, pages, graph or stats"}},
		{"export to an unknown format", "", []string{"export", "--format", "pdf", "out"}, 2, []string{`"pdf"`, "warc"}},
		{"erase without being sure", "", []string{"erase"}, 1, []string{"--yes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), "home")
			if c.config != "" {
				writeConfig(t, home, c.config)
			}
			p := startForage(t, append(c.args, "--home", home)...)
			if code := p.wait(); code != c.code {
				t.Errorf("ended with %d, want %d", code, c.code)
			}
			for _, want := range c.says {
				if !strings.Contains(p.stderr.String(), want) {
					t.Errorf("standard error does not say %q:\n%s", want, tail(p.stderr.String()))
				}
			}
			if strings.Contains(p.stderr.String(), "goroutine ") {
				t.Errorf("it panicked:\n%s", p.stderr.String())
			}
		})
	}
	if n := len(web.visits()); n > 0 {
		t.Errorf("%d requests were made by runs that never began", n)
	}
}

func writeConfig(t *testing.T, home, text string) {
	t.Helper()
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Whoever has agreed once is not asked again.
func TestConsent_IsRemembered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		agree func(l *lab)
	}{
		{"consent", func(l *lab) {
			if out := l.forage("consent", "--yes"); !strings.Contains(out, "Nothing has been sent yet") {
				l.t.Errorf("the text is missing: %s", out)
			}
		}},
		{"run --accept", func(l *lab) { l.start(fullSpeed...).succeed() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, demo.Options{Sites: 1, Pages: 60})
			c.agree(l)
			if out := l.forage("consent"); !strings.Contains(out, "You agreed to this on ") {
				t.Errorf("consent says:\n%s", out)
			}
			startForage(t, "run", "--home", l.home, "--lab", "--hosts", l.hosts, "--api", "127.0.0.1:0", "--seeds", l.web.StartURL(),
				"--gap", "0s", "--no-limits", "--exit-when-idle", "1s").succeed()
			l.visits().complete(t, l.web)
		})
	}
}

// The home of a running node is in use.
func TestRun_SecondNodeInTheSameHome(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{Sites: 1, Pages: 60})
	first := l.start("--gap", "1m")
	first.awaitUp(l.home)
	second := l.start(fullSpeed...)
	if code := second.wait(); code != 5 {
		t.Errorf("the second node ended with %d, want 5", code)
	}
	if !strings.Contains(second.stderr.String(), "forage status") {
		t.Errorf("the second node says:\n%s", second.stderr.String())
	}
	erase := startForage(t, "erase", "--yes", "--home", l.home)
	if code := erase.wait(); code != 5 || !strings.Contains(erase.stderr.String(), "forage stop") {
		t.Errorf("erase beside a node ended with %d: %s", code, erase.stderr.String())
	}
	if !isUp(l.home) || l.status().PID != first.cmd.Process.Pid {
		t.Error("the first node is no longer found")
	}
}
