package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/forage-net/forage/ui/cli/clitest"
	"github.com/forage-net/forage/ui/cli/env"
)

func TestManual_IsAsWritten(t *testing.T) {
	code, out, complaint := forage(t.TempDir(), "man")
	if code != env.ExitOK || complaint != "" {
		t.Errorf("exit code %d, %s", code, complaint)
	}
	clitest.Golden(t, "forage.1", out)
}

// Those who print manual pages have nothing to say about it.
func TestManual_IsSound(t *testing.T) {
	_, page, _ := forage(t.TempDir(), "man")
	for _, check := range [][]string{
		{"mandoc", "-Tlint", "-Wwarning"},
		{"groff", "-ww", "-man", "-Tutf8", "-z"},
	} {
		path, err := exec.LookPath(check[0])
		if err != nil {
			t.Logf("there is no %s here", check[0])
			continue
		}
		cmd := exec.Command(path, check[1:]...)
		cmd.Stdin = strings.NewReader(page)
		if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s says %v:\n%s", check[0], err, said)
		}
	}
}

// What is printed of it holds every verb, flag and example as it is to be typed.
func TestManual_SaysItAll(t *testing.T) {
	path, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("there is no mandoc here")
	}
	_, page, _ := forage(t.TempDir(), "man")
	cmd := exec.Command(path, "-Tascii", "-O", "width=1000")
	cmd.Stdin = strings.NewReader(page)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	printed := string(out)
	for i := strings.IndexByte(printed, '\b'); i > 0; i = strings.IndexByte(printed, '\b') { // bold is typed twice
		printed = printed[:i-1] + printed[i+1:]
	}
	for _, c := range helps(t) {
		wanted := []string{c.Usage}
		for _, f := range c.Flags {
			wanted = append(wanted, strings.TrimSpace("--"+f.Name+" "+f.Value))
		}
		for _, x := range c.Examples {
			wanted = append(wanted, x.Command)
		}
		for _, want := range wanted {
			if !strings.Contains(printed, want) {
				t.Errorf("%q is not in the manual page", want)
			}
		}
	}
}
