package nodeapi

import (
	"strings"
	"testing"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/peerhost"
)

// Each code of who can reach a node has a sentence.
func TestReachText(t *testing.T) {
	for _, r := range []peerhost.Reachability{
		{}, {Direct: peerhost.Yes}, {Direct: peerhost.Yes, PortMapped: true}, {Direct: peerhost.Yes, World: peerhost.Lab}, {Direct: peerhost.No, Relayed: true},
		{Direct: peerhost.No, LANPeers: 1}, {LANPeers: 1}, {Direct: peerhost.No},
	} {
		en, de := reachText(words.English, r), reachText(words.German, r)
		if en == de || !strings.HasSuffix(en, ".") || strings.Contains(de, "reach.") {
			t.Errorf("%s: %q, %q", r.Code(), en, de)
		}
	}
}
