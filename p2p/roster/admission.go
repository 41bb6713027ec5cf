package roster

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

const (
	// EstablishedAfter is how long a member must have been one for its vouches to count. In a lab they do at once.
	EstablishedAfter = 7 * 24 * time.Hour

	// maxFounders bounds the members that count on the word of an invite.
	maxFounders = 16

	// maxTrusted bounds the established members that are remembered, trustFor says for how long after they were last
	// seen: two halves of a network that was split still know each other's.
	maxTrusted = 8192
	trustFor   = 60 * 24 * time.Hour

	// vouchNets is from how many networks the vouches for a member must come, where there are as many. In a network
	// with fewer established members than fewSigners one vouch is enough.
	vouchNets  = 3
	fewSigners = 20
)

// trust is whose vouches count beside those that the records themselves explain.
type trust struct {
	founders []peer.ID
	alone    bool              // no other member was found: this node counts
	elders   map[peer.ID]int64 // established members, and when they were last seen, Unix seconds
}

func newTrust(founders []peer.ID) trust {
	t := trust{elders: make(map[peer.ID]int64)}
	for _, id := range founders {
		t.found(id)
	}
	return t
}

func (t *trust) found(id peer.ID) bool {
	if slices.Contains(t.founders, id) || len(t.founders) == maxFounders {
		return false
	}
	t.founders = append(t.founders, id)
	return true
}

func (t *trust) see(id peer.ID, now time.Time) {
	if _, known := t.elders[id]; !known && len(t.elders) >= maxTrusted {
		for other, at := range t.elders {
			if at < now.Add(-Lifetime).Unix() {
				delete(t.elders, other)
			}
		}
	}
	if len(t.elders) < maxTrusted {
		t.elders[id] = now.Unix()
	}
}

// Found makes a member count without a vouch from now on: the first of a network, or the one that a newcomer without
// an invite meets first. It tells whether it did not before.
func (s *Set) Found(id peer.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.outdate()
	return s.trusted.found(id)
}

// Believe takes the word of a founder that a member is established: how a newcomer begins to tell members from others.
// The word of others is nothing.
func (s *Set) Believe(founder peer.ID, raw []byte) {
	now := s.now()
	r, err := Open(s.cfg.Network, raw)
	if err != nil || r.Capacity == 0 || checkDates(r.Issued, now) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.trusted.elders[r.Peer]; !known && r.Peer != s.cfg.Self && s.established(&r, now) && slices.Contains(s.trusted.founders, founder) {
		s.trusted.see(r.Peer, now)
		s.outdate()
	}
}

// SetAlone tells the Set that this node found no other member, or has found one after all. While it is alone it counts
// without a vouch.
func (s *Set) SetAlone(alone bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trusted.alone != alone {
		s.trusted.alone = alone
		s.outdate()
	}
}

// outdate makes the next view be computed again. The caller holds mu.
func (s *Set) outdate() {
	s.view, s.toldValid = nil, false
	s.wake()
}

// Knows tells whether this Set has anybody whose vouches count. One that has not cannot tell members from others.
func (s *Set) Knows() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.trusted.founders)+len(s.trusted.elders) > 0
}

// Admitted tells whether a member is admitted.
func (s *Set) Admitted(id peer.ID) bool { return s.current().admission.of[id] }

// Vouchers returns those whose vouches count here, ordered by ID.
func (s *Set) Vouchers() []peer.ID {
	var list []peer.ID
	for id := range s.current().admission.signers {
		list = append(list, id)
	}
	slices.Sort(list)
	return list
}

// VouchedFrom returns from how many networks this record's vouches come that count here, and from how many they must.
func (s *Set) VouchedFrom(r *Record) (have, need int) {
	a := s.current().admission
	return a.networks(r.Vouches, r.IPs(), s.now()), a.need
}

// admission is who counts as a member.
//
// A member is admitted when enough established members vouch for it: from three networks, or from as many as there
// are; one while there are few. Members are established when they have been admitted for EstablishedAfter. Both follow from the records alone,
// but for where it begins: with the founders that an invite named, and with those that were established before.
type admission struct {
	roots   []peer.ID // count without a vouch
	of      map[peer.ID]bool
	signers map[peer.ID]string // whose vouches count, and the network each is in
	need    int
}

