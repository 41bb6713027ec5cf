package slots

import (
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/record"
)

const (
	// goodAnswers and domainsEach are how many good answers, and of how many domains, an address needs for each
	// slot that it has before it gets another. One bad answer halves them.
	goodAnswers = 16
	domainsEach = 4
	// interest is how long a peer counts among those that share an address after it last spoke of it. One that
	// waits says so every second.
	interest = 5 * time.Second
	// maxPlaces bounds the addresses of a table, maxOfPeer those of one peer, and maxSharers the peers of one address.
	maxPlaces  = 1 << 16
	maxOfPeer  = 1 << 12
	maxSharers = 256
	// maxTable bounds the slots that a table on the wire tells of.
	maxTable = 1 << 12
)

// table is what a leader grants of the addresses whose slots it leads. It is in memory alone.
type table struct {
	lease  time.Duration // how long a slot is granted for
	places map[netip.AddrPort]*place
	of     map[crawl.PeerID]int // addresses that each peer shares
}

// place is an address.
type place struct {
	earned, good int
	domains      map[uint32]time.Time // when each was named last
	sharers      map[crawl.PeerID]*sharer
	line         []crawl.PeerID // who waits for a slot; first come first served
}

// sharer is what a peer has of an address.
type sharer struct {
	number       uint64 // of its last question
	slots, wants int
	since, until time.Time // of its slots: when the last was granted, and when they lapse
	said         time.Time
	told         bool // others wait, as it knows
}

// answer is a grant on its way.
type answer struct {
	to crawl.PeerID
	at netip.AddrPort
	gates.Grant
}

func newTable(lease time.Duration) *table {
	return &table{lease: lease, places: make(map[netip.AddrPort]*place), of: make(map[crawl.PeerID]int)}
}

// share returns what a peer has of an address, nil if there is no room.
func (t *table) share(at netip.AddrPort, by crawl.PeerID) (*place, *sharer) {
	p := t.places[at]
	if p == nil {
		if len(t.places) >= maxPlaces || t.of[by] >= maxOfPeer {
			return nil, nil
		}
		p = &place{earned: 1, domains: make(map[uint32]time.Time), sharers: make(map[crawl.PeerID]*sharer)}
		t.places[at] = p
	}
	x := p.sharers[by]
	if x == nil {
		if len(p.sharers) >= maxSharers || t.of[by] >= maxOfPeer {
			return nil, nil
		}
		x = new(sharer)
		p.sharers[by] = x
		t.of[by]++
	}
	return p, x
}

// ask takes what a peer says of an address, and returns what to answer, to it and others. quiet: somebody may
// hold slots of which this table does not know, so those that are held stay where they are and no more are
// granted.
func (t *table) ask(now time.Time, by crawl.PeerID, at netip.AddrPort, m gates.Ask, quiet bool) []answer {
	p, x := t.share(at, by)
	if x == nil || m.Number <= x.number { // no room, or it came late
		return nil
	}
	p.lapse(now)
	if quiet { // it has them of another leader, which may have taken back what this one granted before
		x.slots, x.until = m.Has, now.Add(record.Longer(t.lease))
	} else { // a grant that is on its way answers an earlier question, and gives it nothing
		x.slots = min(x.slots, m.Has)
	}
	x.number, x.wants, x.said = m.Number, m.Wants, now
	p.learn(now, m, 2*t.lease)
	waits := slices.Contains(p.line, by)
	switch {
	case x.wants > x.slots && !waits:
		p.line = append(p.line, by)
	case x.wants <= x.slots && waits:
		p.line = slices.DeleteFunc(p.line, func(q crawl.PeerID) bool { return q == by })
	}
	var out []answer
	if granted := t.pump(now, at, p, quiet, &out); x.slots > 0 && !granted[by] || x.slots < m.Has {
		if !p.crowded(now) || quiet {
			x.until = now.Add(record.Longer(t.lease))
		}
		out = append(out, t.grant(now, by, at, p, x, quiet))
	}
	if !quiet {
		out = t.want(now, at, p, len(p.line), out)
	}
	return out
}

// pump grants what is free to those that wait, one slot at a time, and returns who got some.
func (t *table) pump(now time.Time, at netip.AddrPort, p *place, quiet bool, out *[]answer) map[crawl.PeerID]bool {
	if quiet || len(p.line) == 0 {
		return nil
	}
	got := make(map[crawl.PeerID]bool)
	for total := p.total(); len(p.line) > 0 && total < p.earned; {
		by := p.line[0]
		x := p.sharers[by]
		if p.line = p.line[1:]; x == nil || x.wants <= x.slots {
			continue
		}
		x.slots++
		total++
		x.since, x.until = now, now.Add(record.Longer(t.lease))
		if got[by] = true; x.wants > x.slots {
			p.line = append(p.line, by)
		}
	}
	for _, by := range slices.Sorted(maps.Keys(got)) {
		*out = append(*out, t.grant(now, by, at, p, p.sharers[by], false))
	}
	return got
}

// grant tells a peer what it has.
func (t *table) grant(now time.Time, to crawl.PeerID, at netip.AddrPort, p *place, x *sharer, quiet bool) answer {
	x.told = !quiet && p.crowded(now)
	left := max(x.until.Sub(now), 0)
	return answer{to, at, gates.Grant{Number: x.number, Slots: x.slots, For: left - left/11, Wanted: x.told}}
}

