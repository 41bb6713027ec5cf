package app

import (
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/swarm"
)

// swarmWords says what events between members are called and how they are told: of one
// and of several domains or links, with the other's name.
var swarmWords = map[swarm.EventKind]struct {
	code      api.Code
	one, many string
	links     bool // Count is told, not Domains
}{
	swarm.LinksSent:     {code: api.CodeLinksSent, one: "1 link sent to %s", many: "%d links sent to %s", links: true},
	swarm.LinksTaken:    {code: api.CodeLinksReceived, one: "1 link received from %s", many: "%d links received from %s", links: true},
	swarm.LeasesLent:    {code: api.CodeLeaseLent, one: "1 domain lent to %s", many: "%d domains lent to %s"},
	swarm.LeasesBack:    {code: api.CodeLeaseReturned, one: "1 domain back from %s", many: "%d domains back from %s"},
	swarm.LeasesHeld:    {code: api.CodeLeaseHeld, one: "1 domain fetched for %s", many: "%d domains fetched for %s"},
	swarm.LeasesBrought: {code: api.CodeLeaseBrought, one: "1 domain given back to %s", many: "%d domains given back to %s"},
	swarm.PagesTaken:    {code: api.CodePagesReceived, one: "1 page fetched by %s", many: "%d pages fetched by %s", links: true},
	swarm.WorkUndone:    {code: api.CodeWorkUndone, one: "1 page of %s is fetched again: checks contradict it", many: "%d pages of %s are fetched again: checks contradict it", links: true},
}

// shortPeer is the end of a peer's ID: the beginnings are all alike.
func shortPeer(id string) string {
	s := peer.ID(id).String()
	return s[max(len(s)-6, 0):]
}
