package stream

import (
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
)

// Kinds of messages. The numbers are part of the protocol.
const (
	kindHead    = 1
	kindCommit  = 2
	kindAck     = 3
	kindBehind  = 4
	kindAsk     = 5
	kindAnswer  = 6
	kindOffer   = 7
	kindCovered = 8
)

const (
	// chunkSize is what a commit or a chunk of a pull holds in bytes, and what a leader sends without an
	// acknowledgement. Halved, far peers get less through; doubled, a message holds up others for longer.
	chunkSize = 256 << 10
	// maxMessage bounds a message: a chunk, an item beyond it, marks and what goes with the last one.
	maxMessage = 512 << 10
	// maxPrefixes is how many prefixes a pull may name.
	maxPrefixes = 4096
	// MaxExtra bounds what a group adds to the last chunk of a pull, in bytes.
	MaxExtra  = 64 << 10
	maxCursor = MaxDomain + 1 + MaxKey
)

// head tells a follower where the run of a leader stands.
type head struct {
	shard Shard
	term  Term
	run   Run
	n     uint64 // the last number
	first uint64 // the first number that the leader can send
}

// commit is what a leader stored under one number.
type commit struct {
	shard Shard
	term  Term
	run   Run
	n     uint64
	items []Item
}

// ack says what a follower has of a run, and what else its marks hold.
type ack struct {
	shard  Shard
	run    Run
	has    bool // it has a mark of the run
	n      uint64
	sum    uint32
	behind bool // it could not take what it was sent
}

// ask is the request for one chunk of a pull.
type ask struct {
	shard    Shard
	id       uint64
	chunk    uint64
	term     Term
	cursor   []byte // the place in "items" to begin at
	prefixes []ring.Prefix
	marks    Marks
}

// answer is one chunk.
type answer struct {
	shard Shard
	id    uint64
	chunk uint64
	start uint64 // drawn by the answerer when it started
	marks Marks  // only with chunk 0
	items []stamped
	next  []byte // the cursor of the next chunk; empty: this is the last
	extra []byte
}

// offer says that a former member has a copy.
type offer struct {
	shard Shard
	id    uint64
}

// covered answers an offer: the line has what these marks have.
type covered struct {
	shard Shard
	id    uint64
	marks Marks
}

func begin(kind byte, s Shard) *writer {
	w := &writer{b: make([]byte, 0, 64+len(s))}
	w.byte(kind)
	w.string(string(s))
	return w
}

func (h head) encode() []byte {
	w := begin(kindHead, h.shard)
	w.term(h.term)
	w.stamp(h.run, h.n)
	w.uvarint(h.first)
	return w.b
}

func (c commit) encode() []byte {
	w := begin(kindCommit, c.shard)
	w.term(c.term)
	w.stamp(c.run, c.n)
	w.uvarint(uint64(len(c.items)))
	var last Item
	for _, i := range c.items {
		w.item(i, last)
		last = i
	}
	return w.b
}

func (a ack) encode() []byte {
	kind := byte(kindAck)
	if a.behind {
		kind = kindBehind
	}
	w := begin(kind, a.shard)
	n := uint64(0)
	if a.has {
		n = a.n + 1
	}
	w.stamp(a.run, n)
	w.fixed32(a.sum)
	return w.b
}

func (a ask) encode() []byte {
	w := begin(kindAsk, a.shard)
	w.fixed64(a.id)
	w.uvarint(a.chunk)
	w.term(a.term)
	w.bytes(a.cursor)
	if a.prefixes == nil {
		w.uvarint(0)
	} else {
		w.uvarint(uint64(len(a.prefixes)) + 1)
	}
	for _, p := range a.prefixes {
		w.byte(p.Len)
		w.fixed64(p.Bits)
	}
	w.marks(a.marks)
	return w.b
}

func (a answer) encode() []byte {
	w := begin(kindAnswer, a.shard)
	w.fixed64(a.id)
	w.uvarint(a.chunk)
	w.fixed64(a.start)
	if a.chunk == 0 {
		w.marks(a.marks)
	}
	w.uvarint(uint64(len(a.items)))
	var last stamped
	for _, i := range a.items {
		w.item(i.Item, last.Item)
		if i.stamp.Run == last.stamp.Run {
			w.uvarint(i.stamp.N << 1)
		} else {
			w.uvarint(i.stamp.N<<1 | 1)
			w.fixed64(uint64(i.stamp.Run))
		}
		last = i
	}
	w.bytes(a.next)
	w.bytes(a.extra)
	return w.b
}

