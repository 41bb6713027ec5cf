package journal

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/members"
	"github.com/forage-net/forage/p2p/pulse"
)

// swarmWords says what events between members are called and the keys of how they are told.
var swarmWords = map[swarm.EventKind]struct {
	code  api.Code
	key   string
	links bool // Count is told, not Domains
}{
	swarm.LinksSent:     {api.CodeLinksSent, "said.event.links-sent", true},
	swarm.LinksTaken:    {api.CodeLinksReceived, "said.event.links-received", true},
	swarm.LeasesLent:    {api.CodeLeaseLent, "said.event.domains-lent", false},
	swarm.LeasesBack:    {api.CodeLeaseReturned, "said.event.domains-back", false},
	swarm.LeasesHeld:    {api.CodeLeaseHeld, "said.event.domains-fetched-for", false},
	swarm.LeasesBrought: {api.CodeLeaseBrought, "said.event.domains-given-back", false},
	swarm.PagesTaken:    {api.CodePagesReceived, "said.event.pages-fetched-by", true},
	swarm.WorkUndone:    {api.CodeWorkUndone, "said.event.pages-undone", true},
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
	said := &words.Message{Key: w.key, Args: words.Args{"count": count, "peer": name}}
	t.Journal.Add(api.Event{
		Kind: api.KindSwarm, Code: w.code, Domain: string(e.Domain), Peer: peer.ID(e.Peer).String(),
		Count: int64(count), Said: said.In,
	})
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
				Kind: api.KindSwarm, Code: api.CodeSwarm, Count: int64(count),
				Said: words.New("said.event.members-own-domains", words.Args{"count": count}).In,
			})
		}
	}
}
