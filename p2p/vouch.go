package p2p

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/transport"
	ma "github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"
	"github.com/multiformats/go-multistream"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/signed"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// vouchSoon is how soon after a new record it is looked whether this node needs vouches. While it waits to be admitted
	// the wait doubles; afterwards it is looked as often as rosters are compared.
	vouchSoon = time.Second
	// maxAsked is how many members are asked for a vouch at most.
	maxAsked = 2 * roster.MaxVouches
	// vouchRetry is how long a member is left alone that did not vouch; the wait doubles up to vouchRetryMost.
	vouchRetry, vouchRetryMost = 5 * time.Second, 30 * time.Minute
	// vouchDial is how long it may take to dial one address of a member.
	vouchDial = 5 * time.Second
	// vouchAddrs is how many addresses of a member are dialled at most.
	vouchAddrs = 3
	// fewVouchers is how many members there must be whose vouches count here before others are not asked too: two
	// networks that meet count none of the other's at first.
	fewVouchers = 20
	// newADay is how many newcomers this node vouches for in a day. In a lab there is no such bound.
	newADay = 32
	// barren is how long an address is not dialled again at which nobody was met. Many identities may name the same.
	barren = time.Minute
	// maxVouchNotes bounds what is remembered of members asked and addresses dialled.
	maxVouchNotes = 1024
	// joinedWithin is how far back a newcomer may date its beginning.
	joinedWithin = 24
)

// Admission says whether this node is a member whose place on the ring others respect.
type Admission struct {
	Admitted bool
	// Applies says that this node would own domains.
	Applies bool
	// Have says from how many networks vouches come that count here, and Need from how many they must.
	Have, Need int
	// Asked is how many members were asked of late that did not vouch, Why the commonest reason of those.
	Asked int
	Why   wire.Refusal
}

// vouches are what others say of this node: that they have dialled it and met it where its record says. It asks for
// them and says the same of others.
type vouches struct {
	n     *Node
	fresh chan struct{} // told of a new record of this node

	mu      sync.Mutex
	joined  uint32                   // Unix hour
	ips     []netip.Addr             // where this node is now
	of      map[peer.ID]signed.Vouch // of this node, by signer
	asked   map[peer.ID]backoff      // members that did not vouch
	barren  map[netip.Addr]backoff   // addresses at which nobody was met
	signed  []time.Time              // when newcomers were vouched for, within a day
	dialing chan struct{}            // one value for each member that may be dialled at a time
	issued  time.Time                // when this node's record was
}

// renewed notes a new record of this node.
func (v *vouches) renewed() {
	v.mu.Lock()
	v.issued = time.Now()
	v.mu.Unlock()
	select {
	case v.fresh <- struct{}{}:
	default:
	}
}

// isNew reports whether this node's record may not have come to all yet.
func (v *vouches) isNew() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return time.Since(v.issued) < 2*v.n.cfg.Times.Compare
}

// backoff says until when a member or an address is left alone, and why.
type backoff struct {
	until time.Time
	wait  time.Duration
	why   wire.Refusal
}

// backOff leaves a member or an address alone: for first, then twice as long each time up to most; in a lab for vouchRetry.
// v.mu is held.
func backOff[K comparable](v *vouches, from map[K]backoff, k K, why wire.Refusal, first, most time.Duration) {
	if len(from) >= maxVouchNotes {
		clear(from)
	}
	if v.n.cfg.Lab {
		first, most = vouchRetry, vouchRetry
	}
	wait := min(max(2*from[k].wait, first), most)
	from[k] = backoff{time.Now().Add(pulse.Within(wait)), wait, why}
}

func newVouches(n *Node) *vouches {
	v := &vouches{
		n: n, fresh: make(chan struct{}, 1), joined: signed.HourOf(n.cfg.Now()), of: make(map[peer.ID]signed.Vouch), asked: make(map[peer.ID]backoff),
		barren: make(map[netip.Addr]backoff), dialing: make(chan struct{}, 4),
	}
	for _, raw := range n.known {
		if r, err := roster.Open(n.cfg.Network, raw); err == nil && r.Peer == n.self && r.Joined > 0 {
			v.joined = r.Joined
			for _, vouch := range r.Vouches {
				v.of[vouch.Signer] = vouch
			}
		}
	}
	return v
}

