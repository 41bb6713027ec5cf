package group_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// checker sees everything and checks the invariants of docs/swarm.md. Leading and authority are in this
// file, the servers' side in sim_checklog, stores in sim_checkstore, the quiet end in sim_quiet.
type checker struct {
	w *world

	leaders map[shardTerm]*machine      // 1: who acted
	votes   map[vote]crawl.PeerID       // 3: for whom
	acts    map[actor]time.Duration     // 4: since when a start of a machine acts
	elected map[actor]time.Duration     // since when it is elected
	lines   map[stream.Shard]lineAt     // the latest that is applied
	ruling  map[crawl.Domain]*authority // 6
	gave    []release
	took    []release
	founded map[stream.Shard]uint64 // the highest founding that acts

	forced     bool // a group was founded again, or keys were taken from one that is gone: two parts may be networks of their own
	memoryLost bool
	log        serverLog
	stores     storeBook
	untrusted  map[stream.Shard]bool      // shards that a liar is in
	watch      func(*machine, shard.Note) // of a scenario, may be nil
	trouble    trouble                    // why the end is not settled
	spins      int                        // nodes that had to be kept from running in circles
	elections  int
	grants     int
}

type shardTerm struct {
	shard stream.Shard
	term  stream.Term
}

type vote struct {
	shardTerm
	voter *machine
}

// actor is one start of a machine that leads a shard in a term.
type actor struct {
	shardTerm
	m    *machine
	boot int
}

type lineAt struct {
	term   stream.Term
	voters []crawl.PeerID
	at     time.Duration
	since  map[crawl.PeerID]time.Duration // when each of voters became one
}

// authority is who acted for a domain last.
type authority struct {
	number uint64
	shard  stream.Shard
	since  time.Duration // of the first act under number
}

type release struct {
	shard  stream.Shard
	prefix ring.Prefix
	number uint64
	to     string // the shard that it was given to
}

// byTakeover is what a home adds to a number when it takes the keys of a line that is gone.
const byTakeover = 1 << 16

func newChecker(w *world) *checker {
	c := &checker{w: w, leaders: make(map[shardTerm]*machine), votes: make(map[vote]crawl.PeerID), acts: make(map[actor]time.Duration),
		elected: make(map[actor]time.Duration), lines: make(map[stream.Shard]lineAt), ruling: make(map[crawl.Domain]*authority),
		founded: make(map[stream.Shard]uint64), untrusted: make(map[stream.Shard]bool)}
	c.log = newServerLog(w)
	c.stores = newStoreBook(w)
	return c
}

// rolledBack notes that a memory went backwards.
func (c *checker) rolledBack(m *machine) {
	c.memoryLost = true
	c.stores.forget(m)
}

// durable takes what a step noted that was stored, though nobody was told because its machine crashed.
func (c *checker) durable(m *machine, notes []shard.Note) {
	for _, n := range notes {
		switch n.Kind {
		case shard.Gave, shard.Took, shard.Line, shard.Founded:
			c.note(m, n)
		case shard.Streamed:
			if n.Stream.Kind != stream.Acked {
				c.note(m, n)
			}
		}
	}
}

// note takes what a node says happened.
func (c *checker) note(m *machine, n shard.Note) {
	if m.opaque {
		return
	}
	c.tell(m, n)
	if c.watch != nil {
		c.watch(m, n)
	}
	key := shardTerm{n.Shard, n.Term}
	switch n.Kind {
	case shard.Elected:
		c.elections++
		c.elected[actor{key, m, m.boot}] = c.w.now
		c.leads(m, key)
	case shard.Acts:
		c.leads(m, key)
		c.begins(m, n)
	case shard.Founded:
		c.founds(n)
		n.Peers = []crawl.PeerID{m.id}
		c.line(n)
	case shard.Line:
		c.line(n)
		for _, d := range []time.Duration{0, c.w.times.Beat / 4, c.w.times.Beat} { // puts that were acknowledged before are heard of later
			c.w.after(d, func() { c.stores.majorities(n.Shard) })
		}
	case shard.Gave:
		c.gave = append(c.gave, release{n.Shard, n.Prefix, n.Number, n.Text})
	case shard.Took:
		if n.Number >= byTakeover && !c.forced {
			if !c.memoryLost && len(c.untrusted) == 0 {
				c.claims(m, n)
			}
			c.forced = true // the line that had it is gone with all it knew
		}
		c.took = append(c.took, release{n.Shard, n.Prefix, n.Number, ""})
	case shard.Granted:
		c.grants++
		if n.Text != "careful" {
			c.grant(m, n)
		}
	case shard.Voted:
		c.voted(m, n)
	case shard.Streamed:
		c.stores.note(m, *n.Stream)
		if n.Stream.Kind == stream.Acked {
			c.memory(m, n.Stream.Shard, "acknowledges")
		}
	}
}

