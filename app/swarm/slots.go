package swarm

import (
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// The slots of an address are led by whoever acts for the key of a name that no domain has. Questions and grants are told: they may be
// lost, and are repeated. A leader that begins to act asks the one before it for its table. Without an answer it grants nothing
// new until all that may have been granted has lapsed; who holds a slot keeps it meanwhile.

const (
	// slotTick is how often slots are looked after, slotHand how often a table is asked for.
	slotTick = time.Second
	slotHand = 250 * time.Millisecond
	// maxAsked bounds the addresses of which it is known whom to ask, maxGave the releases for which the table is told.
	maxAsked = 1 << 14
	maxGave  = 1 << 10
	// maxMoved is how often another member is asked at once.
	maxMoved = 2
	// maxHandPrefixes bounds the prefixes of a question for a table.
	maxHandPrefixes = 256
)

// slots are this node's part in sharing addresses, as a leader and as a fetcher.
type slots struct {
	s      *Swarm
	times  group.Times
	table  *slotTable
	asked  map[netip.AddrPort]*asked
	acting map[stream.Shard]stream.Term // for which this node acts
	left   map[stream.Shard]left        // for which it acted before
	gave   []gave
	waits  []*wait
	ticked time.Time
	handed time.Time // when a table was told last
}

// asked is whom this node asked for slots of an address.
type asked struct {
	to    crawl.PeerID
	last  worker.Ask
	heard time.Time
	at    time.Time
	moved int
}

// wait is what a leader waits for: until then it grants nothing of the prefixes, or of the shard if there are none, unless one of the
// peers tells its table.
type wait struct {
	shard    stream.Shard
	term     stream.Term
	prefixes []ring.Prefix
	peers    []crawl.PeerID
	until    time.Time
	id       uint64 // of the question
	asked    time.Time
}

// left is how a leader left a shard, and gave is a prefix that it released; it waited itself until then.
type left struct {
	term      stream.Term
	until, at time.Time
}

type gave struct {
	prefix ring.Prefix
	until  time.Time
	at     time.Time
}

// before reports whether nobody acted between a leader and one of a term: that is the next one, and there was no time to act
// carefully, without a majority.
func (x *slots) before(l left, t stream.Term) bool {
	return l.term.Founding == t.Founding && l.term.Number+1 == t.Number && x.s.cfg.Now().Sub(l.at) < x.times.Careful/2
}

func (x *slots) begin(s *Swarm) {
	*x = slots{s: s, asked: make(map[netip.AddrPort]*asked), acting: make(map[stream.Shard]stream.Term), left: make(map[stream.Shard]left)}
}

// hook sets what the group tells of who acts.
func (x *slots) hook(cfg *group.Config) {
	x.times = cfg.Times
	if x.table == nil {
		x.table = newSlotTable(cfg.Times.Lease, x.s.cfg.Chance()>>36)
	}
	clear(x.acting)
	cfg.Turned = x.turned
}

// quietFor is how long a leader waits that does not know what was granted before it: until the one before has noticed that it leads
// no more, and what that granted has lapsed.
func (x *slots) quietFor() time.Duration {
	return max(3*x.times.Beat, x.times.Lease/4) + record.Longer(x.times.Lease)
}

// slotDomain is the name whose key says who leads the slots of an address. It is no domain: nothing is ever stored or leased under it.
func slotDomain(at netip.AddrPort) crawl.Domain { return crawl.Domain("@" + at.String()) }

// turned notes that this node begins or ends to act.
func (x *slots) turned(note group.Note) {
	now := x.s.cfg.Now()
	_, acts := x.acting[note.Shard]
	switch note.Kind {
	case shard.Acts:
		x.acting[note.Shard] = note.Term
		l := x.left[note.Shard]
		delete(x.left, note.Shard)
		w := &wait{shard: note.Shard, term: note.Term, peers: note.Peers, until: now.Add(x.quietFor())}
		if x.before(l, note.Term) {
			w.until, w.peers = l.until, nil // nobody else acted since
		}
		if len(note.Peers) > 0 { // else it is the whole line
			x.waits = append(x.waits, w)
		}
	case shard.Resigned:
		x.left[note.Shard] = left{note.Term, x.waitOf(note.Shard, func(*wait) bool { return true }), now}
		delete(x.acting, note.Shard)
		x.waits = slices.DeleteFunc(x.waits, func(w *wait) bool { return w.shard == note.Shard })
	case shard.Gave:
		if acts && len(x.gave) < maxGave {
			until := x.waitOf(note.Shard, func(w *wait) bool { return w.prefixes == nil || slices.ContainsFunc(w.prefixes, note.Prefix.Overlaps) })
			x.gave = append(x.gave, gave{note.Prefix, until, now})
		}
	case shard.Received:
		x.gave = slices.DeleteFunc(x.gave, func(g gave) bool { return g.prefix.Overlaps(note.Prefix) })
		if n := len(x.waits); n > 0 && x.waits[n-1].shard == note.Shard && x.waits[n-1].asked.IsZero() && slices.Equal(x.waits[n-1].peers, []crawl.PeerID{note.Peer}) &&
			x.waits[n-1].prefixes != nil && len(x.waits[n-1].prefixes) < maxHandPrefixes {
			x.waits[n-1].prefixes = append(x.waits[n-1].prefixes, note.Prefix)
			return
		}
		x.waits = append(x.waits, &wait{shard: note.Shard, prefixes: []ring.Prefix{note.Prefix}, peers: []crawl.PeerID{note.Peer}, until: now.Add(x.quietFor())})
	}
}

// waitOf returns until when this leader waits in a shard, of those waits that count.
func (x *slots) waitOf(s stream.Shard, counts func(*wait) bool) (until time.Time) {
	for _, w := range x.waits {
		if w.shard == s && counts(w) && w.until.After(until) {
			until = w.until
		}
	}
	return until
}

// quiet reports whether nothing new is granted of an address.
func (x *slots) quiet(n *group.Node, at netip.AddrPort) bool {
	d := slotDomain(at)
	key := crawl.KeyOf(d)
	s, acts := n.ActsIn(d)
	until := x.waitOf(s, func(w *wait) bool {
		return w.prefixes == nil || slices.ContainsFunc(w.prefixes, func(p ring.Prefix) bool { return p.Contains(key) })
	})
	return !acts || x.s.cfg.Now().Before(until)
}

// ---- the fetcher -----------------------------------------------------------

// Ask implements worker.Slots.
func (s *Swarm) Ask(at netip.AddrPort, m worker.Ask) {
	s.cfg.Loop.DoSoon(func(n *group.Node) { s.slots.ask(n, at, m) })
}

// ask asks the leader of an address.
func (x *slots) ask(n *group.Node, at netip.AddrPort, m worker.Ask) {
	now := x.s.cfg.Now()
	a := x.asked[at]
	if a == nil {
		if len(x.asked) >= maxAsked {
			clear(x.asked) // they are asked again in a second
		}
		a = new(asked)
		x.asked[at] = a
	}
	a.last, a.moved, a.at = m, 0, now
	to := a.to
	if acts, _ := n.Acts(slotDomain(at)); acts {
		to = x.s.cfg.Self
	} else if now.Sub(a.heard) > 4*x.times.Beat || to == x.s.cfg.Self {
		to = n.Leader(slotDomain(at))
	}
	x.send(n, a, at, to)
}

func (x *slots) send(n *group.Node, a *asked, at netip.AddrPort, to crawl.PeerID) {
	switch a.to = to; to {
	case "":
	case x.s.cfg.Self:
		x.lead(n, to, at, a.last)
	default:
		n.Tell(to, askBody(at, a.last))
	}
}

// granted takes an answer of whom this node asked, and of nobody else.
func (x *slots) granted(from crawl.PeerID, at netip.AddrPort, m worker.Grant) {
	if a := x.asked[at]; a != nil && a.to == from {
		a.heard = x.s.cfg.Now()
		x.s.cfg.Fetcher.Grant(at, m)
	}
}

// moved asks the member that an answer names, twice at most.
func (x *slots) moved(n *group.Node, from crawl.PeerID, at netip.AddrPort, number uint64, to crawl.PeerID) {
	a := x.asked[at]
	if a == nil || a.to != from || a.last.Number != number {
		return
	}
	if a.heard = (time.Time{}); a.moved >= maxMoved {
		return // it is repeated
	}
	a.moved++
	if owners := x.s.cfg.Owners(); to == "" && len(owners) > 0 {
		to = owners[x.s.cfg.Chance()%uint64(len(owners))] // where keys are on the move, their home does not know who acts still
	}
	if to == "" || to == from || to == x.s.cfg.Self {
		return
	}
	a.heard = x.s.cfg.Now()
	x.send(n, a, at, to)
}

// ---- the leader ------------------------------------------------------------

// lead takes a question.
func (x *slots) lead(n *group.Node, from crawl.PeerID, at netip.AddrPort, m worker.Ask) {
	d := slotDomain(at)
	if acts, _ := n.Acts(d); acts {
		x.answer(n, x.table.ask(x.s.cfg.Now(), from, at, m, x.quiet(n, at)))
		return
	}
	to := n.Elsewhere(d)
	if from != x.s.cfg.Self {
		n.Tell(from, movedBody(at, m.Number, to))
	} else {
		x.moved(n, from, at, m.Number, to)
	}
}

func (x *slots) answer(n *group.Node, answers []answer) {
	for _, a := range answers {
		if a.to == x.s.cfg.Self {
			x.granted(a.to, a.at, a.Grant)
		} else {
			n.Tell(a.to, grantBody(a))
		}
	}
}

// heard takes what a peer tells of slots.
func (x *slots) heard(n *group.Node, from crawl.PeerID, kind bodyKind, b []byte) {
	switch kind {
	case bodyAsk:
		if at, m, ok := readAsk(b); ok {
			x.lead(n, from, at, m)
		}
	case bodyGrant:
		if at, m, ok := readGrant(b, x.times.Lease); ok {
			x.granted(from, at, m)
		}
	case bodyMoved:
		if at, number, to, ok := readMoved(b); ok {
			x.moved(n, from, at, number, to)
		}
	case bodyHand:
		if q, ok := readHand(b); ok {
			x.hand(n, from, q)
		}
	case bodyTable:
		x.taken(from, b)
	}
}

// step looks after slots.
func (x *slots) step(n *group.Node) {
	now := x.s.cfg.Now()
	x.waits = slices.DeleteFunc(x.waits, func(w *wait) bool { return !now.Before(w.until) })
	for _, w := range x.waits {
		if now.Sub(w.asked) >= slotHand {
			w.asked = now
			if w.id == 0 {
				w.id = x.s.cfg.Chance() | 1
			}
			b := handBody(hand{w.id, w.shard, w.term, w.prefixes})
			for _, p := range w.peers {
				n.Tell(p, b)
			}
		}
	}
	if now.Sub(x.ticked) < slotTick {
		return
	}
	x.ticked = now
	x.answer(n, x.table.tick(now, func(at netip.AddrPort) bool { return x.quiet(n, at) }))
	maps.DeleteFunc(x.asked, func(_ netip.AddrPort, a *asked) bool { return now.Sub(a.at) > 2*x.times.Lease })
	x.gave = slices.DeleteFunc(x.gave, func(g gave) bool { return now.Sub(g.at) > x.quietFor() })
}

// ---- handing over ----------------------------------------------------------

// hand is a question for the table of who acted before: for the whole shard in a term, or for prefixes that it released.
type hand struct {
	id       uint64
	shard    stream.Shard
	term     stream.Term
	prefixes []ring.Prefix
}

func handBody(h hand) []byte {
	w := &codec.Writer{B: []byte{byte(bodyHand)}}
	w.Fixed(h.id)
	w.Text(string(h.shard))
	w.Fixed(h.term.Founding)
	w.Uint(h.term.Number)
	codec.WriteList(w, h.prefixes, w.Prefix)
	return w.B
}

func readHand(b []byte) (h hand, ok bool) {
	r := &codec.Reader{B: b}
	h = hand{r.Fixed(), stream.Shard(r.Text(codec.MaxName)), stream.Term{Founding: r.Fixed(), Number: r.Uint()}, codec.ReadList(r, maxHandPrefixes, r.Prefix)}
	return h, r.Done()
}

// hand tells what this node granted to the one that acts now, if it was the last before that one: in the term before, or by release.
func (x *slots) hand(n *group.Node, to crawl.PeerID, q hand) {
	now := x.s.cfg.Now()
	var until time.Time
	if len(q.prefixes) == 0 {
		l, was := x.left[q.shard]
		if !was || !x.before(l, q.term) {
			return
		}
		until = l.until
	}
	for _, p := range q.prefixes {
		i := slices.IndexFunc(x.gave, func(g gave) bool { return g.prefix.Covers(p) })
		if i < 0 {
			return
		}
		if x.gave[i].until.After(until) {
			until = x.gave[i].until
		}
	}
	if now.Sub(x.handed) < slotHand/10 {
		return // it asks again
	}
	x.handed = now
	w := &codec.Writer{B: []byte{byte(bodyTable)}}
	w.Fixed(q.id)
	w.Uint(uint64(max(until.Sub(now), 0).Milliseconds()))
	if x.table.write(w, now, func(at netip.AddrPort) bool {
		key := crawl.KeyOf(slotDomain(at))
		acts, _ := n.Acts(slotDomain(at))
		return !acts && (len(q.prefixes) == 0 || slices.ContainsFunc(q.prefixes, func(p ring.Prefix) bool { return p.Contains(key) }))
	}) {
		n.Tell(to, w.B)
	}
}

// taken takes a table that this node waits for.
func (x *slots) taken(from crawl.PeerID, b []byte) {
	r := &codec.Reader{B: b}
	id := r.Fixed()
	i := slices.IndexFunc(x.waits, func(w *wait) bool { return w.id == id && id != 0 && slices.Contains(w.peers, from) })
	if i < 0 {
		return
	}
	rest := time.Duration(r.UpTo(uint64(x.quietFor().Milliseconds()))) * time.Millisecond
	list := readTable(r, x.times.Lease)
	if !r.Done() {
		return
	}
	now := x.s.cfg.Now()
	x.table.take(now, list)
	x.waits[i].until = now.Add(rest)
	x.waits[i].id = 0
	if rest == 0 {
		x.waits = slices.Delete(x.waits, i, i+1)
	}
}
