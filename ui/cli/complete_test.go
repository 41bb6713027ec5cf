package cli

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/ui/cli/clitest"
	"github.com/forage-net/forage/ui/cli/env"
)

// completed returns what is completed of a line, whose last word is the one under the cursor.
func completed(t *testing.T, home, line string) string {
	t.Helper()
	t.Setenv("FORAGE_HOME", home)
	var out, errs bytes.Buffer
	if code := Main(append([]string{cobra.ShellCompRequestCmd}, strings.Split(line, " ")...), &out, &errs); code != env.ExitOK || errs.Len() > 0 {
		t.Errorf("%q: exit code %d, %s", line, code, errs.String())
	}
	return out.String()
}

func TestComplete(t *testing.T) {
	home := t.TempDir()
	forage(home, "set disk.max=3GB")
	forage(home, "never example.org other.example/a/*")
	var b strings.Builder
	for _, line := range []string{
		"", "s", "zz", "-", "--h", "--home ", "--home /x st", "--home=/x st", "--json -", "nonsense ", "nonsense --",
		"run -", "run --seeds ", "run --seeds a --se", "run --lab --la", "run --lab-footing ", "run --lab-footing=s", "run --hosts ", "run --gap ", "run extra ",
		"export --format ", "export --format=w", "export --format=p", "export --a", "export --format wacz ", "export --format wacz --", "export -- --", "export DIR ",
		"pause ", "pause 1h ", "resume --for 3", "resume --for=3", "autostart ", "autostart on --", "help e", "completion ",
		"get disk.", "set disk.max", "set disk.max=", "set budget.full.fetchers=", "set level.in_use=", "set peer.upnp=", "set idle.unknown_is=", "set schedule.work=",
		"set budget.full.up_kbit=", "set crawl.seeds=", "set dht.mode=", "set topics.never=d", "set topics.never=drugs,ga", "set consent.version=", "set nonsense=", "set disk.max=1GB ", "never --undo ", "never --undo example.org ot", "never e",
	} {
		fmt.Fprintf(&b, "forage %s\n", line+"▮")
		for answer := range strings.Lines(completed(t, home, line)) {
			b.WriteString("  " + strings.ReplaceAll(answer, "\t", "    "))
		}
	}
	clitest.Golden(t, "completion.txt", b.String())
}

// Every verb, every flag and every setting can be completed.
func TestComplete_Everything(t *testing.T) {
	home := t.TempDir()
	for _, c := range helps(t) {
		name := c.Name
		if got := completed(t, home, name); !strings.Contains("\n"+got, "\n"+name+"\t") {
			t.Errorf("%s is not completed: %s", name, got)
		}
		for _, f := range c.Flags {
			if got := completed(t, home, name+" --"+f.Name); !strings.Contains("\n"+got, "\n--"+f.Name+"\t") {
				t.Errorf("%s --%s is not completed: %s", name, f.Name, got)
			}
		}
	}
	for _, k := range config.Keys() {
		if got := completed(t, home, "get "+k.Name); !strings.Contains("\n"+got, "\n"+k.Name+"\t") {
			t.Errorf("%s is not completed: %s", k.Name, got)
		}
	}
}

// What is suggested for a setting is allowed.
func TestComplete_ValuesAreAllowed(t *testing.T) {
	home := t.TempDir()
	for _, k := range config.Keys() {
		for line := range strings.Lines(completed(t, home, "set "+k.Name+"=")) {
			value, _, is := strings.Cut(line, "\t")
			if !is {
				continue
			}
			if err := config.Check(k.Name, strings.TrimPrefix(value, k.Name+"=")); err != nil {
				t.Errorf("%s is suggested: %v", value, err)
			}
		}
	}
}

func TestComplete_DomainsOfTheNode(t *testing.T) {
	home := t.TempDir()
	if got := completed(t, home, "never "); got != ":36\n" {
		t.Errorf("without a node: %q", got)
	}
	serve(t, home, func(boot string) api.Node { return &ownerNode{refuserNode{boot: boot}} })
	for line, want := range map[string]string{
		"never ":                   "a.example\t3 pages, due\nab.example\t1 page,\nb.example\t0 pages, done\n:36\n",
		"never a":                  "a.example\t3 pages, due\nab.example\t1 page,\n:36\n",
		"never ab":                 "ab.example\t1 page,\n:36\n",
		"never a.example --list b": "b.example\t0 pages, done\n:36\n",
		"never x":                  ":36\n",
	} {
		if got := completed(t, home, line); got != strings.ReplaceAll(want, "\x1b", "") {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// ownerNode has three domains.
type ownerNode struct{ refuserNode }

func (n *ownerNode) Domains(_ context.Context, after string, limit int) (list []api.Domain, err error) {
	for _, d := range []api.Domain{{Domain: "a.example", Fetched: 3, State: "due"}, {Domain: "ab.example", Fetched: 1, State: "\x1b"}, {Domain: "b.example", State: "done"}} {
		if d.Domain > after && len(list) < limit {
			list = append(list, d)
		}
	}
	return list, nil
}

func TestCompletion_Scripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, out, complaint := forage(t.TempDir(), "completion "+shell)
		if code != env.ExitOK || !strings.Contains(out, cobra.ShellCompRequestCmd) {
			t.Errorf("%s: exit code %d, %s", shell, code, complaint)
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("there is no %s here", shell)
			continue
		}
		check := exec.Command(path, "-n")
		check.Stdin = strings.NewReader(out)
		if said, err := check.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s does not understand its script: %v\n%s", shell, err, said)
		}
	}
	if code, _, complaint := forage(t.TempDir(), "completion csh"); code != env.ExitUsage || complaint != "forage: there is completion for bash, zsh and fish, not for \"csh\"\n" {
		t.Errorf("exit code %d, %s", code, complaint)
	}
}
