package console

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// grid is a terminal that understands what a panel needs, in raw mode: CR, LF
// that goes straight down, up, home, and erase to the end of line and screen.
type grid struct {
	rows     []string
	row, col int // col is in bytes: the tests write ASCII
	hidden   bool
}

var control = regexp.MustCompile(`^\x1b\[(\??)([0-9]*)([A-Za-z])`)

func (g *grid) Write(p []byte) (int, error) {
	for s := string(p); s != ""; {
		g.reach()
		line := &g.rows[g.row]
		if m := control.FindStringSubmatch(s); m != nil {
			s = s[len(m[0]):]
			n, _ := strconv.Atoi(m[2])
			switch m[1] + m[3] {
			case "A":
				g.row = max(0, g.row-n)
			case "H":
				g.row, g.col = 0, 0
			case "K":
				*line = (*line)[:min(g.col, len(*line))]
			case "J":
				*line, g.rows = (*line)[:min(g.col, len(*line))], g.rows[:g.row+1]
			case "?l", "?h":
				g.hidden = m[3] == "l"
			}
			continue
		}
		switch s[0] {
		case '\r':
			g.col = 0
		case '\n':
			g.row++
		default:
			*line += strings.Repeat(" ", max(0, g.col-len(*line)))
			*line = (*line)[:g.col] + s[:1] + (*line)[min(g.col+1, len(*line)):]
			g.col++
		}
		s = s[1:]
	}
	g.reach()
	return len(p), nil
}

// reach makes the row there that the cursor is in.
func (g *grid) reach() {
	for len(g.rows) <= g.row {
		g.rows = append(g.rows, "")
	}
}

func lines(text ...string) func(int, int) []string { return func(int, int) []string { return text } }

func TestPanel_ChangesInPlaceBelowTheLog(t *testing.T) {
	g := &grid{}
	columns := 80
	p := &Panel{out: g, log: g, size: func() (int, int) { return columns, 24 }}
	check := func(want ...string) {
		t.Helper()
		if !slices.Equal(g.rows, want) {
			t.Errorf("the terminal shows %q, want %q", g.rows, want)
		}
	}
	p.Print("hello\n")
	p.Show(lines("one", "two", "three"))
	check("hello", "one", "two", "three")
	p.Show(lines("1", "2", "3", "4"))
	check("hello", "1", "2", "3", "4")
	p.Show(lines("ab", ""))
	check("hello", "ab", "")
	if n, err := p.Write([]byte("a warning\nin two lines\n")); n != 23 || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
	check("hello", "a warning", "in two lines", "ab", "")
	p.Show(lines("x"))
	check("hello", "a warning", "in two lines", "x")
	if !g.hidden {
		t.Error("the cursor blinks while the panel changes")
	}
	columns = 40 // what is there has wrapped
	p.Show(lines("y", "z"))
	check("y", "z")
	p.Finish()
	check("")
	p.Finish()
	p.Print("the end\n")
	check("the end", "")
	if g.hidden {
		t.Error("the cursor is left hidden")
	}
}

func TestPanel_PlainWhereThereIsNoTerminal(t *testing.T) {
	var out, log bytes.Buffer
	p := NewPanel(&out, &log)
	if p.Live() {
		t.Error("a buffer is taken for a terminal")
	}
	p.Print("a line\n")
	p.Write([]byte("a warning\n"))
	p.Finish()
	if out.String() != "a line\n" || log.String() != "a warning\n" {
		t.Errorf("out %q, log %q", out.String(), log.String())
	}
}
