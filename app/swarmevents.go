package app

import (
	"context"
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/p2p/pulse"
)

// tellSwarm makes an event of what happened between members.
func (n *Node) tellSwarm(e swarmEvent) {
	w, ok := swarmWords[e.Kind]
	if !ok {
		return
	}
	for _, d := range e.All {
		n.picture.latest.note(d, time.Now())
	}
	count, name := e.Domains, shortPeer(e.Peer)
	if w.links {
		count = e.Count
	}
	ev := api.Event{
		Kind: api.KindSwarm, Code: w.code, Domain: string(e.Domain), Peer: peer.ID(e.Peer).String(), Count: int64(count),
		Text: fmt.Sprintf(w.one, name),
	}
	if count != 1 {
		ev.Text = fmt.Sprintf(w.many, count, name)
	}
	n.journal.add(ev)
}

// membersEvery is how often it is looked whether the members have changed. Changes within
// that time are told as one.
const membersEvery = 2 * time.Second

// watchMembers tells when who owns what has changed, until ctx is done.
func (n *Node) watchMembers(ctx context.Context) error {
	told := n.member.Node.Owners()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pulse.Until(membersEvery)):
		}
		if now := n.member.Node.Owners(); now != told {
			told = now
			count := n.member.Node.Members()
			n.journal.add(api.Event{
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
