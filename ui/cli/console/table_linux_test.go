package console

import (
	"bytes"
	"strings"
	"testing"

	"github.com/forage-net/forage/ui/cli/clitest"
)

// On a terminal, tables have lines that fit, and facts go on below themselves.
func TestTable_FitsTheTerminal(t *testing.T) {
	long := strings.Repeat("reason ", 20)
	rows := [][]string{{"DOMAIN", "STATE"}, {strings.Repeat("long-", 12) + ".example", "waiting: " + long}, {"森.example", "done"}}
	for _, columns := range []uint16{40, 80} {
		tty, shown := clitest.OpenTerminal(t, columns)
		if err := Table(NewPlain(tty), rows); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(shown(), "\r\n"), "\r\n")
		if len(lines) != 3 || !strings.Contains(lines[1], "…") {
			t.Errorf("in %d columns:\n%s", columns, strings.Join(lines, "\n"))
		}
		for _, line := range lines {
			if ColumnsIn(line) > int(columns) {
				t.Errorf("a line of %d columns in %d: %s", ColumnsIn(line), columns, line)
			}
		}
		tty, shown = clitest.OpenTerminal(t, columns)
		if err := Facts(NewPlain(tty), [][]string{{"Pages", "1,234", long}, {"Disk", "1 GB", "free"}}); err != nil {
			t.Fatal(err)
		}
		text := shown()
		for line := range strings.SplitSeq(text, "\r\n") {
			if ColumnsIn(line) > int(columns) {
				t.Errorf("a line of %d columns in %d: %s", ColumnsIn(line), columns, line)
			}
		}
		if n := strings.Count(text, "reason"); n != 20 {
			t.Errorf("%d of 20 words are there:\n%s", n, text)
		}
	}
	var b bytes.Buffer // where it is no terminal, nothing is cut
	if err := Table(&b, rows); err != nil || !strings.Contains(b.String(), long[:len(long)-1]) {
		t.Errorf("%v\n%s", err, b.String())
	}
}
