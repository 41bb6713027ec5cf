package roster

import (
	"encoding/binary"
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/signed"
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

	// absent is how long a node must have been away to believe what others say of the time before: it sees itself at
	// least as often as it issues its record.
	absent = 3 * day

	// lateBy is how much earlier than it was seen first a member may say that it joined.
	lateBy = 3 * day

	// seenEvery rounds when a member was seen last, in seconds, so that little is to be stored again.
	seenEvery = 4 * signed.Hour

	day = 24 * time.Hour

	// vouchNets is from how many networks the vouches for a member must come, where there are as many. In a network
	// with fewer established members than fewSigners one vouch is enough.
	vouchNets  = 3
	fewSigners = 20
)

// trust is what a Set remembers of members: whose vouches count beside those that the records themselves
// explain, and since when it knows them. From this, records and the time it computes who is admitted and who
// owns. The Set's mu guards it.
type trust struct {
	cfg      *Config
	founders []peer.ID
	few      []peer.ID // members that founders told this node of while it is told of few: they count on their word
	alone    bool      // no other member was found: this node counts
	seen     map[peer.ID]sighting
}

// sighting is what is remembered of a member that was admitted here.
type sighting struct {
	first, last int64 // when it was, Unix seconds; of this node itself, since when it is here without a break
	elder       bool  // it was established
}

