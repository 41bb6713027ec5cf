package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/autostart"
	"github.com/forage-net/forage/ui/cli/env"
	"github.com/forage-net/forage/ui/cli/start"
)

func TestAutostart(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it would write to the settings of the user who runs the tests")
	}
	user := t.TempDir()
	t.Setenv("HOME", user)
	t.Setenv("FORAGE_HOME", "")
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"} {
		t.Setenv(name, "")
	}
	home := filepath.Join(t.TempDir(), "the home")
	entry := filepath.Join(user, ".config/autostart/forage.desktop")
	unit := filepath.Join(user, ".config/systemd/user/forage.service")
	run := func(words ...string) (code int, out, complaint string) {
		var o, e strings.Builder
		code = Main(append(words, "--home", home), &o, &e)
		return code, o.String(), e.String()
	}
	state := func() (s autostart.State) {
		t.Helper()
		code, out, complaint := run("autostart", "status", "--json")
		if err := json.Unmarshal([]byte(out), &s); err != nil || code != env.ExitOK {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, out, complaint)
		}
		return s
	}
	says := func(words string, code int, want ...string) {
		t.Helper()
		got, out, complaint := run(strings.Fields(words)...)
		if got != code {
			t.Errorf("forage %s: exit code %d, want %d\n%s%s", words, got, code, out, complaint)
		}
		for _, w := range want {
			if !strings.Contains(out+complaint, w) {
				t.Errorf("forage %s does not say %q:\n%s%s", words, w, out, complaint)
			}
		}
	}

	says("autostart", env.ExitOK, "Forage does not start by itself.", "forage autostart on")
	says("autostart status", env.ExitOK, "Forage does not start by itself.")
	says("autostart off", env.ExitOK, "Forage does not start by itself.", "forage stop")
	says("autostart maybe", env.ExitUsage, `"maybe"`)
	says("autostart on off", env.ExitUsage, "at most one argument")
	says("autostart off --service", env.ExitUsage, "--service belongs to")
	says("autostart --help", env.ExitOK, "usage: forage autostart", "--service")
	if s := state(); s.Kind != autostart.Off {
		t.Errorf("at first: %+v", s)
	}

	says("autostart on", env.ExitOK, "Forage starts when you log in.", entry, "forage consent")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if s := state(); s.Kind != autostart.Session || s.Place != entry || !slices.Equal(s.Command, []string{program, "run", "--home", home}) {
		t.Errorf("on: %+v", s)
	}
	says("autostart on --service", env.ExitOK, "as a service", unit, "systemctl --user daemon-reload", "enable-linger")
	if s := state(); s.Kind != autostart.Service || !slices.Equal(s.Command, []string{program, "run", "--no-tray", "--home", home}) {
		t.Errorf("on --service: %+v", s)
	}
	if _, err := os.Stat(entry); err == nil {
		t.Error("it would be started twice")
	}
	if code, _, complaint := run("consent", "--yes"); code != env.ExitOK {
		t.Fatal(complaint)
	}
	if _, out, _ := run("autostart"); strings.Contains(out, "forage consent") {
		t.Errorf("after consent it says\n%s", out)
	}
	text, err := os.ReadFile(unit)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), program, "/nowhere/forage")), 0o600); err != nil {
		t.Fatal(err)
	}
	says("autostart", env.ExitOK, "/nowhere/forage is gone")
	says("autostart off", env.ExitOK, "Forage does not start by itself.")
	if _, err := os.Stat(unit); err == nil {
		t.Error("the unit is still there")
	}

	if err := os.WriteFile(entry, []byte("[Desktop Entry]\nExec=mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	says("autostart on", env.ExitError, entry, "was not written by Forage")
	says("autostart off", env.ExitError, entry, "was not written by Forage")
	says("autostart", env.ExitOK, "Forage does not start by itself.", "Not written by Forage, so left alone: "+entry)
}

// What the system starts has to be a command line that is understood.
func TestAutostart_CommandIsUnderstood(t *testing.T) {
	home := t.TempDir()
	for _, kind := range []autostart.Kind{autostart.Session, autostart.Service} {
		e := &env.Env{Home: home}
		var out, complaint strings.Builder
		if code := Main(start.Program(e).Command("/opt/forage", kind)[1:], &out, &complaint); code != env.ExitNoConsent {
			t.Errorf("%s: exit code %d\n%s", kind, code, complaint.String())
		}
	}
	t.Setenv("FORAGE_HOME", "relative")
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if got := start.Program(&env.Env{}).Command("/opt/forage", autostart.Session); !slices.Equal(got, []string{"/opt/forage", "run", "--home", filepath.Join(wd, "relative")}) {
		t.Errorf("with FORAGE_HOME the command is %q", got)
	}
	t.Setenv("FORAGE_HOME", "")
	if got := start.Program(&env.Env{}).Command("/opt/forage", autostart.Session); !slices.Equal(got, []string{"/opt/forage", "run"}) {
		t.Errorf("the command is %q", got)
	}
}
