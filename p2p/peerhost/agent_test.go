package peerhost

import (
	"regexp"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// What a host tells whoever connects names the program and its version, and nothing of the computer.
func TestHost_TellsProgramAndVersion(t *testing.T) {
	a, _ := startHost(t, labConfig(t))
	b, _ := startHost(t, labConfig(t))
	if err := b.Connect(t.Context(), info(a)); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"AgentVersion": `^forage/\d+\.\d+\.\d+$`, "ProtocolVersion": `^$`} {
		var got any
		await(t, key+" is told", func() (ok bool) { got, _ = b.Peerstore().Get(a.ID(), key); return got != nil })
		if text, _ := got.(string); !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s is %q, want %s (version %s)", key, got, want, crawl.Version)
		}
	}
}