// fill puts into a record of this node since when it is a member, and the vouches that count for it: those of members
// whose vouches count here first, and the newest of these. A node whose address has changed names the old one, too,
// until enough members have met it at the new one: else it would be no member meanwhile.
func (v *vouches) fill(r *roster.Record, was []ma.Multiaddr) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r.Joined, v.ips = v.joined, r.IPs()
	r.Vouches = v.at(v.ips)
	if have, need := v.n.roster.VouchedFrom(r); have >= need {
		return
	}
	fresh := len(r.Addrs)
	for _, a := range was {
		old := roster.Record{Addrs: []ma.Multiaddr{a}}
		if len(r.Addrs) < roster.MaxAddrs && !ma.Contains(r.Addrs, a) && len(v.at(old.IPs())) > 0 {
			r.Addrs = append(r.Addrs, a)
		}
	}
	if len(r.Addrs) > fresh {
		r.Vouches = v.at(r.IPs())
	}
}

// at returns the vouches that count for a member at some addresses, the best of them if there are too many. v.mu is held.
func (v *vouches) at(ips []netip.Addr) (list []signed.Vouch) {
	signers := v.n.roster.Vouchers()
	for _, vouch := range v.of {
		if slices.Contains(ips, vouch.IP) && v.age(vouch) < signed.VouchLife {
			list = append(list, vouch)
		}
	}
	rank := func(x signed.Vouch) int {
		if _, counts := slices.BinarySearch(signers, x.Signer); counts {
			return 0
		}
		return 1
	}
	slices.SortFunc(list, func(a, b signed.Vouch) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Hour, a.Hour), cmp.Compare(a.Signer, b.Signer))
	})
	list = list[:min(len(list), roster.MaxVouches)]
	slices.SortFunc(list, func(a, b signed.Vouch) int { return cmp.Compare(a.Signer, b.Signer) })
	return list
}

func (v *vouches) age(vouch signed.Vouch) time.Duration {
	return v.n.cfg.Now().Sub(time.Unix(int64(vouch.Hour)*signed.Hour, 0))
}

// serve asks members to vouch for this node until ctx is done.
func (v *vouches) serve(ctx context.Context) {
	select {
	case <-v.n.joined:
	case <-ctx.Done():
		return
	}
	var last *roster.Record
	for wait := vouchSoon; ; wait = min(2*wait, v.n.cfg.Times.Compare) {
		own := v.n.own.Load()
		if own != last {
			last, wait = own, vouchSoon
		}
		if own != nil && own.Capacity > 0 && !v.n.silent.Load() && v.seek(ctx, *own) {
			v.n.reissue()
		}
		if own != nil && (own.Capacity == 0 || v.n.roster.Admitted(v.n.self)) {
			wait = v.n.cfg.Times.Compare
		}
		select {
		case <-v.fresh:
		case <-time.After(pulse.Within(wait)):
		case <-ctx.Done():
			return
		}
	}
}

// missing returns the members to be asked for a vouch now, as many as vouches are missing. A hash of both decides who is
// asked, so that nobody chooses who vouches for it.
func (v *vouches) missing(own roster.Record) []peer.ID {
	signers := v.n.roster.Vouchers()
	var list []peer.ID
	for _, m := range v.n.roster.Members() {
		_, counts := slices.BinarySearch(signers, m.Peer)
		if m.Peer != v.n.self && m.State == roster.StateActive && !m.Out && (counts || len(signers) < fewVouchers && m.Capacity > 0) {
			list = append(list, m.Peer)
		}
	}
	score := func(p peer.ID) string { sum := sha256.Sum256([]byte(own.Peer + p)); return string(sum[:]) }
	slices.SortFunc(list, func(a, b peer.ID) int { return cmp.Compare(score(a), score(b)) })
	v.mu.Lock()
	defer v.mu.Unlock()
	good := func(vouch signed.Vouch) bool {
		return v.age(vouch) < signed.VouchLife/2 && slices.Contains(v.ips, vouch.IP)
	}
	have := 0
	for _, vouch := range own.Vouches {
		if good(vouch) {
			have++
		}
	}
	list = slices.DeleteFunc(list, func(p peer.ID) bool {
		return slices.ContainsFunc(own.Vouches, func(o signed.Vouch) bool { return o.Signer == p && good(o) })
	})
	list = slices.DeleteFunc(list[:min(len(list), maxAsked)], func(p peer.ID) bool { return time.Now().Before(v.asked[p].until) })
	return list[:min(len(list), max(roster.MaxVouches-have, 0))]
}

