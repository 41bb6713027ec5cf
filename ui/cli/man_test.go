package cli

import (
	"os/exec"
	"strings"
	"testing"
)

func TestManual_IsAsWritten(t *testing.T) {
	code, out, complaint := forage(t.TempDir(), "man")
	if code != exitOK || complaint != "" {
		t.Errorf("exit code %d, %s", code, complaint)
	}
	golden(t, "forage.1", out)
}

// Those who print manual pages have nothing to say about it.
func TestManual_IsSound(t *testing.T) {
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
		cmd.Stdin = strings.NewReader(manual("2026-01-31"))
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
	cmd := exec.Command(path, "-Tascii", "-O", "width=1000")
	cmd.Stdin = strings.NewReader(manual("2026-01-31"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	printed := string(out)
	for i := strings.IndexByte(printed, '\b'); i > 0; i = strings.IndexByte(printed, '\b') { // bold is typed twice
		printed = printed[:i-1] + printed[i+1:]
	}
	for _, v := range verbs() {
		wanted := []string{"forage " + v.usage()}
		for _, f := range flagsOf(v) {
			written, _, _ := describe(f)
			wanted = append(wanted, written)
		}
		for _, x := range pageOf(v.name).examples {
			wanted = append(wanted, x.command)
		}
		for _, want := range wanted {
			if !strings.Contains(printed, want) {
				t.Errorf("%q is not in the manual page", want)
			}
		}
	}
}
