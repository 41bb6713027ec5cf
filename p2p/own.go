package p2p

import (
	"context"
	"fmt"
	"slices"
	"time"

	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/members"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/roster"
)

const (
	// reissueEvery is how often a member says that it is still there.
	reissueEvery = 20 * time.Hour
	// ownLook is how often it is looked whether there is something new to say.
	ownLook = 6 * time.Second
	// fewMembers is how many owners there must be before a newcomer has to have
	// been up for a while.
	fewMembers = 10
	// reachFirst is how long a node that is restarted counts as reachable as it was before: it takes minutes to
	// find out.
	reachFirst = 10 * time.Minute
	// seats is how many fetchers a member has room for.
	seats = 40
)

// spreadOwn keeps this node's record true until ctx is done.
func (n *Node) spreadOwn(ctx context.Context) {
	select {
	case <-n.joined:
	case <-ctx.Done():
		return
	}
	for {
		tellOwn(ctx, n)
		wait := pulse.Within(ownLook)
		if n.history.IsContested() { // what the other one issues nobody sends to this one: it has the same name
			n.compareSoon()
			wait = resyncEvery
		}
		select {
		case <-time.After(wait):
		case <-n.untrue:
		case <-ctx.Done():
			return
		}
	}
}

// tellOwn issues a record if the node has to, and logs what keeps it from that.
func tellOwn(ctx context.Context, n *Node) {
	if err := n.issue(ctx); err != nil && ctx.Err() == nil {
		n.log.Warn("Other members do not hear of this node for now", "error", err)
	}
}

// issue makes a new record of this node if the last one is not true any more.
func (n *Node) issue(ctx context.Context) error {
	if n.Requests.Silent() {
		return nil
	}
	r := n.describe()
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.leaving != 0 {
		r.State = n.leaving
	}
	if n.away {
		r.Capacity = 0
	}
	if !n.checkOwn() {
		return nil
	}
	heard, is := n.Members.Roster.Get(n.self)
	own := n.own.Load()
	same := own != nil && is && !n.exchange.disputed.own.Load() && !heard.Out && heard.Seq == own.Seq &&
		!n.history.IsForeign(heard) && own.State == r.State && own.Capacity == r.Capacity && own.Reach == r.Reach &&
		own.Joined == r.Joined && slices.Equal(own.Vouches, r.Vouches) &&
		slices.EqualFunc(own.Addrs, r.Addrs, ma.Multiaddr.Equal)
	if same && n.cfg.Now().Unix()-own.Issued < int64(reissueEvery/time.Second) {
		return nil
	}
	// the rest is nobody's business
	r.Seq, r.Issued = n.Members.Roster.NextSeq(n.seq), n.cfg.Now().Truncate(time.Hour).Unix()
	if r.State == roster.StateResting {
		r.Issued = n.cfg.Now().Unix() // others count from there
	}
	n.seq = r.Seq
	if err := n.save(); err != nil { // a number is never used twice
		return err
	}
	raw, err := roster.Seal(n.cfg.Network, n.cfg.Key, r)
	if err != nil {
		return fmt.Errorf("seal record: %w", err)
	}
	n.own.Store(&r)
	n.history.Issued(r.Seq, raw)
	n.Vouches.Renewed()
	n.exchange.disputed.own.Store(false)
	if _, err := n.Members.Roster.Add(n.self, raw); err != nil {
		return fmt.Errorf("own record: %w", err)
	}
	n.Members.Refresh()
	// Gossip reaches whom it has met; those that came just now are told directly.
	n.compareSoon()
	return n.gossip.publish(ctx, raw)
}

// maxTold is how many peers are told directly of a new record.
const maxTold = 8

// compareSoon compares rosters with some peers.
func (n *Node) compareSoon() {
	peers := n.cfg.Host.Network().Peers()
	for _, p := range peers[:min(len(peers), maxTold)] {
		n.exchange.soon(string(p))
	}
}

// checkOwn looks whether others know a later record of this node than its store, and returns false while none is to be
// issued. n.mu is held.
func (n *Node) checkOwn() bool {
	heard, _ := n.Members.Roster.Get(n.self)
	return n.history.Check(heard, n.seq)
}

// TrustStore is to be called when what SetBack tells has been acted on. Until then this node issues no records:
// its store would not show any more that it was set back.
func (n *Node) TrustStore() {
	n.history.Trust()
}

// describe returns what is true of this node now.
func (n *Node) describe() roster.Record {
	r := roster.Record{Peer: n.self, State: roster.StateActive, Reach: roster.ReachPublic, Seats: seats,
		Version: n.cfg.Version}
	if n.cfg.Reach != nil {
		r.Reach = n.cfg.Reach()
	}
	addrs := n.cfg.Host.Addrs()
	if n.cfg.Addrs != nil {
		addrs = n.cfg.Addrs()
	}
	own, owns := n.Members.Own()
	if owns && r.Reach == roster.ReachUnknown && time.Since(n.started) < reachFirst {
		r.Reach = own.Reach
	}
	if r.Addrs = roster.Usable(addrs, r.Reach); owns && len(r.Addrs) == 0 && r.Reach == own.Reach {
		r.Addrs = own.Addrs
	}
	if n.mayOwn(r.Reach, owns) {
		r.Capacity = n.cfg.Capacity()
	}
	var was []ma.Multiaddr
	if owns {
		was = own.Addrs
	}
	n.Vouches.Fill(&r, was)
	return r
}

// heardOwn looks at what the roster knows of this node. A new record undoes a note that it is out. It also answers a
// record that another node with the same key has issued: the sooner each has heard some of the other, the sooner one
// gives way.
func (n *Node) heardOwn(m roster.Member) {
	if m.Out || n.history.IsForeign(m) {
		n.reissue()
	}
}

// reissue has a new record made soon if the last one is not true any more.
func (n *Node) reissue() {
	select {
	case n.untrue <- struct{}{}:
	default:
	}
}

// mayOwn reports whether this node may own domains: it can be dialled, can take them over now, and has
// been up for a while unless members are few. A member that owns some before a restart goes on.
func (n *Node) mayOwn(reach roster.Reach, owns bool) bool {
	switch {
	case n.cfg.Capacity() == 0:
		return false
	case !n.Members.OthersOwn():
		return true // a node alone owns everything
	case reach != roster.ReachPublic && reach != roster.ReachLAN:
		return false
	case owns:
		return true
	case n.cfg.Takes != nil && !n.cfg.Takes():
		return false
	}
	return len(n.Members.Roster.Owners()) < fewMembers || time.Since(n.started) >= n.cfg.Times.Ownership
}

// Leave says that this node will own nothing from now on, and, once left is
// true, that it has handed everything over. It returns when the news is on its
// way.
func (n *Node) Leave(ctx context.Context, left bool) error {
	n.mu.Lock()
	if n.leaving = roster.StateLeaving; left {
		n.leaving = roster.StateLeft
	}
	n.mu.Unlock()
	if err := n.issue(ctx); err != nil {
		return err
	}
	// Gossip takes a heartbeat; those that matter most are told directly.
	for _, p := range n.Members.Neighbours(members.MaxNear) {
		n.exchange.syncWith(ctx, p)
	}
	return nil
}
