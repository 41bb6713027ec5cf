package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/ui/cli/clitest"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

// inTerminal runs a command line whose standard error is a terminal. Time passes quickly: half a second and more
// each time somebody looks at the clock.
func inTerminal(t *testing.T, columns uint16, line string) (out, screen string) {
	t.Helper()
	t.Setenv("TERM", "xterm")
	tty, shown := clitest.OpenTerminal(t, columns)
	var stdout bytes.Buffer
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	e := &env.Env{Out: console.NewPlain(&stdout), Err: console.NewPlain(tty), Now: func() time.Time {
		now = now.Add(600 * time.Millisecond)
		return now
	}}
	if _, err := dispatch(t.Context(), e, strings.Fields(line)); err != nil {
		t.Errorf("forage %s: %v", line, err)
	}
	return stdout.String(), shown()
}

// Long work shows on a terminal how far it is, and takes that away; what came of it goes to standard output
// as ever.
func TestBar_OnATerminal(t *testing.T) {
	home, out := t.TempDir(), t.TempDir()
	archiveOnePage(t, home)
	e := &env.Env{Home: home}
	if err := e.FindPaths(); err != nil {
		t.Fatal(err)
	}
	archivePages(t, e.Paths.WARC(), 300)
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
			if text, _ := strings.CutSuffix(drawn, "\x1b[K"); strings.Contains(text, "\x1b") || console.ColumnsIn(text) >= 80 {
				t.Errorf("forage %s: in 80 columns, %q", c.line, drawn)
			}
		}
	}
}

// A terminal that obeys nothing is shown nothing that moves.
func TestBar_DumbTerminal(t *testing.T) {
	home := t.TempDir()
	archiveOnePage(t, home)
	tty, shown := clitest.OpenTerminal(t, 80)
	t.Setenv("TERM", "dumb")
	var stdout bytes.Buffer
	e := &env.Env{Out: console.NewPlain(&stdout), Err: console.NewPlain(tty)}
	if _, err := dispatch(t.Context(), e, []string{"erase", "--yes", "--home", home}); err != nil {
		t.Fatal(err)
	}
	if screen := shown(); screen != "" {
		t.Errorf("it shows %q", screen)
	}
}

// A line of a log is no longer than the terminal is wide, unless it is wanted whole. What is piped is whole.
func TestLog_OnATerminal(t *testing.T) {
	home := recordedHome(t)
	const whole = "http://a.example/new  (no-robots; waited 2.5 s of 2.0 s)  A [2Jpage"
	for args, full := range map[string]bool{"": false, " --full": true} {
		tty, shown := clitest.OpenTerminal(t, 40)
		if code := Main(strings.Fields("log --requests --home "+home+args), tty, tty); code != env.ExitOK {
			t.Errorf("exit code %d", code)
		}
		screen := shown()
		if strings.Contains(screen, whole) != full {
			t.Errorf("forage log%s:\n%s", args, screen)
		}
		for line := range strings.Lines(screen) {
			if n := console.ColumnsIn(strings.TrimSpace(line)); !full && n > 40 {
				t.Errorf("%d columns: %q", n, line)
			}
		}
	}
}