// admit computes the admission at a time of live entries. The caller holds mu.
func (s *Set) admit(all []placed, now time.Time) *admission {
	a := &admission{of: make(map[peer.ID]bool, len(all)), signers: make(map[peer.ID]string)}
	a.roots = slices.Clone(s.trusted.founders)
	if s.trusted.alone {
		a.roots = append(a.roots, s.cfg.Self)
	}
	nets, here := make(map[string]bool), 0 // of signers that are here
	sign := func(id peer.ID) {
		a.signers[id] = ""
		if e := s.entries.byPeer[id]; e != nil && e.rec != nil && !expired(e.rec.issued, now) {
			a.signers[id] = e.rec.where.net
			nets[e.rec.where.net] = true
			here++
		}
	}
	for _, id := range a.roots {
		sign(id)
	}
	for id, at := range s.trusted.elders {
		if at > now.Add(-trustFor).Unix() {
			sign(id)
		}
	}
	// Whoever is established by the vouches of those that are is one of them, until nobody is added.
	for grown := true; grown; {
		grown = false
		if a.need = 1; here >= fewSigners {
			a.need = min(len(nets), vouchNets)
		}
		for _, p := range all {
			if p.rec == nil {
				continue
			}
			if _, is := a.signers[p.id]; !is && s.established(p.rec.rec, now) && a.admits(p.rec, now) {
				sign(p.id)
				grown = true
			}
		}
	}
	for _, p := range all {
		if p.rec != nil && a.admits(p.rec, now) {
			a.of[p.id] = true
			if s.established(p.rec.rec, now) {
				s.trusted.see(p.id, now)
			}
		}
	}
	return a
}

// established tells whether an admitted member of this record counts as established.
func (s *Set) established(r *Record, now time.Time) bool {
	return s.cfg.Lab || !time.Unix(int64(r.Joined)*hour, 0).Add(EstablishedAfter).After(now)
}

// admits tells whether a record is one of an admitted member.
func (a *admission) admits(it *item, now time.Time) bool {
	return slices.Contains(a.roots, it.peer) || a.networks(it.rec.Vouches, it.where.ips, now) >= a.need
}

// judge makes those wait that would own or leave domains and are not admitted.
func (a *admission) judge(all []placed) {
	for i := range all {
		if p := &all[i]; p.standing.matters() && !a.of[p.id] {
			p.standing = waiting
		}
	}
}

// networks returns from how many networks vouches come that count for a member at some addresses.
func (a *admission) networks(vouches []Vouch, ips []netip.Addr, now time.Time) int {
	var nets [MaxVouches]string
	n := 0
	for i := range vouches {
		v := &vouches[i]
		if !v.counts(ips, now.Unix()) {
			continue
		}
		if net, ok := a.signers[v.Signer]; ok && n < MaxVouches && !slices.Contains(nets[:n], net) {
			nets[n] = net
			n++
		}
	}
	return n
}

// turns returns when the vouches of a record change what they are worth by the passing of time.
func (r *Record) turns(now time.Time) time.Time {
	next := now.Add(Lifetime)
	at := func(t time.Time) {
		if t.After(now) && t.Before(next) {
			next = t
		}
	}
	for _, v := range r.Vouches {
		at(time.Unix(int64(v.Hour)*hour, 0).Add(VouchLife))
	}
	joined := time.Unix(int64(r.Joined)*hour, 0)
	for _, age := range ages {
		at(joined.Add(age))
	}
	return next
}

// A stored trust is, in bytes:
//
//	kind, 1 · tag, 4 · for each member its public key, 32, and when it was last seen, Unix seconds, 8; 0 for a founder
const trustLine = keySize + 8

// maxTrustLines keeps a stored trust within MaxItem.
const maxTrustLines = (MaxItem - 1 - tagSize) / trustLine

// export returns what of the trust is to be stored. The caller holds mu.
func (t *trust) export(network tag) (items [][]byte) {
	var item []byte
	put := func(id peer.ID, seen int64) {
		if len(item) == 0 {
			item = append([]byte{kindTrust}, network[:]...)
		}
		key, _ := publicKey(id)
		item = binary.BigEndian.AppendUint64(append(item, key...), uint64(seen))
		if (len(item)-1-tagSize)/trustLine == maxTrustLines {
			items, item = append(items, item), nil
		}
	}
	for _, id := range t.founders {
		put(id, 0)
	}
	for id, seen := range t.elders {
		put(id, seen)
	}
	if item != nil {
		items = append(items, item)
	}
	return items
}

// take reads what export wrote, without one founder.
func (t *trust) take(network tag, raw []byte, not peer.ID) error {
	if len(raw) < 1+tagSize || (len(raw)-1-tagSize)%trustLine != 0 || len(raw) > MaxItem {
		return invalid("trust of %d bytes", len(raw))
	}
	if tag(raw[1:1+tagSize]) != network {
		return ErrForeign
	}
	for c := (cursor{rest: raw[1+tagSize:]}); len(c.rest) > 0; {
		id := peerOf(c.take(keySize))
		seen := int64(binary.BigEndian.Uint64(c.take(8)))
		switch {
		case id == not && seen == 0:
		case seen == 0:
			t.found(id)
		case seen > 0 && seen <= maxIssued && len(t.elders) < maxTrusted:
			t.elders[id] = seen
		}
	}
	return nil
}