// seek asks those members and reports whether one vouched.
func (v *vouches) seek(ctx context.Context, own roster.Record) bool {
	raw := v.n.Record()
	if raw == nil {
		return false
	}
	var all sync.WaitGroup
	for _, p := range v.missing(own) {
		all.Go(func() { v.ask(ctx, p, raw, own) })
	}
	all.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, vouch := range v.of {
		if !slices.Contains(own.Vouches, vouch) && slices.Contains(own.IPs(), vouch.IP) {
			return true
		}
	}
	return false
}

// ask asks a member to vouch for this node.
func (v *vouches) ask(ctx context.Context, p peer.ID, record []byte, own roster.Record) {
	why := wire.RefusedSilence
	raw, err := v.n.Call(ctx, string(p), wire.KindVouch, wire.Encode(&wire.Vouch{Record: record}))
	if err == nil {
		var answer wire.Vouched
		if answer, err = wire.Decode[wire.Vouched](raw); err == nil {
			why = answer.Why
			if len(answer.Vouch) > 0 {
				var vouch signed.Vouch
				if vouch, err = signed.ReadVouch(v.n.cfg.Network, answer.Vouch, own.Peer, own.Joined); err == nil && vouch.Signer == p {
					v.keep(vouch)
					return
				}
			}
		}
		if err != nil {
			v.n.calls.Offend(p, "vouch", 20)
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	backOff(v, v.asked, p, why, vouchRetry, vouchRetryMost)
	if why == wire.RefusedJoined && v.n.roster.Admitted(p) && !v.n.roster.Admitted(v.n.self) {
		v.joined = signed.HourOf(v.n.cfg.Now()) // nobody remembers this node any more: it begins again
		clear(v.of)
	}
}

func (v *vouches) keep(vouch signed.Vouch) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.asked, vouch.Signer)
	for id, old := range v.of {
		if v.age(old) >= signed.VouchLife || len(v.of) >= maxVouchNotes {
			delete(v.of, id)
		}
	}
	v.of[vouch.Signer] = vouch
}

// Admission returns whether this node counts as a member, as far as it knows.
func (n *Node) Admission() Admission {
	own, _ := n.roster.Get(n.self)
	a := Admission{Admitted: n.roster.Admitted(n.self), Applies: own.Capacity > 0}
	a.Have, a.Need = n.roster.VouchedFrom(&own.Record)
	v := n.vouches
	v.mu.Lock()
	defer v.mu.Unlock()
	count := make(map[wire.Refusal]int)
	for _, u := range v.asked {
		a.Asked++
		if count[u.why]++; count[u.why] > count[a.Why] {
			a.Why = u.why
		}
	}
	return a
}

// handle vouches for the peer that asks, if it is met where its record says.
func (v *vouches) handle(ctx context.Context, from peer.ID, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Vouch](body)
	if err != nil {
		return nil, &calls.Lie{What: "vouch", Weight: 20}
	}
	r, err := roster.Open(v.n.cfg.Network, m.Record)
	if err != nil || r.Peer != from {
		return nil, &calls.Lie{What: "vouch", Weight: 20}
	}
	ip, why := v.examine(ctx, r)
	if why != 0 {
		return wire.Encode(&wire.Vouched{Why: why}), nil
	}
	vouch, err := signed.SealVouch(v.n.cfg.Network, v.n.cfg.Key, from, r.Joined, ip, v.n.cfg.Now())
	if err != nil {
		return nil, err
	}
	return wire.Encode(&wire.Vouched{Vouch: vouch.Bytes()}), nil
}

