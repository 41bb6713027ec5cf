package demo

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/forage-net/forage/ui/cli/clitest"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

// With NO_COLOR nothing is coloured; without it the demonstration is.
func TestShow_NoColour(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for value, want := range map[string]bool{"": true, "1": false} {
		t.Setenv("NO_COLOR", value)
		tty, shown := clitest.OpenTerminal(t, 80)
		e := &env.Env{Out: console.NewPlain(tty), Err: console.NewPlain(&bytes.Buffer{})}
		s := openShow(e)
		s.draw(aScene())
		s.close()
		screen := shown()
		if got := regexp.MustCompile(`\x1b\[[0-9;]*m`).MatchString(screen); got != want || !strings.Contains(screen, "1,250 of 5,000") {
			t.Errorf("NO_COLOR=%q: coloured %v, want %v\n%q", value, got, want, screen)
		}
	}
}
