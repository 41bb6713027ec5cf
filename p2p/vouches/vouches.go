// Package vouches makes a node a member whose place on the ring others respect: members that have dialled it,
// and met it where its record says, sign that. A node asks for such vouches, keeps them in its record, and says
// the same of others. docs/members.md tells what they protect from.
package vouches

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
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
	// soon is how soon after a new record it is looked whether this node needs vouches. While it waits to be admitted
	// the wait doubles; afterwards it is looked as often as rosters are compared.
	soon = time.Second
	// maxAsked is how many members are asked for a vouch at most.
	maxAsked = 2 * roster.MaxVouches
	// retry is how long a member is left alone that did not vouch; the wait doubles up to retryMost.
	retry, retryMost = 5 * time.Second, 30 * time.Minute
	// dialWithin is how long it may take to dial one address of a member.
	dialWithin = 5 * time.Second
	// maxAddrs is how many addresses of a member are dialled at most.
	maxAddrs = 3
	// fewVouchers is how many members there must be whose vouches count here before others are not asked too: two
	// networks that meet count none of the other's at first.
	fewVouchers = 20
	// newADay is how many newcomers this node vouches for in a day. In a lab there is no such bound.
	newADay = 32
	// barren is how long an address is not dialled again at which nobody was met. Many identities may name the same.
	barren = time.Minute
	// maxNotes bounds what is remembered of members asked and addresses dialled.
	maxNotes = 1024
	// joinedWithin is how far back a newcomer may date its beginning.
	joinedWithin = 24
)

// Admission says whether this node is a member whose place on the ring others respect.
type Admission struct {
	Admitted bool
	// Applies says that this node would own domains.
	Applies bool
	// Why is the commonest reason of members that were asked of late and did not vouch.
	Why wire.Refusal
}

// Config says what Vouches work with. Everything but MayDial is required.
type Config struct {
	Host    host.Host
	Key     crypto.PrivKey
	Network string
	// Lab says that this is a closed test network, in which any number of newcomers is vouched for.
	Lab    bool
	Roster *roster.Set
	// MayDial reports whether a member may be dialled at an address that its record names; nil: always.
	MayDial func(peer.ID, ma.Multiaddr) bool
	// Compare is how often rosters are compared.
	Compare time.Duration
	// Known are items of the last run: this node's own record among them tells since when it is a member.
	Known [][]byte
	// Own returns this node's record, nil before it has one, and Record the same as it is sent.
	Own    func() *roster.Record
	Record func() []byte
	// Silent reports whether nothing may be sent.
	Silent func() bool
	// Reissue has a new record made, with the vouches that have come.
	Reissue func()
	// Call asks a member, Offend notes that it lied.
	Call   func(ctx context.Context, to string, kind wire.Kind, body []byte) ([]byte, error)
	Offend func(p peer.ID, what string, weight int)
	// Now is the wall clock of records.
	Now func() time.Time
	Log *slog.Logger
}

// Vouches are what others say of this node: that they have dialled it and met it where its record says. It asks for
// them and says the same of others. Its methods are safe for concurrent use.
type Vouches struct {
	cfg   Config
	self  peer.ID
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

// Renewed notes a new record of this node.
func (v *Vouches) Renewed() {
	v.mu.Lock()
	v.issued = time.Now()
	v.mu.Unlock()
	select {
	case v.fresh <- struct{}{}:
	default:
	}
}

// IsNew reports whether this node's record may not have come to all yet.
func (v *Vouches) IsNew() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return time.Since(v.issued) < 2*v.cfg.Compare
}

// backoff says until when a member or an address is left alone, and why.
type backoff struct {
	until time.Time
	wait  time.Duration
	why   wire.Refusal
}

// backOff leaves a member or an address alone: for first, then twice as long each time up to most; in a lab for retry.
// v.mu is held.
func backOff[K comparable](v *Vouches, from map[K]backoff, k K, why wire.Refusal, first, most time.Duration) {
	if len(from) >= maxNotes {
		clear(from)
	}
	if v.cfg.Lab {
		first, most = retry, retry
	}
	wait := min(max(2*from[k].wait, first), most)
	from[k] = backoff{time.Now().Add(pulse.Within(wait)), wait, why}
}

