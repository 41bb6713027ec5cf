package shard

import (
	"maps"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/message"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// A leader that acts for keys of another home, or keeps copies of what is another's, tells that home. The
// home's leader pulls the items, asks for a release when a follower has them, too, pulls what came meanwhile,
// and takes the keys by a commit of its own. The same telling and pulling goes on after it until the whole new
// line has everything, then the copies go.

const (
	maxLate = 1024 // late domains in memory; others wait for their turn
	// claimFar is added to the number of a prefix that nobody has acted for during a day: a line that comes back
	// later cannot have come so far by releases.
	claimFar = 1 << 16
	// claimFarthest is how far ahead of what is known a number may be.
	claimFarthest = 1 << 40
)

// moves is what a leader does about keys that should be elsewhere, or here.
type moves struct {
	l     *leading
	late  map[crawl.Domain]bool
	from  map[stream.Shard]*inbound
	got   map[stream.Shard]pulled       // what was pulled of other shards, to go on from there
	want  map[ring.Prefix]time.Duration // since when a prefix of this home has been missing
	tried int
	more  bool // late was full: look again
}

type pulled struct {
	prefixes []ring.Prefix
	marks    stream.Marks
}

func newMoves(l *leading) *moves {
	return &moves{
		l: l, late: map[crawl.Domain]bool{}, from: map[stream.Shard]*inbound{},
		got: map[stream.Shard]pulled{}, want: map[ring.Prefix]time.Duration{},
	}
}

// begin looks for copies of domains that are not this shard's: an earlier leader may have learned something of them.
func (m *moves) begin() {
	r := m.l.r
	if err := r.h.Disk.View(func(tx stream.Tx) error {
		return stream.Domains(tx, r.shard, func(d crawl.Domain) bool {
			m.merged(d)
			return !m.more
		})
	}); err != nil {
		r.h.Fail(err)
	}
}

func (m *moves) end() {
	for _, s := range slices.Sorted(maps.Keys(m.from)) {
		m.from[s].end()
	}
}

// merged is told that something of a domain came here by a pull. If another shard acts for the domain, it is passed on.
func (m *moves) merged(d crawl.Domain) {
	switch {
	case m.l.r.rec.Holds(crawl.KeyOf(d)):
	case len(m.late) < maxLate:
		m.late[d] = true
	default:
		m.more = true
	}
}

// reconcile tells others what is theirs, and looks after what should be here.
func (m *moves) reconcile() {
	if m.more && len(m.late) == 0 {
		m.more = false
		m.begin()
	}
	m.tell()
	for _, s := range slices.Sorted(maps.Keys(m.from)) {
		m.from[s].repeat()
	}
	m.claimMissing()
}

// tell tells each home what this shard has of it. Of more than fit into a message the others come in turn.
func (m *moves) tell() {
	r := m.l.r
	claims, own := map[stream.Shard][]message.Claim{}, r.h.Directory.Own(r.shard)
	for _, a := range r.rec.Authorities {
		switch a.Shard {
		case r.shard:
			if covers(own, a.Prefix) {
				continue
			}
			for _, p := range r.h.Directory.Parts(a.Prefix) {
				if p.Shard != r.shard {
					claims[p.Shard] = append(claims[p.Shard],
						message.Claim{Prefix: p.Prefix, Number: a.Number, State: message.Acting})
				}
			}
		case "":
		default:
			claims[a.Shard] = append(claims[a.Shard],
				message.Claim{Prefix: a.Prefix, Number: a.Number, State: message.Given})
		}
	}
	for _, d := range slices.Sorted(maps.Keys(m.late)) {
		key := crawl.KeyOf(d)
		a, known := r.rec.Authorities.Of(key)
		if known && a.Shard == r.shard {
			delete(m.late, d)
			continue
		}
		if known && a.Shard != "" {
			continue // told with the whole prefix
		}
		for _, p := range r.h.Directory.Parts(record.PrefixOf(key)) {
			if p.Shard != r.shard {
				claims[p.Shard] = append(claims[p.Shard], message.Claim{Prefix: p.Prefix, State: message.Late})
			}
		}
	}
	m.tried++
	for _, s := range slices.Sorted(maps.Keys(claims)) {
		list := claims[s]
		if len(list) > message.MaxPrefixes {
			at := m.tried * message.MaxPrefixes % len(list)
			list = append(slices.Clone(list[at:]), list[:at]...)[:message.MaxPrefixes]
		}
		if to := r.h.Leader(s); to != "" {
			r.h.sendClaims(kindTell, to, r.shard, s, list)
		}
	}
}

// claimMissing takes prefixes of this home that nobody has acted for or told of during a day.
func (m *moves) claimMissing() {
	r := m.l.r
	now, day := r.h.now(), r.h.Times.Day
	missing := map[ring.Prefix]time.Duration{}
	for p, since := range m.want {
		missing[p] = since
	}
	m.want = map[ring.Prefix]time.Duration{}
	for _, p := range r.h.Directory.Own(r.shard) {
		if a, ok := r.rec.Authorities.At(p); ok && a.Shard == r.shard {
			continue
		}
		since, ok := missing[p]
		if !ok {
			since = now
		}
		if m.want[p] = since; now-since < day {
			continue
		}
		m.l.propose(record.Op{Kind: record.OpClaim, Prefix: p, Number: r.rec.Authorities.Latest(p) + claimFar}, nil)
		m.want[p] = now
	}
}

// told takes what the leader of another shard tells.
func (m *moves) told(leader crawl.PeerID, from stream.Shard, claims []message.Claim) {
	var want, check []ring.Prefix
	var answer []message.Claim
	for _, c := range claims {
		if m.tooFar(c.Prefix, c.Number) {
			continue
		}
		if c.State != message.Late {
			m.toldOf(c.Prefix)
		}
		switch have, held := m.conflict(from, c); {
		case len(held) > 0:
			answer = append(answer, held...)
		case have:
			check = append(check, c.Prefix)
		case c.State == message.Given:
			want = append(want, m.l.r.rec.Authorities.Lacking(c.Prefix, c.Number)...)
		case c.State == message.Acting && m.belongs(c.Prefix, m.l.r.shard):
			want = append(want, c.Prefix)
		}
	}
	if len(answer) > 0 {
		m.l.r.h.sendClaims(kindAnswer, leader, m.l.r.shard, from, answer[:min(len(answer), message.MaxPrefixes)])
	}
	if in := m.from[from]; in != nil && in.leader == leader && !in.old() {
		return
	}
	switch {
	case len(want) > 0:
		m.fetch(leader, from, want[:min(len(want), message.MaxPrefixes)], false)
	case len(check) > 0:
		m.fetch(leader, from, check, true)
	}
}

// conflict compares a claim with what this shard knows. have: all of the prefix came here before, so only its
// late items may be missing. held: what others hold under later numbers. To a claim nobody yields: of what
// another acts for, too, under a later number, this shard asks for a release if it is its home, and else the
// home does.
func (m *moves) conflict(from stream.Shard, c message.Claim) (have bool, held []message.Claim) {
	r := m.l.r
	if c.State == message.Late {
		a, ok := r.rec.Authorities.At(c.Prefix)
		return ok && a.Shard == r.shard, nil
	}
	theirs := record.Authority{Prefix: c.Prefix, Number: c.Number, Shard: from}
	for _, a := range r.rec.Authorities.Within(c.Prefix) {
		if c.State == message.Acting && a.Shard != from && a.Shard != "" && a.Later(theirs) {
			held = append(held, message.Claim{Prefix: a.Prefix, Number: a.Number, State: message.Held, Shard: a.Shard})
		}
	}
	return c.State == message.Given && len(r.rec.Authorities.Lacking(c.Prefix, c.Number)) == 0, held
}

// belongs reports whether the ring gives a prefix to a shard.
func (m *moves) belongs(p ring.Prefix, s stream.Shard) bool {
	parts := m.l.r.h.Directory.Parts(p)
	return len(parts) == 1 && parts[0].Shard == s
}

// tooFar reports whether a number is none that a prefix may have: no member would count on from there.
func (m *moves) tooFar(p ring.Prefix, number uint64) bool {
	return number > m.l.r.rec.Authorities.Latest(p)+claimFarthest
}

// toldOf notes that somebody looks after a prefix.
func (m *moves) toldOf(p ring.Prefix) {
	for q := range m.want {
		if q.Overlaps(p) {
			m.want[q] = m.l.r.h.now()
		}
	}
}

// answered takes what the told shard's leader says.
func (m *moves) answered(from stream.Shard, claims []message.Claim) {
	for _, c := range claims {
		switch {
		case c.State == message.Held && m.belongs(c.Prefix, from) && !m.tooFar(c.Prefix, c.Number):
			m.l.propose(record.Op{Kind: record.OpYield, Prefix: c.Prefix, Number: c.Number, Shard: c.Shard}, nil)
		case c.State == message.Whole:
			m.forget(from, c)
		}
	}
}

// forget lets the copies of a prefix go that the whole line of another shard has.
func (m *moves) forget(to stream.Shard, c message.Claim) {
	r := m.l.r
	a, known := r.rec.Authorities.At(c.Prefix)
	if known && a.Shard == r.shard || !known && c.Prefix.Len < ring.MaxPrefix || m.fetches(c.Prefix) ||
		a.Shard != to && (a.Shard != "" || !m.belongs(c.Prefix, to)) {
		return
	}
	m.l.propose(record.Op{Kind: record.OpForget, Prefix: c.Prefix, Shard: to, Marks: c.Marks}, func(record.Effect) {
		for _, d := range slices.Sorted(maps.Keys(m.late)) {
			if c.Prefix.Contains(crawl.KeyOf(d)) && c.Prefix.Len == ring.MaxPrefix {
				delete(m.late, d)
			}
		}
	})
}

// release gives prefixes to the shard that asks, if this shard tells it of them, and answers when that is
// committed: under numbers above the one that the asker names. An earlier release is confirmed, as it was, by
// another commit: a leader that was cut off cannot repeat an old one.
func (m *moves) release(to crawl.PeerID, shard stream.Shard, id, above uint64, prefixes []ring.Prefix) {
	r := m.l.r
	if m.l.handing != nil || slices.ContainsFunc(prefixes, func(p ring.Prefix) bool { return m.tooFar(p, above) }) {
		return
	}
	out := message.Release{ID: id}
	left := len(prefixes)
	for _, p := range prefixes {
		if !m.mayGive(p, shard) {
			left--
			continue
		}
		m.l.propose(record.Op{Kind: record.OpGive, Prefix: p, Number: above, Shard: shard}, func(e record.Effect) {
			out.Given = append(out.Given, e.Left...)
			if left--; left == 0 && len(out.Given) > 0 && len(out.Given) <= message.MaxPrefixes {
				out.Leases = r.leases.Told(r.h.now(), func(l record.Lease) bool {
					return slices.ContainsFunc(out.Given,
						func(a record.Authority) bool { return a.Prefix.Contains(crawl.KeyOf(l.Domain)) })
				})
				out.Marks = r.h.Streams.Marks(r.shard)
				w := r.h.message(kindRelease, to, r.shard, shard)
				out.Write(w)
				r.h.Send(to, stream.LaneAct, w)
			}
		})
	}
}

// fetches reports whether something of a prefix is being fetched: copies of it are not to go.
func (m *moves) fetches(p ring.Prefix) bool {
	for _, in := range m.from {
		if !in.check && slices.ContainsFunc(in.prefixes, p.Overlaps) {
			return true
		}
	}
	return false
}

// mayGive reports whether a prefix is the other shard's by the ring, or was given to it before.
func (m *moves) mayGive(p ring.Prefix, to stream.Shard) bool {
	a, ok := m.l.r.rec.Authorities.At(p)
	if !ok || a.Shard != m.l.r.shard {
		return ok && a.Shard == to
	}
	return m.belongs(p, to)
}

// Merged implements stream.Group.
func (h *Host) Merged(s stream.Shard, d crawl.Domain) {
	if r := h.Replica(s); r != nil && r.lead != nil {
		r.lead.moves.merged(d)
	}
}