// leads checks 1: one leader in a term.
func (c *checker) leads(m *machine, key shardTerm) {
	if o := c.leaders[key]; o != nil && o != m && !c.untrusted[key.shard] {
		c.w.fail(key.shard, "", "invariant 1: %s and %s both lead %s in term %s", o.name, m.name, c.w.shard(key.shard), termName(key.term))
	}
	c.leaders[key] = m
}

// founds notes a group that begins again without its missing members. The number of a founding is above 40 bits of chance.
func (c *checker) founds(n shard.Note) {
	if n.Term.Founding>>40 > 1 {
		c.forced = true
	}
}

// line keeps the latest voters of a shard.
func (c *checker) line(n shard.Note) {
	if l, ok := c.lines[n.Shard]; ok && n.Term.Compare(l.term) < 0 {
		return
	}
	since := make(map[crawl.PeerID]time.Duration)
	for _, p := range n.Peers {
		since[p] = c.w.now
		if contains(c.lines[n.Shard].voters, p) {
			since[p] = c.lines[n.Shard].since[p]
		}
	}
	c.lines[n.Shard] = lineAt{n.Term, n.Peers, c.w.now, since}
}

// voted checks 3: one vote in a term, and none by a memory that may have gone backwards.
func (c *checker) voted(m *machine, n shard.Note) {
	key := vote{shardTerm{n.Shard, n.Term}, m}
	if p, ok := c.votes[key]; ok && p != n.Peer && !c.untrusted[n.Shard] {
		c.w.fail(n.Shard, "", "invariant 3: %s votes for %s and for %s in term %s of %s", m.name, c.w.name(p), c.w.name(n.Peer), termName(n.Term), c.w.shard(n.Shard))
	}
	c.votes[key] = n.Peer
	if n.Peer != m.id {
		c.memory(m, n.Shard, "votes")
	}
}

// memory checks 3: for a lease after its start a member neither votes nor acknowledges while a member
// of its line has been silent since then. One that the leader took for a new member after the start has nothing to forget.
func (c *checker) memory(m *machine, s stream.Shard, what string) {
	l := c.lines[s]
	if since, voter := l.since[m.id]; !voter || since > m.startedAt || m.boot < 2 || m.clock.Awake() >= c.w.times.Lease || c.untrusted[s] {
		return
	}
	for _, p := range m.trustees[s] {
		if o := c.w.byID[p]; o != nil && o != m && !o.up && o.downSince < m.startedAt && contains(l.voters, p) {
			c.w.fail(s, "", "invariant 3: %s %s for %s %v after its start, without an answer from %s", m.name, what, c.w.shard(s), m.clock.Awake(), o.name)
		}
	}
}

// begins checks 4: a leader has pulled from every voter that it could reach since its election. One that was away
// while the line changed may not know the leader yet: it sends it no heartbeats, so the leader takes it for away.
func (c *checker) begins(m *machine, n shard.Note) {
	me := actor{shardTerm{n.Shard, n.Term}, m, m.boot}
	c.acts[me] = c.w.now
	from, ok := c.elected[me]
	if !ok || m.unsteady > from-c.w.times.Beat {
		return
	}
	for _, p := range votersOf(m, n.Shard) {
		if o := c.w.byID[p]; o != m && c.reachable(m, o, from-3*c.w.times.Beat) && contains(votersOf(o, n.Shard), m.id) &&
			!contains(n.Peers, p) {
			c.w.fail(n.Shard, "", "invariant 4: %s acts for %s and has not pulled from %s, which it reaches", m.name, c.w.shard(n.Shard), o.name)
		}
	}
}

// reachable reports whether two machines have exchanged packets without trouble since a time.
func (c *checker) reachable(a, b *machine, since time.Duration) bool {
	return b != nil && b.live() && c.w.net.clear(a, b) && c.w.net.changed < since && b.unsteady < since && b.slow <= 20*time.Millisecond
}

func votersOf(m *machine, s stream.Shard) []crawl.PeerID {
	for _, v := range m.node.Look() {
		if v.Shard == s {
			return v.Voters
		}
	}
	return nil
}

func contains(ps []crawl.PeerID, p crawl.PeerID) bool {
	for _, q := range ps {
		if p == q {
			return true
		}
	}
	return false
}

// grant checks 4 and 6 for a grant with full authority.
func (c *checker) grant(m *machine, n shard.Note) {
	if c.untrusted[n.Shard] {
		return
	}
	if !c.acting(m, n) {
		c.w.fail(n.Shard, n.Domain, "invariant 4: %s grants %s for %s in term %s and has not begun to act", m.name, n.Domain, c.w.shard(n.Shard), termName(n.Term))
	}
	if c.forced {
		return
	}
	c.numbers(n)
	c.rule(m, n)
}