// want tells up to n holders that others wait: those that have had their slots longest first.
func (t *table) want(now time.Time, at netip.AddrPort, p *place, n int, out []answer) []answer {
	var holders []crawl.PeerID
	for by, x := range p.sharers {
		if x.slots > 0 && !x.told {
			holders = append(holders, by)
		}
	}
	slices.SortFunc(holders, func(a, b crawl.PeerID) int { return p.sharers[a].since.Compare(p.sharers[b].since) })
	for _, by := range holders[:min(n, len(holders))] {
		out = append(out, t.grant(now, by, at, p, p.sharers[by], false))
	}
	return out
}

// tick ends what has lapsed, grants it to those that wait, and tells holders again that others wait. It is
// called about once a second.
func (t *table) tick(now time.Time, quiet func(netip.AddrPort) bool) (out []answer) {
	for at, p := range t.places {
		p.lapse(now)
		for by, x := range p.sharers {
			if x.slots == 0 && now.Sub(x.said) > interest {
				t.forget(p, by)
			}
		}
		p.line = slices.DeleteFunc(p.line, func(by crawl.PeerID) bool {
			x := p.sharers[by]
			return x == nil || now.Sub(x.said) > interest
		})
		if len(p.sharers) == 0 {
			delete(t.places, at)
			continue
		}
		if len(p.line) == 0 || quiet(at) {
			continue
		}
		t.pump(now, at, p, false, &out)
		for _, x := range p.sharers {
			x.told = x.told && len(p.line) == 0 // what they were told, or what they answered, may be lost
		}
		out = t.want(now, at, p, len(p.sharers), out)
	}
	return out
}

// forget forgets what a peer has of an address.
func (t *table) forget(p *place, by crawl.PeerID) {
	delete(p.sharers, by)
	if t.of[by]--; t.of[by] == 0 {
		delete(t.of, by)
	}
}

// lapse ends slots whose time is over.
func (p *place) lapse(now time.Time) {
	for _, x := range p.sharers {
		if !now.Before(x.until) {
			x.slots = 0
		}
	}
}

// total returns how many slots are held.
func (p *place) total() (n int) {
	for _, x := range p.sharers {
		n += x.slots
	}
	return n
}

// crowded reports whether slots are to go round: there are more peers than slots, or fewer slots than are held.
func (p *place) crowded(now time.Time) bool {
	peers := 0
	for _, x := range p.sharers {
		if x.slots > 0 || now.Sub(x.said) < interest {
			peers++
		}
	}
	return peers > p.earned || p.total() > p.earned
}

// learn counts answers and domains, which earn slots and lose them.
func (p *place) learn(now time.Time, m gates.Ask, remember time.Duration) {
	for _, d := range m.Domains {
		if _, known := p.domains[d]; known || len(p.domains) < gates.MaxSlots*domainsEach {
			p.domains[d] = now
		}
	}
	if m.Bad {
		p.earned, p.good = max(p.earned/2, 1), 0
		return
	}
	if p.good += min(m.Good, goodAnswers); p.good < goodAnswers*p.earned {
		return
	}
	maps.DeleteFunc(p.domains, func(_ uint32, named time.Time) bool { return now.Sub(named) > remember })
	if p.good = 0; p.earned < gates.MaxSlots && len(p.domains) >= domainsEach*(p.earned+1) {
		p.earned++
	}
}

// held is what a table tells of a peer at an address.
type held struct {
	at            netip.AddrPort
	earned, slots int
	by            crawl.PeerID
	left          time.Duration
}

// write writes what is held of addresses for whoever leads them next; ok is false if that is too much.
func (t *table) write(w *codec.Writer, now time.Time, which func(netip.AddrPort) bool) (ok bool) {
	var list []held
	for at, p := range t.places {
		if p.lapse(now); p.total() > 0 && which(at) {
			for by, x := range p.sharers {
				list = append(list, held{at, p.earned, x.slots, by, x.until.Sub(now)})
			}
		}
	}
	list = slices.DeleteFunc(list, func(h held) bool { return h.slots == 0 })
	codec.WriteList(w, list, func(h held) {
		writeAddr(w, h.at)
		w.Byte(byte(h.earned))
		w.Byte(byte(h.slots))
		w.Text(string(h.by))
		w.Uint(uint64(h.left.Milliseconds()) + 1)
	})
	return len(list) <= maxTable
}

// readTable reads what write wrote.
func readTable(r *codec.Reader, lease time.Duration) []held {
	return codec.ReadList(r, maxTable, func() held {
		return held{readAddr(r), readSmall(r, 1), readSmall(r, 1), r.Peer(),
			time.Duration(r.UpTo(uint64(record.Longer(lease).Milliseconds()+1))) * time.Millisecond}
	})
}

// take takes what the leader before granted, in place of what this table has of some addresses.
func (t *table) take(now time.Time, list []held, which func(netip.AddrPort) bool) {
	for at, p := range t.places {
		if which(at) {
			for by := range p.sharers {
				t.forget(p, by)
			}
			delete(t.places, at)
		}
	}
	for _, h := range list {
		if p, x := t.share(h.at, h.by); x != nil {
			p.earned = max(p.earned, h.earned)
			x.slots, x.until = h.slots, now.Add(h.left)
		}
	}
}