// New returns vouches that others said in the last run.
func New(cfg Config) *Vouches {
	v := &Vouches{
		cfg: cfg, self: cfg.Host.ID(), fresh: make(chan struct{}, 1), joined: signed.HourOf(cfg.Now()),
		of:    make(map[peer.ID]signed.Vouch),
		asked: make(map[peer.ID]backoff), barren: make(map[netip.Addr]backoff), dialing: make(chan struct{}, 4),
	}
	for _, raw := range cfg.Known {
		if r, err := roster.Open(cfg.Network, raw); err == nil && r.Peer == v.self && r.Joined > 0 {
			v.joined = r.Joined
			for _, vouch := range r.Vouches {
				v.of[vouch.Signer] = vouch
			}
		}
	}
	return v
}

// Fill puts into a record of this node since when it is a member, and the vouches that count for it: those of members
// whose vouches count here first, and the newest of these. A node whose address has changed names the old one, too,
// until enough members have met it at the new one: else it would be no member meanwhile.
func (v *Vouches) Fill(r *roster.Record, was []ma.Multiaddr) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r.Joined, v.ips = v.joined, r.IPs()
	r.Vouches = v.at(v.ips)
	if have, need := v.cfg.Roster.VouchedFrom(r); have >= need {
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

// at returns the vouches that count for a member at some addresses, the best of them if there are too many.
// v.mu is held.
func (v *Vouches) at(ips []netip.Addr) (list []signed.Vouch) {
	signers := v.cfg.Roster.Vouchers()
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

func (v *Vouches) age(vouch signed.Vouch) time.Duration {
	return v.cfg.Now().Sub(time.Unix(int64(vouch.Hour)*signed.Hour, 0))
}

// Serve asks members to vouch for this node until ctx is done.
func (v *Vouches) Serve(ctx context.Context) {
	var last *roster.Record
	for wait := soon; ; wait = min(2*wait, v.cfg.Compare) {
		own := v.cfg.Own()
		if own != last {
			last, wait = own, soon
		}
		if own != nil && own.Capacity > 0 && !v.cfg.Silent() && v.seek(ctx, *own) {
			v.cfg.Reissue()
		}
		if own != nil && (own.Capacity == 0 || v.cfg.Roster.Admitted(v.self)) {
			wait = v.cfg.Compare
		}
		select {
		case <-v.fresh:
		case <-time.After(pulse.Within(wait)):
		case <-ctx.Done():
			return
		}
	}
}

// missing returns the members to be asked for a vouch now, as many as vouches are missing. A hash of both
// decides who is asked, so that nobody chooses who vouches for it.
func (v *Vouches) missing(own roster.Record) []peer.ID {
	signers := v.cfg.Roster.Vouchers()
	var list []peer.ID
	for _, m := range v.cfg.Roster.Members() {
		_, counts := slices.BinarySearch(signers, m.Peer)
		if m.Peer != v.self && m.State == roster.StateActive && !m.Out &&
			(counts || len(signers) < fewVouchers && m.Capacity > 0) {
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
	list = slices.DeleteFunc(list[:min(len(list), maxAsked)],
		func(p peer.ID) bool { return time.Now().Before(v.asked[p].until) })
	return list[:min(len(list), max(roster.MaxVouches-have, 0))]
}

// seek asks those members and reports whether one vouched.
func (v *Vouches) seek(ctx context.Context, own roster.Record) bool {
	raw := v.cfg.Record()
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
func (v *Vouches) ask(ctx context.Context, p peer.ID, record []byte, own roster.Record) {
	why := wire.RefusedSilence
	raw, err := v.cfg.Call(ctx, string(p), wire.KindVouch, wire.Encode(&wire.Vouch{Record: record}))
	if err == nil {
		var answer wire.Vouched
		if answer, err = wire.Decode[wire.Vouched](raw); err == nil {
			why = answer.Why
			if len(answer.Vouch) > 0 {
				var vouch signed.Vouch
				if vouch, err = signed.ReadVouch(v.cfg.Network, answer.Vouch, own.Peer, own.Joined); err == nil &&
					vouch.Signer == p {
					v.keep(vouch)
					return
				}
			}
		}
		if err != nil {
			v.cfg.Offend(p, "vouch", 20)
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	backOff(v, v.asked, p, why, retry, retryMost)
	if why == wire.RefusedJoined && v.cfg.Roster.Admitted(p) && !v.cfg.Roster.Admitted(v.self) {
		v.joined = signed.HourOf(v.cfg.Now()) // nobody remembers this node any more: it begins again
		clear(v.of)
	}
}

func (v *Vouches) keep(vouch signed.Vouch) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.asked, vouch.Signer)
	for id, old := range v.of {
		if v.age(old) >= signed.VouchLife || len(v.of) >= maxNotes {
			delete(v.of, id)
		}
	}
	v.of[vouch.Signer] = vouch
}

// Admission returns whether this node counts as a member, as far as it knows.
func (v *Vouches) Admission() Admission {
	own, _ := v.cfg.Roster.Get(v.self)
	a := Admission{Admitted: v.cfg.Roster.Admitted(v.self), Applies: own.Capacity > 0}
	v.mu.Lock()
	defer v.mu.Unlock()
	count := make(map[wire.Refusal]int)
	for _, u := range v.asked {
		if count[u.why]++; count[u.why] > count[a.Why] {
			a.Why = u.why
		}
	}
	return a
}

// Handle vouches for the peer that asks, if it is met where its record says.
func (v *Vouches) Handle(ctx context.Context, from peer.ID, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Vouch](body)
	if err != nil {
		return nil, &calls.Lie{What: "vouch", Weight: 20}
	}
	r, err := roster.Open(v.cfg.Network, m.Record)
	if err != nil || r.Peer != from {
		return nil, &calls.Lie{What: "vouch", Weight: 20}
	}
	ip, why := v.examine(ctx, r)
	if why != 0 {
		return wire.Encode(&wire.Vouched{Why: why}), nil
	}
	vouch, err := signed.SealVouch(v.cfg.Network, v.cfg.Key, from, r.Joined, ip, v.cfg.Now())
	if err != nil {
		return nil, err
	}
	return wire.Encode(&wire.Vouched{Vouch: vouch.Bytes()}), nil
}

// examine returns where the member of a record was met, or why this node does not vouch for it.
func (v *Vouches) examine(ctx context.Context, r roster.Record) (netip.Addr, wire.Refusal) {
	now := signed.HourOf(v.cfg.Now())
	known, is := v.cfg.Roster.Get(r.Peer)
	old := is && v.cfg.Roster.Admitted(r.Peer) && known.Joined == r.Joined
	if !old && (r.Joined+joinedWithin < now || r.Joined > now+1) {
		return netip.Addr{}, wire.RefusedJoined
	}
	if v.cfg.Roster.Crowded(&r) {
		return netip.Addr{}, wire.RefusedCrowded
	}
	if !old && !v.cfg.Lab && !v.mayTakeNew() {
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
		v.cfg.Log.Debug("Member not met where it says it is", "peer", r.Peer.String(), "error", err)
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
func (v *Vouches) mayTakeNew() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.signed = slices.DeleteFunc(v.signed, func(at time.Time) bool { return time.Since(at) > 24*time.Hour })
	return len(v.signed) < newADay
}

// errUnmet says that nobody answers where a member says it is, or somebody else.
var errUnmet = errors.New("nobody was met there")

// meet returns the first address of a record at which this node meets its member: by a connection that it has opened
// to it, or by one for this purpose alone.
func (v *Vouches) meet(ctx context.Context, r roster.Record) (netip.Addr, error) {
	var tried []netip.Addr
	err := errUnmet
	for _, a := range r.Addrs {
		ip, ok := ipOf(a)
		if !ok || !slices.Contains(r.IPs(), ip) || slices.Contains(tried, ip) || len(tried) == maxAddrs {
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
func (v *Vouches) dialled(p peer.ID, ip netip.Addr) bool {
	return slices.ContainsFunc(v.cfg.Host.Network().ConnsToPeer(p), func(c network.Conn) bool {
		at, ok := ipOf(c.RemoteMultiaddr())
		return ok && at == ip && c.Stat().Direction == network.DirOutbound && !c.Stat().Limited
	})
}

func ipOf(a ma.Multiaddr) (netip.Addr, bool) {
	raw, err := manet.ToIP(a)
	ip, ok := netip.AddrFromSlice(raw)
	return ip.Unmap(), err == nil && ok
}

func (v *Vouches) mayDial(p peer.ID, ip netip.Addr, a ma.Multiaddr) bool {
	if v.cfg.MayDial != nil && !v.cfg.MayDial(p, a) {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return time.Now().After(v.barren[ip].until)
}

// dial opens a connection to a member beside those that there are, and speaks this network's protocol on it.
func (v *Vouches) dial(ctx context.Context, p peer.ID, a ma.Multiaddr) error {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	dialer, ok := v.cfg.Host.Network().(interface {
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
	if err := multistream.SelectProtoOrFail(calls.Protocol(v.cfg.Network, calls.Control), s); err != nil {
		return fmt.Errorf("speak to %s: %w", a, err)
	}
	return nil
}
