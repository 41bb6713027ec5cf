package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// shell is one with completion, in a terminal.
type shell struct {
	*terminal
	seen int // how much of the screen has been looked at
}

// startShell starts a shell that reads nobody's settings, and gives it the completion of the program.
func startShell(t *testing.T, name string, args []string, begin ...string) *shell {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("there is no %s here", name)
	}
	bin, home := t.TempDir(), t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "forage")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	term := startCommandInTerminal(t, cmd, "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+home, "ZDOTDIR="+home, "FORAGE_HOME="+filepath.Join(home, "forage"),
		"PS1=% ", "INPUTRC=/dev/null", "HISTFILE=", "LC_ALL=C.UTF-8")
	s := &shell{terminal: term}
	for _, line := range append(begin, "echo rea''dy") {
		s.press(line + "\r")
	}
	s.sees("ready")
	return s
}

// sees waits until a text is on the screen behind what was seen before.
func (s *shell) sees(text string) {
	s.t.Helper()
	until(s.t, "the screen to show "+text, func() bool {
		screen := controls.ReplaceAllString(s.screen.String(), "")
		if i := strings.Index(screen[min(s.seen, len(screen)):], text); i >= 0 {
			s.seen += i + len(text)
			return true
		}
		return false
	})
}

// completes types a beginning and tab, and waits for the rest.
func (s *shell) completes(beginning, rest string) {
	s.t.Helper()
	s.press(beginning + "\t")
	s.sees(beginning + rest)
	s.press("\x15") // take it back
}

func (s *shell) leave() {
	s.press("\x15exit\r")
	s.succeed()
}

// bashPackage is the package bash-completion, which bash has on most desktops.
const bashPackage = "/usr/share/bash-completion/bash_completion"

func TestCompletion_Bash(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string][]string{"alone": nil, "with its package": {"source " + bashPackage}} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat(bashPackage); begin != nil && err != nil {
				t.Skip("it is not there")
			}
			begin = append([]string{"bind 'set enable-bracketed-paste off'"}, begin...)
			s := startShell(t, "bash", []string{"--norc", "--noprofile", "-i"}, append(begin, "source <(forage completion bash)")...)
			s.completes("forage dom", "ains ")
			s.completes("forage set level.in_use=g", "entle ")
			s.completes("forage set level.in", "_use=") // and no blank
			s.completes("forage export --format=lin", "ks ")
			s.completes("forage export --form", "at ")
			s.completes("forage get disk.keep", "_free ")
			s.completes("forage --home /et", "c/")
			s.completes("true; forage dom", "ains ")
			s.press("forage do\t\t")
			s.sees("domains looked after here, and their next visits")
			s.leave()
		})
	}
}

func TestCompletion_Zsh(t *testing.T) {
	t.Parallel()
	s := startShell(t, "zsh", []string{"-f", "-i"}, "PROMPT='% '; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D", "source <(forage completion zsh)")
	s.completes("forage dom", "ains ")
	s.completes("forage set level.in_use=g", "entle ")
	s.completes("forage export --format=lin", "ks ")
	s.press("forage do\t\t")
	s.sees("domains looked after here, and their next visits")
	s.leave()
}

func TestCompletion_Fish(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("fish")
	if err != nil {
		t.Skip("there is no fish here")
	}
	home := t.TempDir()
	script := `source (forage completion fish | psub); for x in "forage dom" "forage set level.in_use=g" "forage export --format=lin" "forage --home /et"; complete -C $x; end`
	if err := os.Symlink(program, filepath.Join(home, "forage")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--no-config", "-c", script)
	cmd.Env = []string{"PATH=" + home + ":" + os.Getenv("PATH"), "HOME=" + home}
	out, err := cmd.CombinedOutput()
	want := "domains\tdomains looked after here, and their next visits\nlevel.in_use=gentle\n--format=links\n/etc/\n"
	if err != nil || string(out) != want {
		t.Errorf("fish completes\n%swant\n%s%v", out, want, err)
	}
}
