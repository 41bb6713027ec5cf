package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/ui/cli/env"
)

func TestParse_FlagsAndArgumentsInAnyOrder(t *testing.T) {
	for _, c := range []struct {
		args     string
		min, max int
		rest     []string
		home     string
		json     bool
		n        int
		err      string
	}{
		{args: "try", n: 1},
		{args: "try a b", max: 2, rest: []string{"a", "b"}, n: 1},
		{args: "try --json a --n 5 b", max: 2, rest: []string{"a", "b"}, json: true, n: 5},
		{args: "try a b --json --n=5", max: 2, rest: []string{"a", "b"}, json: true, n: 5},
		{args: "try a --json=false", max: 1, rest: []string{"a"}, n: 1},
		{args: "try -- -a", max: 1, rest: []string{"-a"}, n: 1},
		{args: "try -- -a -b", max: 2, rest: []string{"-a", "-b"}, n: 1},
		{args: "--home /x --json try a", max: 1, rest: []string{"a"}, home: "/x", json: true, n: 1},
		{args: "--home=/x try --home /y", home: "/y", n: 1},
		{args: "try a", err: `"forage try" takes no argument, not 1`},
		{args: "try", min: 1, max: 1, err: `"forage try" takes one argument, not 0`},
		{args: "try a b", max: 1, err: "takes at most one argument, not 2"},
		{args: "try a", min: 2, max: 3, err: "takes 2 to 3 arguments, not 1"},
		{args: "try --unknown", err: `there is no flag "--unknown"; "forage help try" lists the flags`},
		{args: "try -json", err: `there is no flag "-json"; did you mean "--json"?`},
		{args: "try -help", err: `there is no flag "-help"; did you mean "--help"?`},
		{args: "try a --n x", max: 1, err: "invalid value"},
		{args: "try --n", err: "flag needs an argument"},
		{args: "try --home", err: "flag needs an argument"},
		{args: "--nonsense try", err: `there is no flag "--nonsense"`},
	} {
		e := &env.Env{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Home: t.TempDir()}
		home := cmp.Or(c.home, e.Home)
		root := newRoot(e)
		try := env.Command("try", "", c.min, c.max)
		n := try.Flags().Int("n", 1, "a number")
		var rest []string
		root.AddCommand(env.Does(try, func(_ context.Context, args []string) error {
			rest = args
			return nil
		}))
		root.SetArgs(strings.Fields(c.args))
		_, err := root.ExecuteContextC(t.Context())
		if c.err != "" {
			if err == nil || !strings.Contains(new(env.Env).Explain(err), c.err) || env.CodeOf(err) != env.ExitUsage {
				t.Errorf("%q: error %v, exit code %d; want %q", c.args, err, env.CodeOf(err), c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(rest, c.rest) || e.JSON != c.json || *n != c.n || e.Home != home {
			t.Errorf("%q: %q, home %q, json %v, n %d, %v", c.args, rest, e.Home, e.JSON, *n, err)
		}
		if !strings.HasPrefix(e.Paths.Config, home) {
			t.Errorf("%q: settings in %q", c.args, e.Paths.Config)
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
		{"--help", env.ExitOK, "usage: forage", ""},
		{"help", env.ExitOK, "forage COMMAND --help", ""},
		{"version", env.ExitOK, "forage ", ""},
		{"--json version", env.ExitOK, `"suffix_list"`, ""},
		{"version --json", env.ExitOK, `"suffix_list"`, ""},
		{"run --help", env.ExitOK, "--exit-when-idle", ""},
		{"pause --help", env.ExitOK, "usage: forage pause [DURATION]", ""},
		{"nonsense", env.ExitUsage, "", `forage: there is no command "nonsense"`},
		{"run extra", env.ExitUsage, "", `forage: "forage run" takes no argument`},
		{"run --gap 1s", env.ExitUsage, "", "forage: --gap is for closed test networks"},
		{"run --lab --network BAD_NAME", env.ExitUsage, "", `forage: --network "BAD_NAME" is not a network name`},
		{"run --lab --bootstrap nonsense", env.ExitUsage, "", `forage: bootstrap address 1 ("nonsense")`},
		{"run --lab --listen nonsense", env.ExitUsage, "", "forage: listen at nonsense"},
		{"run --mdns", env.ExitUsage, "", "forage: --mdns is for closed test networks"},
		{"join nonsense", env.ExitUsage, "", "forage: not a valid invite"},
		{"peers", env.ExitError, "", "forage: Forage is not running here"},
		{"invite", env.ExitError, "", "forage: Forage is not running here"},
		{"pause soon", env.ExitUsage, "", `forage: "soon" is not a length of time`},
		{"pause -5m", env.ExitUsage, "", "forage: "},
		{"export DIR", env.ExitUsage, "", "forage: say which format"},
		{"export --format stats --all DIR", env.ExitUsage, "", "forage: --all does not go with --format stats"},
		{"export --format pdf DIR", env.ExitUsage, "", `forage: there is no format "pdf"`},
		{"set a", env.ExitUsage, "", "forage: write KEY=VALUE"},
		{"get nonsense", env.ExitConfig, "", "forage: "},
		{"status", env.ExitError, "", "forage: Forage has not run here yet"},
		{"resume", env.ExitError, "", "forage: Forage is not running here"},
		{"stop", env.ExitError, "", "forage: Forage is not running here"},
		{"log", env.ExitError, "", "forage: Forage is not running here"},
		{"run", env.ExitNoConsent, "", "forage: not agreed yet"},
		{"consent", env.ExitNoConsent, "", "forage: not agreed; nothing was sent"},
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
		e := &env.Env{Out: &out, Err: &errs}
		_, err := dispatch(t.Context(), e, args)
		if c.err == "" {
			if env.CodeOf(err) != env.ExitNoConsent {
				t.Errorf("%q: %v", c.args, err)
			}
			continue
		}
		if env.CodeOf(err) != env.ExitUsage || !strings.HasPrefix(new(env.Env).Explain(err), c.err) {
			t.Errorf("%q: %v, want %q", c.args, err, c.err)
		}
	}
}

func TestExplainAndCodeOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		text string
	}{
		{env.Usage("said.cli.one-argument", nil), env.ExitUsage, "one argument"},
		{fmt.Errorf("run: %w", env.Usage("said.cli.one-argument", nil)), env.ExitUsage, "run: one argument"},
		{errors.New("plain"), env.ExitError, "plain"},
		{fmt.Errorf("open: %w", storage.ErrLocked), env.ExitRunning, "Forage seems to be running"},
		{fmt.Errorf("dial: %w", api.ErrNotRunning), env.ExitError, `Forage is not running here; "forage" starts it`},
		{fmt.Errorf("load: %w", &config.Error{Key: "disk.max", Reason: errors.New("is wrong")}), env.ExitConfig, "disk.max is wrong"},
		{env.WithCode(errors.New("no"), env.ExitNoConsent), env.ExitNoConsent, "no"},
		{fmt.Errorf("deep: %w", env.WithCode(storage.ErrLocked, env.ExitNoConsent)), env.ExitNoConsent, "Forage seems to be running"},
		{context.Canceled, env.ExitError, "context canceled"},
	} {
		if got := env.CodeOf(c.err); got != c.code {
			t.Errorf("codeOf(%v) = %d, want %d", c.err, got, c.code)
		}
		if got := new(env.Env).Explain(c.err); !strings.Contains(got, c.text) {
			t.Errorf("explain(%v) = %q, want %q", c.err, got, c.text)
		}
	}
}
