package look

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

// evil is text as a site may have it for a title.
const evil = "a\x1b[2J\x1b]0;owned\x07b\r\x00\u009b31mc\u202ed\x7f\xff\u2066\u200b\u200e\u200f\ufeffé森"

// Nothing that sites or other nodes wrote reaches the terminal as it is, in whatever field it comes.
func TestPrint_HostileText(t *testing.T) {
	var b bytes.Buffer
	e := &env.Env{Out: console.NewPlain(&b)}
	peers := api.Peers{Reachability: evil, Peers: []api.Peer{{ID: evil, State: evil, Connection: evil, Addr: evil}}}
	domains := []api.Domain{{Domain: evil, State: evil, Reason: evil, Owner: evil}}
	status := api.Status{State: api.State(evil), Reasons: []string{evil}, Identity: api.Identity{Network: evil},
		Holdings: api.Holdings{ArchiveDir: evil}, Health: api.Health{Sentence: evil}}
	for i, err := range []error{
		printPeers(e.Out, "", peers), printDomains(e.Out, "", domains, time.Now()), PrintStatus(e.Out, "", status),
		printEvent(e, api.Event{URL: evil, Title: evil, Kind: api.KindPage}),
		printEvent(e, api.Event{URL: evil, Text: "two\nlines"}),
	} {
		if err != nil {
			t.Fatal(i, err)
		}
	}
	for _, r := range b.String() {
		if r != '\n' && console.Printable(string(r)) == "" {
			t.Fatalf("%q is printed:\n%q", r, b.String())
		}
	}
	if n := strings.Count(b.String(), "\n"); strings.Contains(b.String(), "two\n") {
		t.Errorf("%d lines: one event has two\n%s", n, b.String())
	}
}