func newTrust(cfg *Config) trust {
	t := trust{cfg: cfg, seen: make(map[peer.ID]sighting)}
	for _, id := range cfg.Founders {
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

// see notes that a member is admitted at a time.
func (t *trust) see(id peer.ID, now time.Time, elder, self bool) {
	was, known := t.seen[id]
	if !known && len(t.seen) >= maxTrusted {
		maps.DeleteFunc(t.seen, func(_ peer.ID, s sighting) bool { return s.last < now.Add(-Lifetime).Unix() })
		if len(t.seen) >= maxTrusted {
			return
		}
	}
	if !known || self && now.Unix()-was.last > int64(absent/time.Second) {
		was.first = now.Unix()
	}
	last := max(now.Unix()-now.Unix()%seenEvery, was.first)
	t.seen[id] = sighting{was.first, last, was.elder || elder}
}

// since returns since when a member of a record counts as one, Unix seconds. That is what the record says, unless this
// node was here before it saw that member first, and would have seen it earlier.
func (t *trust) since(it *item, now time.Time) int64 {
	says := int64(it.rec.Joined) * signed.Hour
	self, here := t.seen[t.cfg.Self]
	if !here || t.cfg.Lab || it.peer == t.cfg.Self {
		return says
	}
	first := now.Unix()
	if was, known := t.seen[it.peer]; known {
		first = was.first
	}
	if first-self.first > int64(day/time.Second) && first-says > int64(lateBy/time.Second) {
		return first
	}
	return says
}

// Found makes a member count without a vouch from now on: the first of a network, or the one that a newcomer without
// an invite meets first. It tells whether it did not before.
func (s *Set) Found(id peer.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.outdate()
	return s.trusted.found(id)
}

// Believe takes the word of a founder about who is established: how a newcomer begins to tell members from
// others. items are what the founder passes on. Where few are established, whom a founder counts is a founder,
// too. The word of others is nothing. few says that these are not all.
func (s *Set) Believe(founder peer.ID, items [][]byte, few bool) {
	now := s.now()
	var told []*item
	for _, raw := range items {
		it, err := decode(s.tag, raw)
		if err == nil && it.rec != nil && it.rec.Capacity > 0 && it.peer != s.cfg.Self &&
			checkDates(it.issued, now) == nil && it.verify(s.cfg.Network) == nil {
			told = append(told, it)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.trusted.founders, founder) {
		return
	}
	defer s.outdate()
	for _, it := range told {
		if s.trusted.established(it, now) {
			s.trusted.see(it.peer, now, true, false)
		}
		if few && len(s.trusted.few) < maxFounders*fewTold && !slices.Contains(s.trusted.few, it.peer) {
			s.trusted.few = append(s.trusted.few, it.peer)
		}
	}
	if few {
		return
	}
	if s.trusted.few = nil; len(s.trusted.seen) < fewSigners {
		for _, it := range told {
			s.trusted.found(it.peer)
		}
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
	return len(s.trusted.founders)+len(s.trusted.seen) > 0
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
// A member is admitted when enough established members vouch for it: from three networks, or from as many as
// there are; one while there are few. Members are established when they have been admitted for
// EstablishedAfter. Both follow from the records alone, except for where it begins: with the founders that an
// invite named, and with those that were established before.
type admission struct {
	// roots count without a vouch: the founders, and others.
	roots, founders []peer.ID
	of              map[peer.ID]bool
	signers         map[peer.ID]string // whose vouches count, and the network each is in
	need            int
}

// admit computes the admission at a time of live entries, which the table holds.
func (t *trust) admit(all []placed, entries *table, now time.Time) *admission {
	a := &admission{of: make(map[peer.ID]bool, len(all)), signers: make(map[peer.ID]string)}
	a.founders = slices.Clone(t.founders)
	a.roots = slices.Concat(t.founders, t.few)
	if t.alone {
		a.roots = append(a.roots, t.cfg.Self)
	}
	nets, here := make(map[string]bool), 0 // of signers that are here
	sign := func(id peer.ID) {
		a.signers[id] = ""
		if e := entries.byPeer[id]; e != nil && e.rec != nil && !expired(e.rec.issued, now) {
			a.signers[id] = e.rec.where.net
			nets[e.rec.where.net] = true
			here++
		}
	}
	for _, id := range a.roots {
		sign(id)
	}
	for id, was := range t.seen {
		if was.elder && was.last > now.Add(-trustFor).Unix() {
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
			if _, is := a.signers[p.id]; !is && t.established(p.rec, now) && a.admits(p.rec, now) {
				sign(p.id)
				grown = true
			}
		}
	}
	for _, p := range all {
		if p.rec != nil && a.admits(p.rec, now) {
			a.of[p.id] = true
			t.see(p.id, now, t.established(p.rec, now), p.id == t.cfg.Self)
		}
	}
	return a
}

// established tells whether an admitted member of this record counts as established.
func (t *trust) established(it *item, now time.Time) bool {
	return t.cfg.Lab || now.Unix()-t.since(it, now) >= int64(EstablishedAfter/time.Second)
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
func (a *admission) networks(vouches []signed.Vouch, ips []netip.Addr, now time.Time) int {
	var room [MaxVouches]string
	nets := room[:0]
	for i := range vouches {
		v := &vouches[i]
		if net, ok := a.signers[v.Signer]; ok && v.Counts(ips, now.Unix()) && !slices.Contains(nets, net) {
			nets = append(nets, net)
		}
	}
	return len(nets)
}

// vouchers returns those whose vouches count for a member, one of each network, of those that may.
func (a *admission) vouchers(it *item, now time.Time, may func(peer.ID) bool) (signers []peer.ID) {
	var nets []string
	for i := range it.rec.Vouches {
		v := &it.rec.Vouches[i]
		net, ok := a.signers[v.Signer]
		if ok && v.Counts(it.where.ips, now.Unix()) && !slices.Contains(nets, net) && may(v.Signer) {
			signers, nets = append(signers, v.Signer), append(nets, net)
		}
	}
	return signers
}

// turns returns when what a record is worth changes by the passing of time.
func (t *trust) turns(it *item, now time.Time) time.Time {
	next := now.Add(Lifetime)
	at := func(when time.Time) {
		if when.After(now) && when.Before(next) {
			next = when
		}
	}
	for _, v := range it.rec.Vouches {
		at(time.Unix(int64(v.Hour)*signed.Hour, 0).Add(signed.VouchLife))
	}
	since := time.Unix(t.since(it, now), 0)
	at(since.Add(EstablishedAfter))
	for _, age := range ages {
		at(since.Add(age))
	}
	return next
}

// A stored trust is, in bytes:
//
//	kind, 1 · tag, 4 · for each member its public key, 32, what it is, 1, and,
//	except for a founder, when it was seen first and last, Unix seconds, 8 each
const (
	isFounder = 0
	isMember  = 1
	isElder   = 2

	trustLine = signed.KeySize + 1 + 8 + 8
)

// export returns what of the trust is to be stored. The caller holds mu.
func (t *trust) export(network signed.Tag) (items [][]byte) {
	head := append([]byte{kindTrust}, network[:]...)
	item := slices.Clone(head)
	put := func(id peer.ID, what byte, times ...int64) {
		if len(item)+trustLine > MaxItem {
			items, item = append(items, item), slices.Clone(head)
		}
		key, _ := signed.PublicKey(id)
		item = append(append(item, key...), what)
		for _, at := range times {
			item = binary.BigEndian.AppendUint64(item, uint64(at))
		}
	}
	for _, id := range t.founders {
		put(id, isFounder)
	}
	for _, id := range slices.Sorted(maps.Keys(t.seen)) {
		was, what := t.seen[id], byte(isMember)
		if was.elder {
			what = isElder
		}
		put(id, what, was.first, was.last)
	}
	if len(item) > len(head) {
		items = append(items, item)
	}
	return items
}

// take reads what export wrote, without one founder.
func (t *trust) take(network signed.Tag, raw []byte, not peer.ID) error {
	if len(raw) < 1+signed.TagSize || len(raw) > MaxItem {
		return invalid("trust of %d bytes", len(raw))
	}
	if signed.Tag(raw[1:1+signed.TagSize]) != network {
		return ErrForeign
	}
	for c := (signed.Cursor{Rest: raw[1+signed.TagSize:]}); len(c.Rest) > 0; {
		id, what := signed.PeerOf(c.Take(signed.KeySize)), c.Byte()
		var first, last uint64
		if what != isFounder {
			first, last = c.Uint64(), c.Uint64()
		}
		switch {
		case c.Bad || what > isElder || first > last || last > maxIssued:
			return invalid("trust is damaged")
		case what == isFounder && id != not:
			t.found(id)
		case what != isFounder && len(t.seen) < maxTrusted:
			t.seen[id] = sighting{int64(first), int64(last), what == isElder}
		}
	}
	return nil
}