// claims checks 6: a home takes only keys of a line that is gone. A leader that has been in contact for a while, and sees the same ring, would
// have told of them.
func (c *checker) claims(m *machine, n shard.Note) {
	since := c.w.now - 10*c.w.times.Beat
	for _, d := range c.w.load.domains {
		s := c.holder(d)
		switch {
		case !n.Prefix.Contains(crawl.KeyOf(d)):
			continue
		case s == n.Shard && !c.remembers(m, s, d):
			c.w.fail(s, d, "invariant 2: %s takes %s for %s, which held %s and knows nothing of it", m.name, n.Prefix, c.w.shard(s), d)
		case s == n.Shard || m.unsteady > since || c.w.roster.moved > since:
			continue
		}
		for key, at := range c.acts {
			o := key.m
			told := o == m || c.reachable(m, o, since) && c.w.roster.views[o.index].key == c.w.roster.views[m.index].key
			if key.shard == s && at < since && o.boot == key.boot && o.up && c.w.leads(o, key.shardTerm) && told {
				c.w.fail(n.Shard, d, "invariant 6: %s takes %s for %s, and %s, which leads %s, is there", m.name, n.Prefix, c.w.shard(n.Shard), o.name, c.w.shard(s))
			}
		}
	}
}

// remembers reports whether a member of a shard beside m knows that the shard holds a domain, or gave it away, or if there is no such member.
func (c *checker) remembers(m *machine, s stream.Shard, d crawl.Domain) bool {
	last := uint64(0)
	for _, r := range c.took {
		if r.shard == s && r.prefix.Contains(crawl.KeyOf(d)) {
			last = max(last, r.number)
		}
	}
	for _, r := range c.gave {
		if r.shard == s && r.number > last && r.prefix.Contains(crawl.KeyOf(d)) {
			return true
		}
	}
	others := 0
	for _, p := range votersOf(m, s) {
		if o := c.w.byID[p]; o != m && o.live() {
			if others++; o.holds(s, d) {
				return true
			}
		}
	}
	return others == 0
}

// leads reports whether a machine acts for a shard in a term.
func (w *world) leads(m *machine, key shardTerm) bool {
	return slices.ContainsFunc(m.node.Look(), func(v group.View) bool { return v.Shard == key.shard && v.Term == key.term && v.Role == shard.Leader })
}

// acting reports whether a machine has begun to act for a shard since its start. Its term may have grown since it proposed
// what it grants.
func (c *checker) acting(m *machine, n shard.Note) bool {
	for t := n.Term; t.Number+4 > n.Term.Number; t.Number-- {
		if _, ok := c.acts[actor{shardTerm{n.Shard, t}, m, m.boot}]; ok {
			return true
		}
		if t.Number == 0 {
			break
		}
	}
	return false
}

// numbers checks 1: a group that was founded again acts alone.
func (c *checker) numbers(n shard.Note) {
	if f := c.founded[n.Shard]; n.Term.Founding < f {
		c.w.fail(n.Shard, n.Domain, "invariant 1: %s acts under founding %d, after %d did", c.w.shard(n.Shard), n.Term.Founding, f)
	}
	c.founded[n.Shard] = max(c.founded[n.Shard], n.Term.Founding)
}

// rule checks 6: authority over a domain passes from shard to shard by releases with rising numbers.
func (c *checker) rule(m *machine, n shard.Note) {
	a := c.ruling[n.Domain]
	switch {
	case a == nil:
		c.ruling[n.Domain] = &authority{n.Number, n.Shard, c.w.now}
	case n.Number < a.number && n.Shard != a.shard:
		// What was committed before the release may be answered after it; the new line knows of that lease.
		if c.w.now-a.since > c.w.times.Lease*13/10 && m.unsteady < a.since {
			c.w.fail(n.Shard, n.Domain, "invariant 6: %s grants %s under number %d, %s already under %d", c.w.shard(n.Shard), n.Domain, n.Number,
				c.w.shard(a.shard), a.number)
		}
	case n.Number == a.number && n.Shard != a.shard:
		c.w.fail(n.Shard, n.Domain, "invariant 6: %s and %s both grant %s under number %d", c.w.shard(a.shard), c.w.shard(n.Shard), n.Domain, n.Number)
	case n.Number > a.number:
		if n.Shard != a.shard && n.Number < byTakeover && !c.released(n, a.number) {
			c.w.fail(n.Shard, n.Domain, "invariant 6: %s grants %s under number %d, and nobody has given it%s", c.w.shard(n.Shard), n.Domain, n.Number, c.releases(n.Domain))
		}
		c.ruling[n.Domain] = &authority{n.Number, n.Shard, c.w.now}
	}
}

