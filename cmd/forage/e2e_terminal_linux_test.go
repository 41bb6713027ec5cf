package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/forage-net/forage/app/api/password"
)

// terminal is a terminal of 80 columns and 24 rows with a program in it.
type terminal struct {
	*process
	keyboard *os.File // the other end
	tty      *os.File
	before   unix.Termios
	screen   output // all that was ever written
}

// startInTerminal starts the program with a terminal of its own as standard
// input, output and error.
func startInTerminal(t *testing.T, args ...string) *terminal {
	t.Helper()
	return startCommandInTerminal(t, exec.Command(program, args...))
}

// startCommandInTerminal starts a command so, with more variables of its environment.
func startCommandInTerminal(t *testing.T, cmd *exec.Cmd, environment ...string) *terminal {
	t.Helper()
	term := new(terminal)
	var err error
	if term.keyboard, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { term.keyboard.Close() })
	master := int(term.keyboard.Fd())
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(master, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if term.tty, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { term.tty.Close() })
	if err := unix.IoctlSetWinsize(master, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	term.before = term.settings(t)
	cmd.Dir = t.TempDir()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = term.tty, term.tty, term.tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	term.process = startWith(t, cmd, append([]string{"TERM=xterm"}, environment...)...)
	t.Cleanup(func() {
		if t.Failed() {
			said := strings.Join(warnings.FindAllString(term.screen.String(), -1), "\n")
			t.Logf("the screen last:\n%s\nit said:\n%s", strings.Join(term.shows(), "\n"), said)
		}
	})
	go func() { // ends when the terminal is closed
		buf := make([]byte, 4096)
		for {
			n, err := term.keyboard.Read(buf)
			if err != nil {
				return
			}
			_, _ = term.screen.Write(buf[:n])
		}
	}()
	return term
}

// warnings are what nodes say beside what is drawn.
var warnings = regexp.MustCompile(`time=\S+ level=[^\r\n]*`)

func (term *terminal) settings(t *testing.T) unix.Termios {
	t.Helper()
	s, err := unix.IoctlGetTermios(int(term.tty.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *s
}

func (term *terminal) press(key string) {
	term.t.Helper()
	if _, err := term.keyboard.WriteString(key); err != nil {
		term.t.Fatal(err)
	}
}

// controls are what a terminal obeys: here to move, to erase and to colour.
var controls = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// shows returns the lines that were drawn last.
func (term *terminal) shows() []string {
	drawn := strings.Split(term.screen.String(), "\x1b[J") // ends each drawing
	if len(drawn) < 2 {
		return nil
	}
	text := strings.TrimPrefix(controls.ReplaceAllString(drawn[len(drawn)-2], ""), "\r")
	return strings.Split(text, "\r\n")
}

// awaitRow waits until the table has a row of a node that looks so.
func (term *terminal) awaitRow(row string) {
	term.t.Helper()
	looks := regexp.MustCompile(row)
	until(term.t, "a row "+row, func() bool {
		for _, line := range term.shows() {
			if looks.MatchString(line) {
				return true
			}
		}
		return false
	})
}

func TestDemo_Keys(t *testing.T) {
	t.Parallel()
	term := startInTerminal(t, "demo", "--no-open", "--home", filepath.Join(t.TempDir(), "home"))
	term.awaitRow(`^● 3 +[1-9]\d*% +[1-9]`) // it owns some
	term.press("k")
	term.awaitRow(`^○ 3 +0% +0 .*gone`)
	for _, line := range term.shows() {
		if strings.HasPrefix(line, "domains ") && strings.Contains(line, "3") {
			t.Errorf("node 3 is gone and owns something: %s", line)
		}
	}
	term.press("x") // means nothing
	term.press("s")
	term.awaitRow(`^● 3 +[1-9]`)
	term.press("s")
	term.awaitRow(`^● 4 +[1-9]`)
	for _, line := range term.shows() {
		if n := len([]rune(line)); n >= 80 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
	if term.settings(t) == term.before {
		t.Error("keys are not read one by one")
	}
	term.press("q")
	term.succeed()
	term.isAsBefore(t)
	for _, want := range []string{" pages were fetched in ", ", as the practice web's own log shows.", " in 4/data/warc"} {
		until(t, want, func() bool { return strings.Contains(term.screen.String(), want) })
	}
}

// However the demo ends, the terminal is as it was.
func TestDemo_LeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*terminal){
		"Ctrl-C":  func(term *terminal) { term.press("\x03") },
		"SIGINT":  func(term *terminal) { term.signal(syscall.SIGINT) },
		"SIGTERM": func(term *terminal) { term.signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := startInTerminal(t, "demo", "--no-open", "--home", filepath.Join(t.TempDir(), "home"))
			term.awaitRow(`^● 3`)
			end(term)
			term.succeed()
			term.isAsBefore(t)
		})
	}
}

// isAsBefore fails the test unless the terminal works as it did: it obeys
// Ctrl-C, shows what is typed, and the cursor.
func (term *terminal) isAsBefore(t *testing.T) {
	t.Helper()
	if now := term.settings(t); now != term.before {
		t.Errorf("the terminal is left with %+v, want %+v", now, term.before)
	}
	until(t, "the cursor to be shown", func() bool {
		out := term.screen.String()
		return strings.LastIndex(out, "\x1b[?25h") > strings.LastIndex(out, "\x1b[?25l")
	})
}

// A password is typed twice and never shown, and the terminal is as before, however that ends.
func TestPassword_IsNotShown(t *testing.T) {
	t.Parallel()
	const text = "correct horse battery"
	for _, c := range []struct {
		name, again string
		code        int
		says        string
	}{
		{"twice", text + "\n", 0, "Password set."},
		{"another one", "wrong horse battery\n", 1, "nothing was changed"},
		{"interrupted", "\x03", 1, "interrupted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home := filepath.Join(t.TempDir(), "home")
			term := startInTerminal(t, "password", "--home", home)
			await := func(text string) {
				until(t, text, func() bool {
					hidden := term.settings(t).Lflag&unix.ECHO == 0
					return hidden && strings.Contains(term.screen.String(), text)
				})
			}
			await("Password for other computers")
			term.press(text + "\n")
			await("Once more: ")
			term.press(c.again)
			if code := term.wait(); code != c.code {
				t.Errorf("it ends with %d, want %d", code, c.code)
			}
			until(t, c.says, func() bool { return strings.Contains(term.screen.String(), c.says) })
			if strings.Contains(term.screen.String(), "horse") {
				t.Errorf("the password is shown: %q", term.screen.String())
			}
			if now := term.settings(t); now != term.before {
				t.Errorf("the terminal is left with %+v, want %+v", now, term.before)
			}
			set, err := password.IsSet(filepath.Join(home, "state"))
			if set != (c.code == 0) || err != nil {
				t.Errorf("a password is set: %v, %v", set, err)
			}
		})
	}
}
