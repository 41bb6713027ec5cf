package complete

import (
	"strings"
	"testing"

	"github.com/forage-net/forage/ui/cli/env"
)

func FuzzComplete(f *testing.F) {
	f.Add("set disk.max=")
	f.Add("--home /x run --gap=1s -- -")
	f.Add("never \x00\xff")
	f.Fuzz(func(t *testing.T, line string) {
		e := &env.Env{Home: "/nonexistent"}
		c := env.Command("set KEY=VALUE", "", 1, 1)
		c.SetContext(t.Context())
		for _, name := range []string{"KEY", "KEY=VALUE", "DOMAIN", "VERB", "DURATION", "a|b"} {
			list, _ := completeArgument(e, c, name, line)
			for _, x := range list {
				if !strings.HasPrefix(x, line) {
					t.Errorf("%q is no completion of %q", x, line)
				}
			}
		}
	})
}
