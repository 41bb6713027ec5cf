package autostart

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programs makes executables with awkward names.
func programs(t *testing.T) []string {
	t.Helper()
	var list []string
	for i, name := range []string{"forage", "50% %h $HOME Übung 日本語;<&>", "a=b", `a"b'c`, `a\b`} {
		path := filepath.Join(t.TempDir(), name+" x", name)
		write(t, path, "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\"\n")
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(i, err)
		}
		list = append(list, path)
	}
	return list
}

// systemd itself understands the unit, and finds the program in it.
func TestUnit_Verified(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	for _, program := range programs(t) {
		o, home := places(t, "linux")
		o.Env = func(name string) string {
			return map[string]string{"HOME": home, "XDG_STATE_HOME": home + "/a %h b"}[name]
		}
		a := open(t, o)
		if err := a.Enable(Service, append([]string{program}, awkward...)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(analyze, "verify", "--user", "--man=no", filepath.Join(home, unitFile))
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "forage.service") {
				t.Errorf("%s: %s", program, line)
			}
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", program, err, out)
		}
	}
	// It would say so if something were wrong.
	bad := filepath.Join(t.TempDir(), "forage.service")
	write(t, bad, "[Service]\nExecStart=/nowhere/forage\nNice=99\n")
	if out, err := exec.Command(analyze, "verify", "--user", "--man=no", bad).CombinedOutput(); err == nil && len(out) == 0 {
		t.Error("a wrong unit is not found to be wrong")
	}
}

func TestDesktopEntry_Valid(t *testing.T) {
	validate, err := exec.LookPath("desktop-file-validate")
	if err != nil {
		t.Skip("desktop-file-validate is not installed")
	}
	for _, program := range programs(t) {
		o, home := places(t, "linux")
		if err := open(t, o).Enable(Session, append([]string{program}, awkward...)); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(validate, filepath.Join(home, desktopFile)).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", program, err, out)
		}
	}
}

// A program that a format cannot hold is run by a shell, with its arguments as they are.
func TestShielded_RunsTheProgram(t *testing.T) {
	for _, program := range programs(t) {
		command := shielded(append([]string{program}, awkward...), "/")
		if len(command) != 1+len(awkward)+len(shell) {
			t.Fatalf("the command is %q", command)
		}
		out, err := exec.Command(command[0], command[1:]...).Output()
		if want := strings.Join(append([]string{program}, awkward...), "\n") + "\n"; err != nil || string(out) != want {
			t.Errorf("%s: %v, printed\n%s\nwant\n%s", program, err, out, want)
		}
	}
}

// systemd, which starts desktop entries on many desktops, makes the same command of them. It undoes
// backslashes twice and takes ~ for a directory, so words with those are left out; # would end what the shell reads.
func TestDesktopEntry_TakenBySystemd(t *testing.T) {
	const generator = "/usr/lib/systemd/user-generators/systemd-xdg-autostart-generator"
	if _, err := os.Stat(generator); err != nil {
		t.Skip("systemd's generator is not installed")
	}
	var words []string
	for _, word := range awkward {
		if !strings.ContainsAny(word, `\#~`) {
			words = append(words, word)
		}
	}
	for _, program := range programs(t) {
		if strings.Contains(program, `\`) {
			continue
		}
		o, home := places(t, "linux")
		command := append([]string{program}, words...)
		if err := open(t, o).Enable(Session, command); err != nil {
			t.Fatal(err)
		}
		out := t.TempDir()
		cmd := exec.Command(generator, out, out, out)
		cmd.Env = []string{"HOME=" + home, "XDG_CONFIG_DIRS=" + home + "/none", "SYSTEMD_LOG_LEVEL=debug", "SYSTEMD_LOG_TARGET=console"}
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		unit, err := os.ReadFile(filepath.Join(out, "app-forage@autostart.service"))
		if err != nil {
			t.Errorf("%s: %v\n%s", program, err, said)
			continue
		}
		// It quotes as a shell does.
		line := strings.ReplaceAll(strings.TrimPrefix(valueOf(string(unit), "ExecStart"), ":"), "%%", "%")
		got, err := exec.Command("/bin/sh", "-c", `printf '%s\n' `+line).Output()
		want := strings.Join(shielded(command, "=%"), "\n") + "\n"
		if err != nil || string(got) != want {
			t.Errorf("%s: %v, systemd's unit has\n%s\nwhich is\n%s\nwant\n%s", program, err, line, got, want)
		}
	}
}
