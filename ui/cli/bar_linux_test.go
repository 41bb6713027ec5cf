package cli

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openTerminal opens a terminal of so many columns. What is written to tty can be read of screen once tty is
// closed.
func openTerminal(t *testing.T, columns uint16) (tty *os.File, screen func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if tty, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	var shown bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = shown.ReadFrom(master) // ends with an error when the last one closes the other end
	}()
	return tty, func() string {
		tty.Close()
		<-read
		return shown.String()
	}
}

// inTerminal runs a command line whose standard error is a terminal. Time passes quickly: half a second and more
// each time somebody looks at the clock.
func inTerminal(t *testing.T, columns uint16, line string) (out, screen string) {
	t.Helper()
	t.Setenv("TERM", "xterm")
	tty, shown := openTerminal(t, columns)
	var stdout bytes.Buffer
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	e := &env{out: newPlain(&stdout), err: newPlain(tty), now: func() time.Time {
		now = now.Add(600 * time.Millisecond)
		return now
	}}
	if err := dispatch(t.Context(), e, strings.Fields(line)); err != nil {
		t.Errorf("forage %s: %v", line, err)
	}
	return stdout.String(), shown()
}

// Long work shows on a terminal how far it is, and takes that away; what came of it goes to standard output
// as ever.
func TestBar_OnATerminal(t *testing.T) {
	home, out := t.TempDir(), t.TempDir()
	archiveOnePage(t, home)
	e := &env{home: home}
	if err := e.findPaths(); err != nil {
		t.Fatal(err)
	}
	archivePages(t, e.paths.WARC(), 300)
	for _, c := range []struct{ line, work, says string }{
		{"export --format warc " + out + "/warc", "exporting", "new WARC files"},
		{"export --format wacz " + out, "exporting", "captures, "},
		{"export --format cdxj " + out, "reading the archive", "301 lines in"},
		{"export --all --format cdxj " + out, "sorting the index", "301 lines in"},
		{"export --format links " + out, "reading links", "lines in"},
		{"export --format pages " + out, "reading the archive", "pages in"},
		{"export --format graph " + out, "reading links", "in " + out},
		{"doctor --thorough --dry-run --json", "checking the archive", `"ok": true`},
		{"doctor --reindex", "reading pages", "It was made again from the archive."},
		{"erase --yes", "deleting", "Erased."},
	} {
		said, screen := inTerminal(t, 80, c.line+" --home "+home)
		if !strings.Contains(said, c.says) {
			t.Errorf("forage %s says\n%s", c.line, said)
		}
		looks := regexp.MustCompile(`\r` + c.work + `  \[=* *\]  \d+ %  [^\r]* of [^\r]*/s  \d+ s left\x1b\[K`)
		if !looks.MatchString(screen) || !strings.HasSuffix(screen, "\r\x1b[K") || strings.Contains(screen, "\n") {
			t.Errorf("forage %s shows %.300q", c.line, screen)
		}
		for drawn := range strings.SplitSeq(screen, "\r") {
			if text, _ := strings.CutSuffix(drawn, "\x1b[K"); strings.Contains(text, "\x1b") || columnsIn(text) >= 80 {
				t.Errorf("forage %s: in 80 columns, %q", c.line, drawn)
			}
		}
	}
}

// A terminal that obeys nothing is shown nothing that moves.
func TestBar_DumbTerminal(t *testing.T) {
	home := t.TempDir()
	archiveOnePage(t, home)
	tty, shown := openTerminal(t, 80)
	t.Setenv("TERM", "dumb")
	var stdout bytes.Buffer
	e := &env{out: newPlain(&stdout), err: newPlain(tty)}
	if err := dispatch(t.Context(), e, []string{"erase", "--yes", "--home", home}); err != nil {
		t.Fatal(err)
	}
	if screen := shown(); screen != "" {
		t.Errorf("it shows %q", screen)
	}
}

// On a terminal, tables have lines that fit, and facts go on below themselves.
func TestTable_FitsTheTerminal(t *testing.T) {
	long := strings.Repeat("reason ", 20)
	rows := [][]string{{"DOMAIN", "STATE"}, {strings.Repeat("long-", 12) + ".example", "waiting: " + long}, {"森.example", "done"}}
	for _, columns := range []uint16{40, 80} {
		tty, shown := openTerminal(t, columns)
		if err := table(newPlain(tty), rows); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(shown(), "\r\n"), "\r\n")
		if len(lines) != 3 || !strings.Contains(lines[1], "…") {
			t.Errorf("in %d columns:\n%s", columns, strings.Join(lines, "\n"))
		}
		for _, line := range lines {
			if columnsIn(line) > int(columns) {
				t.Errorf("a line of %d columns in %d: %s", columnsIn(line), columns, line)
			}
		}
		tty, shown = openTerminal(t, columns)
		if err := facts(newPlain(tty), [][]string{{"Pages", "1,234", long}, {"Disk", "1 GB", "free"}}); err != nil {
			t.Fatal(err)
		}
		text := shown()
		for line := range strings.SplitSeq(text, "\r\n") {
			if columnsIn(line) > int(columns) {
				t.Errorf("a line of %d columns in %d: %s", columnsIn(line), columns, line)
			}
		}
		if n := strings.Count(text, "reason"); n != 20 {
			t.Errorf("%d of 20 words are there:\n%s", n, text)
		}
	}
	var b bytes.Buffer // where it is no terminal, nothing is cut
	if err := table(&b, rows); err != nil || !strings.Contains(b.String(), long[:len(long)-1]) {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// With NO_COLOR nothing is coloured; without it the demonstration is.
func TestShow_NoColour(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for value, want := range map[string]bool{"": true, "1": false} {
		t.Setenv("NO_COLOR", value)
		tty, shown := openTerminal(t, 80)
		e := &env{out: newPlain(tty), err: newPlain(&bytes.Buffer{})}
		s := e.openShow()
		s.draw(aScene())
		s.close()
		screen := shown()
		if got := regexp.MustCompile(`\x1b\[[0-9;]*m`).MatchString(screen); got != want || !strings.Contains(screen, "1,250 of 5,000") {
			t.Errorf("NO_COLOR=%q: coloured %v, want %v\n%q", value, got, want, screen)
		}
	}
}

// A line of a log is no longer than the terminal is wide, unless it is wanted whole. What is piped is whole.
func TestLog_OnATerminal(t *testing.T) {
	home := recordedHome(t)
	const whole = "http://a.example/new  (no-robots; waited 2.5 s of 2.0 s)  A [2Jpage"
	for args, full := range map[string]bool{"": false, " --full": true} {
		tty, shown := openTerminal(t, 40)
		if code := Main(strings.Fields("log --requests --home "+home+args), tty, tty); code != exitOK {
			t.Errorf("exit code %d", code)
		}
		screen := shown()
		if strings.Contains(screen, whole) != full {
			t.Errorf("forage log%s:\n%s", args, screen)
		}
		for line := range strings.Lines(screen) {
			if n := columnsIn(strings.TrimSpace(line)); !full && n > 40 {
				t.Errorf("%d columns: %q", n, line)
			}
		}
	}
}