// released reports whether another shard gave a domain to this one since it acted under a number. That it was taken
// is not always noted: the leader that asked for it may be another one by then.
func (c *checker) released(n shard.Note, since uint64) bool {
	k := crawl.KeyOf(n.Domain)
	for _, g := range c.gave {
		if g.to == n.Shard.String() && g.number >= since && g.number <= n.Number && g.prefix.Contains(k) {
			return true
		}
	}
	return false
}

// releases tells how a domain went from shard to shard.
func (c *checker) releases(d crawl.Domain) string {
	text := ""
	for _, r := range c.gave {
		if r.prefix.Contains(crawl.KeyOf(d)) {
			text += fmt.Sprintf("; %s gave %s (%d) to %s", c.w.shard(r.shard), r.prefix, r.number, r.to)
		}
	}
	for _, r := range c.took {
		if r.prefix.Contains(crawl.KeyOf(d)) {
			text += fmt.Sprintf("; %s took %s (%d)", c.w.shard(r.shard), r.prefix, r.number)
		}
	}
	return text
}

// holder returns the shard that took a domain last, by the notes; the founder's first had all.
func (c *checker) holder(d crawl.Domain) stream.Shard {
	last := release{shard: stream.ShardOf(c.w.machines[c.w.founder].id, 0)}
	k := crawl.KeyOf(d)
	for _, r := range c.took {
		if r.number >= last.number && r.prefix.Contains(k) {
			last = r
		}
	}
	return last.shard
}

// started keeps whom a machine's memory names as voters.
func (c *checker) started(m *machine) {
	m.trustees = make(map[stream.Shard][]crawl.PeerID)
	for _, v := range m.node.Look() {
		m.trustees[v.Shard] = v.Voters
	}
}

func (c *checker) accepted(m *machine, l group.Lease) { c.log.accepted(m, l) }
func (c *checker) request(d crawl.Domain, r request)  { c.log.request(d, r) }
func (c *checker) acked(m *machine, it stream.Item)   { c.stores.acked(m, it) }

// tell writes a note into the trace.
func (c *checker) tell(m *machine, n shard.Note) {
	if n.Kind == shard.Streamed {
		s := n.Stream
		c.w.trace.add(m, s.Shard, s.Item.Domain, "stream: %s %x/%d %s %x %s", streamKind(s.Kind), uint64(s.Run), s.N, s.Item.Key, s.Item.Value, c.w.name(s.Peer))
		return
	}
	c.w.trace.add(m, n.Shard, n.Domain, "%s%v", kindName(n.Kind), noteText{c.w, n})
}

// noteText writes the fields of a note that are set.
type noteText struct {
	w *world
	shard.Note
}

func (n noteText) String() string {
	b := fmt.Sprintf(" in term %s", termName(n.Term))
	if n.Peer != "" {
		b += " for " + n.w.name(n.Peer)
	}
	if len(n.Peers) > 0 {
		b += ", with " + n.w.names(n.Peers)
	}
	if n.Kind == shard.Gave || n.Kind == shard.Took {
		b += ", prefix " + n.Prefix.String()
	}
	if n.Number > 0 {
		b += fmt.Sprintf(", number %d", n.Number)
	}
	if n.Lease > 0 {
		b += fmt.Sprintf(", lease %x", uint64(n.Lease))
	}
	return b + " " + n.Text
}

// termName writes a term as number of the founding, some of its chance, and number.
func termName(t stream.Term) string {
	return fmt.Sprintf("%d.%03x.%d", t.Founding>>40, t.Founding&0xfff, t.Number)
}

func streamKind(k stream.NoteKind) string {
	switch k {
	case stream.Stamped:
		return "stamps"
	case stream.Acked:
		return "acknowledges"
	case stream.Marked:
		return "adopts marks of"
	case stream.Dropped:
		return "drops"
	}
	return "does something"
}

func kindName(k shard.Kind) string {
	names := map[shard.Kind]string{shard.Elected: "is elected", shard.Acts: "acts", shard.Resigned: "resigns", shard.Careful: "acts carefully",
		shard.CarefulEnds: "is careful no longer", shard.Founded: "founds", shard.Line: "changes its line", shard.Gave: "gives", shard.Took: "takes",
		shard.Granted: "grants", shard.Stored: "has stored", shard.Voted: "votes", shard.SetBack: "finds its memory set back"}
	return names[k]
}

func roleName(r shard.Role) string { return r.String() }
