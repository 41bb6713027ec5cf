package doctor

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/sense"
)

// On battery, with no desktop: what is known is told with its source, what is not with why, and what that means.
func TestLookAtSensors_SaysWhatIsKnownAndWhyNot(t *testing.T) {
	sys := t.TempDir()
	for name, text := range map[string]string{
		"BAT0/type": "Battery", "BAT0/scope": "System", "BAT0/present": "1", "BAT0/status": "Discharging",
		"BAT0/capacity":   "42",
		"BAT0/energy_now": "42", "BAT0/energy_full": "100", "AC/type": "Mains", "AC/online": "0",
	} {
		path := filepath.Join(sys, "class", "power_supply", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := &doctor{paths: config.Paths{Data: t.TempDir()}, settings: config.Defaults(),
		opts: Options{Sense: &sense.Options{
			Sys: sys, Getenv: func(string) string { return "" },
			Dial: func(context.Context, string) (net.Conn, error) { return nil, errors.New("refused by the test") },
		}}}
	a := d.lookAtSensors(t.Context())
	found := func(parts ...string) bool {
	next:
		for _, f := range a.Findings {
			for _, p := range parts {
				if !strings.Contains(f.Text, p) {
					continue next
				}
			}
			return f.Verdict == OK
		}
		return false
	}
	for _, parts := range [][]string{
		{"power: on battery, 42 %", "(sysfs)"},
		{"input: not known", "idle.unknown_is", "logind: refused by the test"},
		{"full screen: nothing here can tell", "no DISPLAY is set"},
	} {
		if !found(parts...) {
			t.Errorf("nothing says %q in %q", parts, a.Findings)
		}
	}
	if a.Verdict != OK {
		t.Errorf("verdict %v: a sensor that cannot tell is no problem", a.Verdict)
	}
	if d.opts.Sense = nil; d.lookAtSensors(t.Context()) != nil {
		t.Error("looked at without being asked to")
	}
}
