package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/storage"
)

func TestParse_FlagsAndArgumentsInAnyOrder(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		args     []string
		min, max int
		rest     []string
		json     bool
		n        int
		err      string
	}{
		{args: nil, rest: nil, n: 1},
		{args: []string{"a", "b"}, max: 2, rest: []string{"a", "b"}, n: 1},
		{args: []string{"--json", "a", "--n", "5", "b"}, max: 2, rest: []string{"a", "b"}, json: true, n: 5},
		{args: []string{"a", "b", "-json", "-n=5"}, max: 2, rest: []string{"a", "b"}, json: true, n: 5},
		{args: []string{"a", "--json=false"}, max: 1, rest: []string{"a"}, n: 1},
		{args: []string{"--", "-a"}, max: 1, rest: []string{"-a"}, n: 1},
		{args: []string{"--", "-a", "-b"}, max: 2, rest: []string{"-a", "-b"}, n: 1},
		{args: []string{"a"}, err: `"forage try" takes no argument, not 1`},
		{args: nil, min: 1, max: 1, err: `"forage try" takes one argument, not 0`},
		{args: []string{"a", "b"}, max: 1, err: "takes at most one argument, not 2"},
		{args: []string{"a"}, min: 2, max: 3, err: "takes 2 to 3 arguments, not 1"},
		{args: []string{"--unknown"}, err: `there is no flag "--unknown"; "forage help try" lists the flags`},
		{args: []string{"a", "--n", "x"}, max: 1, err: "invalid value"},
		{args: []string{"--n"}, err: "flag needs an argument"},
	} {
		e := &env{out: &bytes.Buffer{}, err: &bytes.Buffer{}, home: home}
		fs := e.flags("try")
		n := fs.Int("n", 1, "a number")
		rest, err := e.parse(fs, c.args, c.min, c.max)
		if c.err != "" {
			if err == nil || !strings.Contains(new(env).explain(err), c.err) || codeOf(err) != exitUsage || !errors.Is(err, errUsage) {
				t.Errorf("%q: error %v, exit code %d; want %q", c.args, err, codeOf(err), c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(rest, c.rest) || e.json != c.json || *n != c.n {
			t.Errorf("%q: %q, json %v, n %d, %v", c.args, rest, e.json, *n, err)
		}
		if e.paths.Config == "" || !strings.HasPrefix(e.paths.Config, home) {
			t.Errorf("%q: settings in %q", c.args, e.paths.Config)
		}
	}
}

func TestSplitVerb(t *testing.T) {
	for _, c := range []struct {
		args string
		verb string
		rest []string
		home string
		json bool
		bad  bool
	}{
		{args: "", verb: ""},
		{args: "--home /x --json", verb: "", home: "/x", json: true},
		{args: "--help", verb: "help"},
		{args: "-h status", verb: "help", rest: []string{"status"}},
		{args: "status", verb: "status", rest: []string{}},
		{args: "--home /x --json status --help", verb: "status", rest: []string{"--help"}, home: "/x", json: true},
		{args: "run --home /x a", verb: "run", rest: []string{"--home", "/x", "a"}},
		{args: "--nonsense status", bad: true},
		{args: "--home", bad: true},
	} {
		e := &env{}
		verb, rest, err := e.splitVerb(strings.Fields(c.args))
		if c.bad {
			if codeOf(err) != exitUsage {
				t.Errorf("%q: error %v", c.args, err)
			}
			continue
		}
		if err != nil || verb != c.verb || !slices.Equal(rest, c.rest) || e.home != c.home || e.json != c.json {
			t.Errorf("%q: %q %q, home %q, json %v, %v", c.args, verb, rest, e.home, e.json, err)
		}
	}
}

func TestMain_HelpAndUsage(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		args     string
		code     int
		out, err string
	}{
		{"--help", exitOK, "usage: forage", ""},
		{"help", exitOK, "forage COMMAND --help", ""},
		{"version", exitOK, "forage ", ""},
		{"--json version", exitOK, `"suffix_list"`, ""},
		{"version --json", exitOK, `"suffix_list"`, ""},
		{"run --help", exitOK, "--exit-when-idle", ""},
		{"pause --help", exitOK, "usage: forage pause [DURATION]", ""},
		{"nonsense", exitUsage, "", `forage: there is no command "nonsense"`},
		{"run extra", exitUsage, "", `forage: "forage run" takes no argument`},
		{"run --gap 1s", exitUsage, "", "forage: --gap is for closed test networks"},
		{"run --lab --network BAD_NAME", exitUsage, "", `forage: --network "BAD_NAME" is not a network name`},
		{"run --lab --bootstrap nonsense", exitUsage, "", `forage: bootstrap address 1 ("nonsense")`},
		{"run --lab --listen nonsense", exitUsage, "", "forage: listen at nonsense"},
		{"run --mdns", exitUsage, "", "forage: --mdns is for closed test networks"},
		{"join nonsense", exitUsage, "", "forage: not a valid invite"},
		{"peers", exitError, "", "forage: Forage is not running here"},
		{"invite", exitError, "", "forage: Forage is not running here"},
		{"pause soon", exitUsage, "", `forage: "soon" is not a length of time`},
		{"pause -5m", exitUsage, "", "forage: "},
		{"export DIR", exitUsage, "", "forage: say which format"},
		{"export --format stats --all DIR", exitUsage, "", "forage: --all does not go with --format stats"},
		{"export --format pdf DIR", exitUsage, "", `forage: there is no format "pdf"`},
		{"set a", exitUsage, "", "forage: write KEY=VALUE"},
		{"get nonsense", exitConfig, "", "forage: "},
		{"status", exitError, "", "forage: Forage has not run here yet"},
		{"resume", exitError, "", "forage: Forage is not running here"},
		{"stop", exitError, "", "forage: Forage is not running here"},
		{"log", exitError, "", "forage: Forage is not running here"},
		{"run", exitNoConsent, "", "forage: not agreed yet"},
		{"consent", exitNoConsent, "", "forage: not agreed; nothing was sent"},
	} {
		var out, errs bytes.Buffer
		args := append(strings.Fields(c.args), "--home", home)
		if len(args) <= 3 && !strings.Contains(c.args, "version") && (c.args == "--help" || c.args == "help" || c.args == "nonsense") {
			args = strings.Fields(c.args)
		}
		code := Main(args, &out, &errs)
		if code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(errs.String(), c.err) {
			t.Errorf("forage %s: exit code %d, want %d\nout: %.300s\nerr: %.300s", c.args, code, c.code, out.String(), errs.String())
		}
		if c.err == "" && errs.Len() > 0 {
			t.Errorf("forage %s complains: %s", c.args, errs.String())
		}
	}
}

func TestRunFlags_Check(t *testing.T) {
	for _, c := range []struct {
		args string
		err  string // "" for none
	}{
		{"", ""},
		{"--depth 0", ""},
		{"--depth 255 --seeds a --scope b --api 127.0.0.1:0", ""},
		{"--lab --gap 0s --fetchers 1 --no-limits --lab-times real --exit-when-idle 1s --hosts f", ""},
		{"--lab --fetchers 1000 --gap 1h", ""},
		{"--depth 256", "--depth 256 is out of range"},
		{"--depth -1", "--depth -1 is out of range"},
		{"--lab --gap -1s", "--gap -1s is out of range"},
		{"--lab --gap 61m", "--gap 1h1m0s is out of range"},
		{"--lab --fetchers 0", "--fetchers 0 is out of range"},
		{"--lab --fetchers 1001", "--fetchers 1001 is out of range"},
		{"--lab --exit-when-idle 0s", "--exit-when-idle 0s is out of range"},
		{"--lab --lab-times fast", `--lab-times is "lab" or "real", not "fast"`},
		{"--gap 0s", "--gap is for closed test networks"},
		{"--hosts f", "--hosts is for closed test networks"},
		{"--fetchers 3", "--fetchers is for closed test networks"},
		{"--no-limits", "--no-limits is for closed test networks"},
		{"--lab-times real", "--lab-times is for closed test networks"},
		{"--exit-when-idle 1s", "--exit-when-idle is for closed test networks"},
	} {
		// The flags are those of the program: what is wrong with them is found
		// before anything is read or written, and the rest ends for want of consent.
		home := filepath.Join(t.TempDir(), "home")
		var out, errs bytes.Buffer
		args := append([]string{"run", "--home", home}, strings.Fields(c.args)...)
		e := &env{out: &out, err: &errs}
		err := dispatch(t.Context(), e, args)
		if c.err == "" {
			if codeOf(err) != exitNoConsent {
				t.Errorf("%q: %v", c.args, err)
			}
			continue
		}
		if codeOf(err) != exitUsage || !strings.HasPrefix(new(env).explain(err), c.err) {
			t.Errorf("%q: %v, want %q", c.args, err, c.err)
		}
	}
}

func TestRunFlags_Apply(t *testing.T) {
	cfg := config.Defaults()
	before := config.Defaults()
	(&runFlags{depth: -1}).apply(&cfg, map[string]bool{})
	if fmt.Sprint(cfg) != fmt.Sprint(before) {
		t.Errorf("flags that were not given changed the settings: %+v", cfg)
	}
	f := &runFlags{seeds: list{"a"}, scope: list{"b"}, depth: 3, api: "127.0.0.1:1", fetchers: 500}
	f.apply(&cfg, map[string]bool{"depth": true, "fetchers": true})
	if cfg.Crawl.Seeds[0] != "a" || cfg.Crawl.Scope[0] != "b" || cfg.Crawl.Depth != 3 || cfg.Web.Addr != "127.0.0.1:1" ||
		cfg.Limits.Budget.Full.Fetchers != 500 || cfg.Limits.Budget.Full.Sockets < 500 {
		t.Errorf("settings %+v", cfg)
	}
}

func TestExplainAndCodeOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		text string
	}{
		{usage("a %s", "b"), exitUsage, "a b"},
		{fmt.Errorf("run: %w", usage("bad")), exitUsage, "run: usage: bad"},
		{errors.New("plain"), exitError, "plain"},
		{fmt.Errorf("open: %w", storage.ErrLocked), exitRunning, "Forage seems to be running"},
		{fmt.Errorf("dial: %w", api.ErrNotRunning), exitError, `Forage is not running here; "forage" starts it`},
		{fmt.Errorf("load: %w", &config.Error{Key: "disk.max", Reason: "is wrong"}), exitConfig, "disk.max is wrong"},
		{coded{errors.New("no"), exitNoConsent}, exitNoConsent, "no"},
		{fmt.Errorf("deep: %w", coded{storage.ErrLocked, exitNoConsent}), exitNoConsent, "Forage seems to be running"},
		{context.Canceled, exitError, "context canceled"},
	} {
		if got := codeOf(c.err); got != c.code {
			t.Errorf("codeOf(%v) = %d, want %d", c.err, got, c.code)
		}
		if got := new(env).explain(c.err); !strings.Contains(got, c.text) {
			t.Errorf("explain(%v) = %q, want %q", c.err, got, c.text)
		}
	}
	if err := done(coded{errHelp, exitOK}); err != nil {
		t.Errorf("done(help) = %v", err)
	}
	if err := done(errUsage); err != errUsage {
		t.Errorf("done(usage) = %v", err)
	}
}

func TestPrintDomains(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	later := now.Add(time.Minute)
	var b bytes.Buffer
	err := printDomains(&b, "", []api.Domain{
		{Domain: "a.example", Fetched: 1234, Queued: 5, Bytes: 1e6, State: "due"},
		{Domain: "b.example", Queued: 1, State: "waiting", NextVisit: &later, Reason: "odd \x1b[31m\treason"},
		{Domain: "c.example", State: "done", Distance: "fetched by …k3Qa, 14 ms (you: about 92 ms)"},
		{Domain: "d.example", Queued: 3, State: api.DomainRefused, Reason: "topic: gambling"},
	}, now)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, want := range []string{"DOMAIN", "a.example  1,234    5       0       1.0 MB  now         due", "12:01:00    waiting: odd [31mreason", "-           done (fetched by …k3Qa, 14 ms (you: about 92 ms))", "never       not visited: topic: gambling"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("control characters of a site reach the terminal")
	}
}
