package cli

import (
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/cli/env"
)

// Who finds nothing is told so, and by the exit code.
func TestFind_NothingEndsWithOne(t *testing.T) {
	home := t.TempDir()
	serve(t, home, func(boot string) api.Node { return &mouth{fullNode{boot: boot}} })
	for line, want := range map[string]int{"find all": env.ExitOK, "find nothing": env.ExitError, "find nothing --json": env.ExitError} {
		if code, out, complaint := forage(home, line); code != want || out == "" || complaint != "" {
			t.Errorf("forage %s: exit code %d, %q, %q, want %d", line, code, out, complaint, want)
		}
	}
}