// examine returns where the member of a record was met, or why this node does not vouch for it.
func (v *vouches) examine(ctx context.Context, r roster.Record) (netip.Addr, wire.Refusal) {
	n := v.n
	now := signed.HourOf(n.cfg.Now())
	known, is := n.roster.Get(r.Peer)
	old := is && n.roster.Admitted(r.Peer) && known.Joined == r.Joined
	if !old && (r.Joined+joinedWithin < now || r.Joined > now+1) {
		return netip.Addr{}, wire.RefusedJoined
	}
	if n.roster.Crowded(&r) {
		return netip.Addr{}, wire.RefusedCrowded
	}
	if !old && !n.cfg.Lab && !v.mayTakeNew() {
		return netip.Addr{}, wire.RefusedEnough
	}
	select {
	case v.dialing <- struct{}{}:
		defer func() { <-v.dialing }()
	default:
		return netip.Addr{}, wire.RefusedSilence
	}
	ip, err := v.meet(ctx, r)
	if err != nil {
		n.log.Debug("Member not met where it says it is", "peer", r.Peer.String(), "error", err)
		return netip.Addr{}, wire.RefusedUnmet
	}
	if !old {
		v.mu.Lock()
		v.signed = append(v.signed, time.Now())
		v.mu.Unlock()
	}
	return ip, 0
}

// mayTakeNew reports whether this node has vouched for fewer newcomers today than it may.
func (v *vouches) mayTakeNew() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.signed = slices.DeleteFunc(v.signed, func(at time.Time) bool { return time.Since(at) > 24*time.Hour })
	return len(v.signed) < newADay
}

// errUnmet says that nobody answers where a member says it is, or somebody else.
var errUnmet = errors.New("nobody was met there")

// meet returns the first address of a record at which this node meets its member: by a connection that it has opened
// to it, or by one for this purpose alone.
func (v *vouches) meet(ctx context.Context, r roster.Record) (netip.Addr, error) {
	var tried []netip.Addr
	err := errUnmet
	for _, a := range r.Addrs {
		ip, ok := ipOf(a)
		if !ok || !slices.Contains(r.IPs(), ip) || slices.Contains(tried, ip) || len(tried) == vouchAddrs {
			continue
		}
		tried = append(tried, ip)
		if v.dialled(r.Peer, ip) {
			return ip, nil
		}
		if !v.mayDial(r.Peer, ip, a) {
			continue
		}
		if err = v.dial(ctx, r.Peer, a); err == nil {
			return ip, nil
		}
		v.mu.Lock()
		backOff(v, v.barren, ip, wire.RefusedUnmet, barren, barren)
		v.mu.Unlock()
	}
	return netip.Addr{}, err
}

// dialled reports whether this node has opened a connection to a member at an address.
func (v *vouches) dialled(p peer.ID, ip netip.Addr) bool {
	return slices.ContainsFunc(v.n.cfg.Host.Network().ConnsToPeer(p), func(c network.Conn) bool {
		at, ok := ipOf(c.RemoteMultiaddr())
		return ok && at == ip && c.Stat().Direction == network.DirOutbound && !c.Stat().Limited
	})
}

func ipOf(a ma.Multiaddr) (netip.Addr, bool) {
	raw, err := manet.ToIP(a)
	ip, ok := netip.AddrFromSlice(raw)
	return ip.Unmap(), err == nil && ok
}

func (v *vouches) mayDial(p peer.ID, ip netip.Addr, a ma.Multiaddr) bool {
	if v.n.cfg.MayDial != nil && !v.n.cfg.MayDial(p, a) {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return time.Now().After(v.barren[ip].until)
}

// dial opens a connection to a member beside those that there are, and speaks this network's protocol on it.
func (v *vouches) dial(ctx context.Context, p peer.ID, a ma.Multiaddr) error {
	ctx, cancel := context.WithTimeout(ctx, vouchDial)
	defer cancel()
	dialer, ok := v.n.cfg.Host.Network().(interface {
		TransportForDialing(ma.Multiaddr) transport.Transport
	})
	if !ok {
		return fmt.Errorf("host without transports: %w", errUnmet)
	}
	tr := dialer.TransportForDialing(a)
	if tr == nil {
		return fmt.Errorf("no transport for %s: %w", a, errUnmet)
	}
	conn, err := tr.Dial(ctx, a, p)
	if err != nil {
		return fmt.Errorf("dial %s: %w", a, err)
	}
	defer conn.Close()
	s, err := conn.OpenStream(ctx)
	if err != nil {
		return fmt.Errorf("open stream: %w", err)
	}
	defer s.Reset()
	if deadline, ok := ctx.Deadline(); ok {
		_ = s.SetDeadline(deadline) // streams of both transports have deadlines
	}
	if err := multistream.SelectProtoOrFail(calls.Protocol(v.n.cfg.Network, calls.Control), s); err != nil {
		return fmt.Errorf("speak to %s: %w", a, err)
	}
	return nil
}
