package slots

import (
	"maps"
	"net/netip"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// The slots of an address are led by whoever acts for the key of a name that no domain has. Questions and
// grants are told: they may be lost, and are repeated. A leader that begins to act asks the one before it for
// its table. Without an answer it grants nothing new until all that may have been granted has lapsed; who holds
// a slot keeps it meanwhile.

const (
	// tickEvery is how often slots are looked after, handEvery how often a table is asked for.
	tickEvery = time.Second
	handEvery = 250 * time.Millisecond
	// maxAsked bounds the addresses of which it is known whom to ask, maxPast what is remembered of acting before.
	maxAsked = 1 << 14
	maxPast  = 1 << 12
	// maxRepeats is how often the table is told for one of these.
	maxRepeats = 32
	// firstTerm is the term of the first leader of a shard, which holds nothing yet or is the founder's.
	firstTerm = 2
	// maxMoved is how often another member is asked at once.
	maxMoved = 2
)

// Config says what Slots work with. Everything is required.
type Config struct {
	Self crawl.PeerID
	// Owners returns members that may act for domains.
	Owners func() []crawl.PeerID
	// Chance returns random bits.
	Chance func() uint64
	// Now is the clock that fetchers count leases by.
	Now func() time.Time
	// Grant brings an answer to Ask to this node's fetcher. It must not block.
	Grant func(netip.AddrPort, gates.Grant)
}

// Slots are this node's part in sharing addresses, as a leader and as a fetcher. All methods are for the
// goroutine of the Node.
type Slots struct {
	cfg    Config
	times  group.Times
	table  *table
	asked  map[netip.AddrPort]*asked
	acting map[stream.Shard]bool // for which this node acts
	past   []*span               // where this node acted before
	waits  []*span               // where it grants nothing
	ticked time.Time
}

// asked is whom this node asked for slots of an address.
type asked struct {
	to    crawl.PeerID
	last  gates.Ask
	heard time.Time
	at    time.Time
	moved int
}

// span is a part of the keys in which this node grants nothing until a time, unless one of some peers tells its
// table; or one in which it acted before, and what it tells of that time.
type span struct {
	shard  stream.Shard
	prefix ring.Prefix
	term   stream.Term // in which it acts, or acted; zero for a prefix that one shard released to another
	until  time.Time   // it grants nothing, or would not have
	peers  []crawl.PeerID
	id     uint64    // of the question
	at     time.Time // of the last question, or of the end
	told   int
}

// follows reports whether nobody acted between a span of the past and one that begins: it is of the term
// before, and there was no time to act carefully, without a majority; or it was released.
func (x *Slots) follows(q, past *span) bool {
	if q.term == (stream.Term{}) || past.term == (stream.Term{}) {
		return q.term == past.term && past.prefix.Covers(q.prefix)
	}
	return past.shard == q.shard && past.term.Founding == q.term.Founding && past.term.Number+1 == q.term.Number &&
		x.cfg.Now().Sub(past.at) < x.times.Careful/2
}

// New returns slots of which nothing is known. times are those of the group.
func New(cfg Config, times group.Times) *Slots {
	return &Slots{
		cfg: cfg, times: times, table: newTable(times.Lease), asked: make(map[netip.AddrPort]*asked),
		acting: make(map[stream.Shard]bool),
	}
}

// quietFor is how long a leader waits that does not know what was granted before it: until the one before has
// noticed that it leads no more, and what that granted has lapsed.
func (x *Slots) quietFor() time.Duration {
	return max(3*x.times.Beat, x.times.Lease/4) + record.Longer(x.times.Lease)
}

// nameOf is the name whose key says who leads the slots of an address. It is no domain: nothing is ever stored
// or leased under it.
func nameOf(at netip.AddrPort) crawl.Domain { return crawl.Domain("@" + at.String()) }

// Turned notes that this node begins or ends to act, for group.Config.Turned.
func (x *Slots) Turned(note group.Note) {
	now := x.cfg.Now()
	w := &span{shard: note.Shard, prefix: note.Prefix, peers: note.Peers, until: now.Add(x.quietFor())}
	switch note.Kind {
	case shard.Acts:
		x.acting[note.Shard], w.term = true, note.Term
		if i := slices.IndexFunc(x.past, func(p *span) bool { return x.follows(w, p) }); i >= 0 {
			w.until, w.peers = x.past[i].until, nil // it was this node
		}
		if len(note.Peers) > 0 && note.Term.Number > firstTerm { // else it is the whole line, or nobody acted before it
			x.waits = append(x.waits, w)
		}
	case shard.Resigned:
		delete(x.acting, note.Shard)
		x.remember(span{shard: note.Shard, term: note.Term,
			until: x.quietIn(note.Shard, func(*span) bool { return true }), at: now})
		x.waits = slices.DeleteFunc(x.waits, func(w *span) bool { return w.shard == note.Shard })
	case shard.Gave:
		if x.acting[note.Shard] {
			x.remember(span{prefix: note.Prefix, until: x.quietIn(note.Shard,
				func(w *span) bool { return w.prefix.Overlaps(note.Prefix) }), at: now})
		}
	case shard.Received:
		x.past = slices.DeleteFunc(x.past, func(p *span) bool {
			return p.term == stream.Term{} &&
				p.prefix.Overlaps(note.Prefix)
		})
		w.peers = []crawl.PeerID{note.Peer}
		x.waits = append(x.waits, w)
	}
}

func (x *Slots) remember(p span) {
	if len(x.past) < maxPast {
		x.past = append(x.past, &p)
	}
}

// quietIn returns until when nothing is granted in a shard, by those waits that count.
func (x *Slots) quietIn(s stream.Shard, counts func(*span) bool) (until time.Time) {
	for _, w := range x.waits {
		if w.shard == s && counts(w) && w.until.After(until) {
			until = w.until
		}
	}
	return until
}

// quiet reports whether nothing new is granted of an address.
func (x *Slots) quiet(n *group.Node, at netip.AddrPort) bool {
	key := crawl.KeyOf(nameOf(at))
	s, acts := n.ActsIn(nameOf(at))
	return !acts || x.cfg.Now().Before(x.quietIn(s, func(w *span) bool { return w.prefix.Contains(key) }))
}

// Waits reports whether this node asks for a table of another.
func (x *Slots) Waits() bool { return len(x.waits) > 0 }

// ---- the fetcher -----------------------------------------------------------

// Ask asks the leader of an address for slots. The answer goes to Config.Grant, and may get lost.
func (x *Slots) Ask(n *group.Node, at netip.AddrPort, m gates.Ask) {
	now := x.cfg.Now()
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
	if acts, _ := n.Acts(nameOf(at)); acts {
		to = x.cfg.Self
	} else if now.Sub(a.heard) > 4*x.times.Beat || to == x.cfg.Self {
		to = n.Leader(nameOf(at))
	}
	x.send(n, a, at, to)
}

func (x *Slots) send(n *group.Node, a *asked, at netip.AddrPort, to crawl.PeerID) {
	switch a.to = to; to {
	case "":
	case x.cfg.Self:
		x.lead(n, to, at, a.last)
	default:
		n.Tell(to, askBody(at, a.last))
	}
}

// granted takes an answer of whom this node asked, and of nobody else.
func (x *Slots) granted(from crawl.PeerID, at netip.AddrPort, m gates.Grant) {
	if a := x.asked[at]; a != nil && a.to == from {
		a.heard = x.cfg.Now()
		x.cfg.Grant(at, m)
	}
}

// moved asks the member that an answer names, twice at most.
func (x *Slots) moved(n *group.Node, from crawl.PeerID, at netip.AddrPort, number uint64, to crawl.PeerID) {
	a := x.asked[at]
	if a == nil || a.to != from || a.last.Number != number {
		return
	}
	if a.heard = (time.Time{}); a.moved >= maxMoved {
		return // it is repeated
	}
	a.moved++
	if owners := x.cfg.Owners(); to == "" && len(owners) > 0 {
		// where keys are on the move, their home does not know who acts still
		to = owners[x.cfg.Chance()%uint64(len(owners))]
	}
	if to == "" || to == from || to == x.cfg.Self {
		return
	}
	a.heard = x.cfg.Now()
	x.send(n, a, at, to)
}

// ---- the leader ------------------------------------------------------------

// lead takes a question.
func (x *Slots) lead(n *group.Node, from crawl.PeerID, at netip.AddrPort, m gates.Ask) {
	d := nameOf(at)
	if acts, _ := n.Acts(d); acts {
		x.answer(n, x.table.ask(x.cfg.Now(), from, at, m, x.quiet(n, at)))
		return
	}
	to := n.Elsewhere(d)
	if from != x.cfg.Self {
		n.Tell(from, movedBody(at, m.Number, to))
	} else {
		x.moved(n, from, at, m.Number, to)
	}
}

func (x *Slots) answer(n *group.Node, answers []answer) {
	for _, a := range answers {
		if a.to == x.cfg.Self {
			x.granted(a.to, a.at, a.Grant)
		} else {
			n.Tell(a.to, grantBody(a))
		}
	}
}

// Heard takes a message of a peer that is Mine.
func (x *Slots) Heard(n *group.Node, from crawl.PeerID, b []byte) {
	switch k, b := kind(b[0]), b[1:]; k {
	case kindAsk:
		if at, m, ok := readAsk(b); ok {
			x.lead(n, from, at, m)
		}
	case kindGrant:
		if at, m, ok := readGrant(b, x.times.Lease); ok {
			x.granted(from, at, m)
		}
	case kindMoved:
		if at, number, to, ok := readMoved(b); ok {
			x.moved(n, from, at, number, to)
		}
	case kindHand:
		if q, ok := readHand(b); ok {
			x.hand(n, from, q)
		}
	case kindTable:
		x.taken(n, from, b)
	}
}

// Step looks after slots. It is called several times a second while Waits.
func (x *Slots) Step(n *group.Node) {
	now := x.cfg.Now()
	x.waits = slices.DeleteFunc(x.waits, func(w *span) bool { return !now.Before(w.until) })
	for _, w := range x.waits {
		if now.Sub(w.at) >= handEvery {
			if w.at = now; w.id == 0 {
				w.id = x.cfg.Chance() | 1
			}
			for _, p := range w.peers {
				n.Tell(p, handBody(w))
			}
		}
	}
	if now.Sub(x.ticked) < tickEvery {
		return
	}
	x.ticked = now
	x.answer(n, x.table.tick(now, func(at netip.AddrPort) bool { return x.quiet(n, at) }))
	maps.DeleteFunc(x.asked, func(_ netip.AddrPort, a *asked) bool { return now.Sub(a.at) > 2*x.times.Lease })
	x.past = slices.DeleteFunc(x.past, func(p *span) bool { return now.Sub(p.at) > x.quietFor() })
}

// ---- handing over ----------------------------------------------------------

// hand tells what this node granted to the one that acts now, if it was the last before that one.
func (x *Slots) hand(n *group.Node, to crawl.PeerID, q *span) {
	i := slices.IndexFunc(x.past, func(p *span) bool { return p.told < maxRepeats && x.follows(q, p) })
	if i < 0 {
		return
	}
	now := x.cfg.Now()
	x.past[i].told++
	w := &codec.Writer{B: []byte{byte(kindTable)}}
	w.Fixed(q.id)
	w.Uint(uint64(max(x.past[i].until.Sub(now), 0).Milliseconds()))
	if x.table.write(w, now, func(at netip.AddrPort) bool {
		acts, _ := n.Acts(nameOf(at))
		return !acts && q.prefix.Contains(crawl.KeyOf(nameOf(at)))
	}) {
		n.Tell(to, w.B)
	}
}

// taken takes a table that this node waits for.
func (x *Slots) taken(n *group.Node, from crawl.PeerID, b []byte) {
	r := &codec.Reader{B: b}
	id := r.Fixed()
	i := slices.IndexFunc(x.waits, func(w *span) bool {
		return w.id == id && id != 0 &&
			slices.Contains(w.peers, from)
	})
	rest := time.Duration(r.UpTo(uint64(x.quietFor().Milliseconds()))) * time.Millisecond
	list := readTable(r, x.times.Lease)
	if i < 0 || !r.Done() {
		return
	}
	now, w := x.cfg.Now(), x.waits[i]
	x.table.take(now, list, func(at netip.AddrPort) bool {
		s, acts := n.ActsIn(nameOf(at))
		return acts && s == w.shard && w.prefix.Contains(crawl.KeyOf(nameOf(at)))
	})
	w.until, w.peers = now.Add(rest), nil
}
