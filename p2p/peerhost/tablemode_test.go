package peerhost

import (
	"slices"
	"testing"

	"github.com/libp2p/go-libp2p/core/protocol"
)

// Who answers others can be asked: the host speaks the protocol of the table then.
func TestTableMode_SaysWhoAnswers(t *testing.T) {
	for _, c := range []struct {
		what   string
		world  World
		role   Role
		mode   TableMode
		answer bool
	}{
		{"lab", Lab, Member, TableAuto, true}, {"lab, client", Lab, Member, TableClient, false}, {"lab, server", Lab, Member, TableServer, true},
		{"public", Public, Member, TableAuto, true}, // until others found that it cannot be reached
		{"public, client", Public, Member, TableClient, false}, {"public, server", Public, Member, TableServer, true},
		{"bootstrap", Public, Bootstrap, TableClient, true},
	} {
		config := labConfig(t)
		config.World, config.Role = c.world, c.role
		h, g := startHost(t, config)
		table, err := newTable(FinderConfig{Host: h, Gater: g, World: c.world, Role: c.role, Mode: c.mode, Network: "test"})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(h.Mux().Protocols(), protocol.ID("/forage/test/kad/1.0.0")); got != c.answer {
			t.Errorf("%s: answers others: %t, want %t; it speaks %v", c.what, got, c.answer, h.Mux().Protocols())
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
}
