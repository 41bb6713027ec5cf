package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/ui/cli/env"
)

// Whatever the verb, wrong input is refused with what to type instead, and changes nothing.
func TestEveryVerb_RefusesWrongInput(t *testing.T) {
	home := t.TempDir()
	archiveOnePage(t, home)
	file := filepath.Join(home, "config.toml")
	const mine = "# mine\n[disk]\nmax = \"3 GB\"\n"
	if err := os.WriteFile(file, []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	refused := func(line, hint string) {
		t.Helper()
		code, out, complaint := forage(home, line)
		if !slices.Contains([]int{env.ExitError, env.ExitUsage, env.ExitConfig}, code) || out != "" || !strings.Contains(complaint, hint) || strings.Count(complaint, "\n") != 1 {
			t.Errorf("forage %s: exit code %d, %q and %q, want %q", line, code, out, complaint, hint)
		}
		if is, err := os.ReadFile(file); err != nil || string(is) != mine {
			t.Errorf("forage %s left the settings as %q, %v", line, is, err)
		}
	}
	for _, v := range newRoot(new(env.Env)).Commands() {
		refused(v.Name()+" --no-such-flag", `"forage help `+v.Name()+`"`)
		if !strings.Contains(v.Use, "...") {
			refused(v.Name()+" a b c d e f g h i j", `"forage help `+v.Name()+`"`)
		}
	}
	for line, hint := range map[string]string{
		"pause soon": "write 30m", "pause -5": "forage help pause", "resume --for soon": "write 30m", "set disk.max": "write KEY=VALUE", "set disk.max=3": `write "3 MB" or "3 GB"`,
		"set idle.after=10": `write "10 min"`, "set pause.hold_in=10": `write "10 s" or "10 min"`, "set disk.mx=3": `"disk.max"`, "get disk.mx": `"disk.max"`, "set consent.version=1": "forage consent",
		"never co.uk": "--all-of-it", "join nonsense": "forage:", "export --format pdf OUT": "warc", "find --limit 0 x": "from 1 to 1000", "completion csh": "bash", "autostart maybe": "on",
		"run --depth 256": "from 0 to 255", "run --lab --bootstrap nonsense": "/ip4/", "doctor --dry-run --reindex": "--reindex", "stats --days --years": "--years", "help stauts": `"status"`,
		"log --requests --days 400": "365", "nonsense --help": `"consent"`,
	} {
		refused(line, hint)
	}
}

// Each setting, set to what it is by default, is read back as that.
func TestEverySetting_IsReadBack(t *testing.T) {
	home := t.TempDir()
	for _, k := range config.Keys() {
		if strings.HasPrefix(k.Name, "consent.") {
			continue
		}
		if code, _, complaint := forageArgs(home, "set", k.Name+"="+k.Default); code != env.ExitOK {
			t.Errorf("set %s=%s: %d, %s", k.Name, k.Default, code, complaint)
		}
		if code, out, complaint := forageArgs(home, "get", k.Name); code != env.ExitOK || strings.TrimSpace(out) != k.Default {
			t.Errorf("get %s: %d, %q, %s, want %s", k.Name, code, out, complaint, k.Default)
		}
	}
}

// While a node runs, import says why it cannot, and what to type.
func TestImport_BesideANode(t *testing.T) {
	home := t.TempDir()
	serve(t, home, func(boot string) api.Node { return &fullNode{boot: boot} })
	code, out, complaint := forage(home, "import x.warc.gz")
	if code != env.ExitRunning || out != "" || !strings.Contains(complaint, "writes to the archive") || !strings.Contains(complaint, `"forage stop --home `+home) {
		t.Errorf("exit code %d, %q, %q", code, out, complaint)
	}
}

// With --json what went wrong is an object, too, with what to do about it.
func TestComplaint_AsJSON(t *testing.T) {
	for _, c := range []struct {
		line, says, help string
		code             int
	}{
		{"peers --json", `\"forage\" starts it`, "forage help peers", env.ExitError},
		{"--json stauts", `did you mean \"status\"?`, "forage help", env.ExitUsage},
		{"status --no-such-flag --json", `there is no flag \"--no-such-flag\"`, "forage help status", env.ExitUsage},
		{"get disk.mx --json", `did you mean \"disk.max\"?`, "forage help get", env.ExitConfig},
	} {
		code, out, text := forage(t.TempDir(), c.line)
		var is complaint
		if err := json.Unmarshal([]byte(text), &is); err != nil || code != c.code || is.Code != c.code || is.Help != c.help || out != "" || !strings.Contains(text, c.says) {
			t.Errorf("forage %s: exit code %d, %q and %s, %v", c.line, code, out, text, err)
		}
	}
	if code, _, text := forage(t.TempDir(), "paths -- --json"); code != env.ExitUsage || !strings.HasPrefix(text, "forage: ") {
		t.Errorf("an argument for a flag: exit code %d, %s", code, text)
	}
}

func TestGet_ListsAllSettings(t *testing.T) {
	home := t.TempDir()
	if code, _, complaint := forage(home, "set disk.max=3GB"); code != env.ExitOK {
		t.Fatal(complaint)
	}
	code, out, complaint := forage(home, "get")
	if code != env.ExitOK || strings.Count(out, "\n") != len(config.Keys()) || !regexp.MustCompile(`(?m)^disk\.max +"3 GB"$`).MatchString(out) {
		t.Errorf("exit code %d, %s\n%s", code, complaint, out)
	}
}
