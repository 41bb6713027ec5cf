package nodeapi

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/swarm/checks"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/p2p"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

// Peers implements api.Node.
func (o *Overview) Peers(ctx context.Context) (api.Peers, error) {
	m := o.Member
	list := api.Peers{
		ID: m.Host.ID().String(), Share: m.Node.Members.Share(), Members: int64(m.Node.Members.Count()),
		Reachability: reachText(api.Lang(ctx), m.Finder.Reachability()),
		Private:      o.Private, Alone: m.Node.Alone(), Traffic: m.Traffic(),
		Shared: make(map[string]int64), Offences: make(map[string]int64),
	}
	if !list.Private { // the secret is told to those who ask for it
		list.Invite = o.Member.Invite()
	}
	for kind, n := range o.Swarm.Counts() {
		list.Shared[string(kind)] = n
	}
	for what, n := range m.Node.Requests.Offences() {
		list.Offences[what] = int64(n)
	}
	for _, a := range m.Host.Addrs() {
		list.Addrs = append(list.Addrs, a.String()+"/p2p/"+list.ID)
	}
	peers := m.Node.Peers()
	if len(peers) == 0 {
		return list, nil // nobody to lend to: leases need not be read
	}
	lent := make(map[string]int)
	for _, by := range o.Books.live() {
		lent[string(by)]++
	}
	held := o.Fetchers.Held()
	ids := make([]crawl.PeerID, len(peers))
	for i, p := range peers {
		ids[i] = crawl.PeerID(p.ID)
	}
	checked := o.checked(ids)
	for _, p := range peers {
		x := describePeer(p)
		x.LeasesHeld, x.LeasesLent = int64(held[string(p.ID)]), int64(lent[string(p.ID)])
		r := checked[crawl.PeerID(p.ID)]
		x.Outcomes, x.Checks = int64(r.Outcomes), int64(r.Checks)
		x.ChecksAgreed, x.ChecksAlone = int64(r.Agreed), int64(r.Alone)
		if r.Barred.After(o.Clock.Now()) {
			until := o.Clock.Wall(r.Barred)
			x.BarredUntil = &until
		}
		list.Peers = append(list.Peers, x)
	}
	return list, nil
}

// Invitation implements api.Node.
func (o *Overview) Invitation(context.Context) (api.Invitation, error) {
	return api.Invitation{Invite: o.Member.Invite(), Private: o.Private}, nil
}

// reachText says in a sentence who can open a connection to this node.
func reachText(lang string, r peerhost.Reachability) string {
	return words.Text(lang, "reach."+r.Code(), words.Args{"at": r.Places()})
}

func describePeer(p p2p.Peer) api.Peer {
	x := api.Peer{
		ID: p.ID.String(), Capacity: int64(p.Capacity), Share: p.Share, RTTMs: float64(p.RTT.Microseconds()) / 1000,
		Version: p.Version, Reach: p.Reach.String(),
	}
	if p.Remote != nil {
		x.Addr = p.Remote.String()
	} else if len(p.Addrs) > 0 {
		x.Addr = p.Addrs[0].String()
	}
	switch {
	case p.Relayed:
		x.Connection = "through a relay"
	case p.Connected:
		x.Connection = "direct"
	default:
		x.Connection = "none now"
	}
	switch {
	case p.Out:
		x.State = "out"
	case p.Down:
		x.State = "does not answer"
	case !p.Member:
		x.State = "visitor"
	case p.State == roster.StateResting:
		x.State = "rests"
	case p.State == roster.StateLeaving:
		x.State = "leaving"
	case p.State == roster.StateLeft:
		x.State = "left"
	case p.Capacity == 0 || p.Share == 0: // it would own domains, and others do not let it yet
		x.State = "fetches"
	default:
		x.State = "owns and fetches"
	}
	return x
}

// Helping implements api.Node. Pages and bytes are those of the leases of now, and what is queued waits in
// them: what else there is of a domain, its owner knows.
func (o *Overview) Helping(context.Context) ([]api.Domain, error) {
	visits := make(map[crawl.Domain]worker.Visit)
	for _, v := range o.Fetchers.Visits(maxHelping) {
		if v.Granter != "" {
			visits[v.Domain] = v
		}
	}
	var list []api.Domain
	for d, owner := range o.Fetchers.Domains() {
		if owner == "" {
			continue
		}
		a := api.Domain{Domain: string(d), State: "being visited", Owner: peer.ID(owner).String()}
		if v, is := visits[d]; is {
			a.Queued, a.Fetched, a.Bytes = int64(v.Left), int64(v.Fetched), v.Bytes
			if !v.Busy {
				next := o.Clock.Wall(v.At)
				a.NextVisit = &next
			}
		}
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b api.Domain) int { return strings.Compare(a.Domain, b.Domain) })
	return list, nil
}

// maxHelping bounds the leases that are looked at.
const maxHelping = 4096

// checked returns what checks say of other fetchers.
func (o *Overview) checked(list []crawl.PeerID) map[crawl.PeerID]checks.Record {
	if !o.Joined() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	known, err := o.Swarm.Fetchers(ctx, list)
	if err != nil {
		return nil // it rests, or ends
	}
	return known
}

// refusals are the words for why others do not vouch for this node.
var refusals = map[wire.Refusal]string{
	wire.RefusedUnmet: "admission.unmet", wire.RefusedCrowded: "admission.crowded",
	wire.RefusedEnough: "admission.enough", wire.RefusedSilence: "admission.silence",
}

// admission says in a language why other members do not yet count on this node, "" if they do or need not.
func (o *Overview) admission(lang string) string {
	a := o.Member.Node.Vouches.Admission()
	if a.Admitted || !a.Applies {
		return ""
	}
	why := refusals[a.Why]
	if why == "" {
		why = "admission.asking"
	}
	return words.Text(lang, "admission.waiting", nil) + " " + words.Text(lang, why, nil)
}

// Visits implements api.Node.
func (o *Overview) Visits(_ context.Context, limit int) ([]api.Visit, error) {
	visits := o.Fetchers.Visits(limit)
	list := make([]api.Visit, 0, len(visits))
	for _, v := range visits {
		a := api.Visit{Domain: string(v.Domain), URL: v.URL.String(), Busy: v.Busy, Left: int64(v.Left)}
		if v.Granter != "" {
			a.Owner = peer.ID(v.Granter).String()
		}
		if !v.Busy {
			next := o.Clock.Wall(v.At)
			a.Next = &next
		}
		list = append(list, a)
	}
	return list, nil
}