func (o offer) encode() []byte {
	w := begin(kindOffer, o.shard)
	w.fixed64(o.id)
	return w.b
}

func (c covered) encode() []byte {
	w := begin(kindCovered, c.shard)
	w.fixed64(c.id)
	w.marks(c.marks)
	return w.b
}

// item writes an item; an empty domain stands for that of the last one.
func (w *writer) item(i, last Item) {
	if i.Domain == last.Domain {
		w.byte(0)
	} else {
		w.string(string(i.Domain))
	}
	w.string(i.Key)
	w.bytes(i.Value)
}

func (r *reader) item(last Item) Item {
	i := Item{Domain: last.Domain}
	if d := r.bytes(MaxDomain); len(d) > 0 {
		i.Domain = crawl.Domain(d)
	}
	i.Key, i.Value = string(r.bytes(MaxKey)), r.bytes(MaxValue)
	if !i.Valid() {
		r.fail()
	}
	return i
}

// parse takes a message apart: a head, commit, ack, ask, answer, offer or covered.
func parse(message []byte) (any, error) {
	if len(message) > maxMessage {
		return nil, fmt.Errorf("%d bytes: %w", len(message), errMalformed)
	}
	r := &reader{b: message}
	kind := r.byte()
	shard := r.shard()
	var m any
	switch kind {
	case kindHead:
		m = head{shard: shard, term: r.term(), run: Run(r.fixed64()), n: r.number(), first: r.number()}
	case kindCommit:
		m = r.commit(shard)
	case kindAck, kindBehind:
		a := ack{shard: shard, run: Run(r.fixed64()), behind: kind == kindBehind}
		if n := r.uvarint(maxNumber + 1); n > 0 {
			a.has, a.n = true, n-1
		}
		a.sum = r.fixed32()
		m = a
	case kindAsk:
		m = r.ask(shard)
	case kindAnswer:
		m = r.answer(shard)
	case kindOffer:
		m = offer{shard, r.fixed64()}
	case kindCovered:
		m = covered{shard, r.fixed64(), r.marks(2 * MaxRuns)}
	default:
		r.fail()
	}
	if r.bad || len(r.b) > 0 {
		return nil, fmt.Errorf("kind %d, %d bytes: %w", kind, len(message), errMalformed)
	}
	return m, nil
}

func (r *reader) commit(shard Shard) commit {
	c := commit{shard: shard, term: r.term(), run: Run(r.fixed64()), n: r.number()}
	var last Item
	for count := r.uvarint(maxMessage); count > 0 && !r.bad; count-- {
		last = r.item(last)
		c.items = append(c.items, last)
	}
	if c.n == 0 {
		r.fail()
	}
	return c
}

func (r *reader) ask(shard Shard) ask {
	a := ask{shard: shard, id: r.fixed64(), chunk: r.number(), term: r.term(), cursor: r.bytes(maxCursor)}
	if count := r.uvarint(maxPrefixes + 1); count > 0 {
		a.prefixes = []ring.Prefix{}
		for ; count > 1 && !r.bad; count-- {
			p := ring.Prefix{Len: r.byte(), Bits: r.fixed64()}
			if !p.Valid() {
				r.fail()
			}
			a.prefixes = append(a.prefixes, p)
		}
	}
	a.marks = r.marks(2 * MaxRuns)
	if _, _, ok := splitItemKey(a.cursor); len(a.cursor) > 0 && !ok {
		r.fail()
	}
	return a
}

func (r *reader) answer(shard Shard) answer {
	a := answer{shard: shard, id: r.fixed64(), chunk: r.number(), start: r.fixed64()}
	if a.chunk == 0 {
		a.marks = r.marks(MaxRuns)
	}
	var last stamped
	for count := r.uvarint(maxMessage); count > 0 && !r.bad; count-- {
		i := stamped{Item: r.item(last.Item), stamp: Stamp{Run: last.stamp.Run}}
		n := r.uvarint(2*maxNumber + 1)
		i.stamp.N = n >> 1
		if n&1 != 0 {
			i.stamp.Run = Run(r.fixed64())
		}
		a.items = append(a.items, i)
		last = i
	}
	a.next, a.extra = r.bytes(maxCursor), r.bytes(MaxExtra)
	if _, _, ok := splitItemKey(a.next); len(a.next) > 0 && !ok {
		r.fail()
	}
	return a
}
