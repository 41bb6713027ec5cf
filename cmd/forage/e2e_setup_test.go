//go:build linux

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/demo"
)

// Who starts forage without having agreed agrees in a front end, and the node that runs begins to work. No site
// is asked before.
func TestRun_BeginsWhenAFrontEndHasConsent(t *testing.T) {
	t.Parallel()
	l := newLab(t, demo.Options{Sites: 2, Pages: 50})
	args := slices.DeleteFunc(l.runArgs("--gap", "0s", "--await-consent"), func(a string) bool { return a == "--accept" })
	p := startForage(t, args...)
	client := awaitAPI(t, p, l.home)
	first, err := client.Setup(t.Context(), "en")
	if err != nil || !first.Needed || first.Consent.Given {
		t.Fatalf("%+v, %v", first, err)
	}
	if err := client.Agree(t.Context(), api.Agreement{Agree: true}); err == nil || !strings.Contains(err.Error(), "your connection") {
		t.Errorf("half an agreement: %v", err)
	}
	if n := l.served.Load(); n > 0 {
		t.Errorf("%d requests before consent", n)
	}
	if err := client.Agree(t.Context(), api.Agreement{Agree: true, ConnectionIsMine: true, Preset: first.Presets[0].ID, Version: first.Consent.Version}); err != nil {
		t.Fatal(err)
	}
	until(t, "the first page", func() bool {
		s, err := client.Status(t.Context())
		return err == nil && s.Pages > 0
	})
	if out := l.forage("get", "consent.version"); strings.TrimSpace(out) == "0" {
		t.Errorf("version %s is agreed to, want %d", out, config.ConsentVersion)
	}
	l.forage("stop")
	if code := p.wait(); code != 0 {
		t.Errorf("ended with %d: %s", code, tail(p.stderr.String()))
	}
}
