package journal

import (
	"context"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/p2p/members"
	"github.com/forage-net/forage/p2p/pulse"
)

// swarmWords says what events between members are called and how they are told: of one
// and of several domains or links, with the other's name.
var swarmWords = map[swarm.EventKind]struct {
	code      api.Code
	one, many string
	links     bool // Count is told, not Domains
}{
	swarm.LinksSent: {code: api.CodeLinksSent, one: "1 link sent to %s", many: "%d links sent to %s", links: true},
	swarm.LinksTaken: {
		code: api.CodeLinksReceived, one: "1 link received from %s", many: "%d links received from %s", links: true,
	},
	swarm.LeasesLent: {code: api.CodeLeaseLent, one: "1 domain lent to %s", many: "%d domains lent to %s"},
	swarm.LeasesBack: {code: api.CodeLeaseReturned, one: "1 domain back from %s", many: "%d domains back from %s"},
	swarm.LeasesHeld: {code: api.CodeLeaseHeld, one: "1 domain fetched for %s", many: "%d domains fetched for %s"},
	swarm.LeasesBrought: {
		code: api.CodeLeaseBrought, one: "1 domain given back to %s", many: "%d domains given back to %s",
	},
	swarm.PagesTaken: {
		code: api.CodePagesReceived, one: "1 page fetched by %s", many: "%d pages fetched by %s", links: true,
	},
	swarm.WorkUndone: {
		code: api.CodeWorkUndone, one: "1 page of %s is fetched again: checks contradict it",
		many: "%d pages of %s are fetched again: checks contradict it", links: true,
	},
}

// Swarm tells what happened between members.
func (t *Teller) Swarm(e swarm.Event) {
	w, ok := swarmWords[e.Kind]
	if !ok {
		return
	}
	for _, d := range e.All {
		t.Visited(d, time.Now(), "")
	}
	count, name := e.Domains, ShortPeer(e.Peer)
	if w.links {
		count = e.Count
	}
	ev := api.Event{
		Kind: api.KindSwarm, Code: w.code, Domain: string(e.Domain), Peer: peer.ID(e.Peer).String(),
		Count: int64(count), Text: fmt.Sprintf(w.one, name),
	}
	if count != 1 {
		ev.Text = fmt.Sprintf(w.many, count, name)
	}
	t.Journal.Add(ev)
}

// ShortPeer is the end of a peer's ID: the beginnings are all alike.
func ShortPeer(id string) string {
	s := peer.ID(id).String()
	return s[max(len(s)-6, 0):]
}

// membersEvery is how often it is looked whether the members have changed. Changes within
// that time are told as one.
const membersEvery = 2 * time.Second

// WatchMembers tells when who owns what has changed, until ctx is done.
func (t *Teller) WatchMembers(ctx context.Context, m *members.Members) error {
	told := m.Owners()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pulse.Until(membersEvery)):
		}
		if now := m.Owners(); now != told {
			told = now
			count := m.Count()
			t.Journal.Add(api.Event{
				Kind: api.KindSwarm, Code: api.CodeSwarm, Count: int64(count), Text: membersText(count),
			})
		}
	}
}

func membersText(n int) string {
	if n == 1 {
		return "1 member owns domains now"
	}
	return fmt.Sprintf("%d members own domains now", n)
}
