package stream

import (
	"fmt"

	"github.com/forage-net/forage/p2p/ring"
)

// message is what travels between two Streams: a head, commit, ack, ask, answer, offer or covered.
type message interface {
	// kind is its first byte. The numbers are part of the protocol.
	kind() byte
	// code writes or reads what follows.
	code(*coder)
}

func (*head) kind() byte    { return 1 }
func (*commit) kind() byte  { return 2 }
func (*ack) kind() byte     { return 3 }
func (*ask) kind() byte     { return 4 }
func (*answer) kind() byte  { return 5 }
func (*offer) kind() byte   { return 6 }
func (*covered) kind() byte { return 7 }

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

// encode returns the bytes of a message.
func encode(m message) []byte {
	c := &coder{writes: true, b: append(make([]byte, 0, 128), m.kind())}
	m.code(c)
	return c.b
}

// parse takes a message apart.
func parse(b []byte) (message, error) {
	if len(b) > 0 && len(b) <= maxMessage {
		for _, m := range []message{new(head), new(commit), new(ack), new(ask), new(answer), new(offer), new(covered)} {
			if m.kind() != b[0] {
				continue
			}
			c := &coder{b: b[1:]}
			if m.code(c); !c.bad && len(c.b) == 0 {
				return m, nil
			}
		}
	}
	return nil, fmt.Errorf("%d bytes: %w", len(b), errMalformed)
}

func (h *head) code(c *coder) {
	c.shard(&h.shard)
	c.term(&h.term)
	c.run(&h.run)
	c.number(&h.n)
	c.number(&h.first)
}

func (m *commit) code(c *coder) {
	c.shard(&m.shard)
	c.term(&m.term)
	c.run(&m.run)
	c.number(&m.n)
	list(c, &m.items, maxMessage, c.item)
	if m.n == 0 {
		c.fail()
	}
}

func (a *ack) code(c *coder) {
	c.shard(&a.shard)
	c.run(&a.run)
	var n uint64 // one above the number, doubled, and the flag
	if a.has {
		n = (a.n + 1) << 1
	}
	if a.behind {
		n |= 1
	}
	c.uvarint(&n, (maxNumber+1)<<1|1)
	if a.behind, a.has = n&1 != 0, n > 1; a.has {
		a.n = n>>1 - 1
	}
	c.fixed32(&a.sum)
}

func (a *ask) code(c *coder) {
	c.shard(&a.shard)
	c.fixed64(&a.id)
	c.number(&a.chunk)
	c.term(&a.term)
	c.cursor(&a.cursor)
	some := 1
	if a.prefixes == nil {
		some = 0
	}
	if some = c.count(some, 1); some > 0 {
		if a.prefixes == nil {
			a.prefixes = []ring.Prefix{}
		}
		list(c, &a.prefixes, maxPrefixes, c.prefix)
	}
	c.marks(&a.marks, 2*MaxRuns)
}

func (c *coder) prefix(p *ring.Prefix, _ ring.Prefix) {
	p.Len = uint8(c.count(int(p.Len), ring.MaxPrefix))
	if c.fixed64(&p.Bits); !p.Valid() {
		c.fail()
	}
}

// cursor codes a place in the bucket of items. The empty one is before or behind all.
func (c *coder) cursor(v *[]byte) {
	c.bytes(v, maxCursor)
	if _, _, ok := splitItemKey(*v); len(*v) > 0 && !ok {
		c.fail()
	}
}

func (a *answer) code(c *coder) {
	c.shard(&a.shard)
	c.fixed64(&a.id)
	c.number(&a.chunk)
	c.fixed64(&a.start)
	if a.chunk == 0 {
		c.marks(&a.marks, MaxRuns)
	}
	list(c, &a.items, maxMessage, c.stamped)
	c.cursor(&a.next)
	c.bytes(&a.extra, MaxExtra)
}

func (o *offer) code(c *coder) {
	c.shard(&o.shard)
	c.fixed64(&o.id)
}

func (m *covered) code(c *coder) {
	c.shard(&m.shard)
	c.fixed64(&m.id)
	c.marks(&m.marks, 2*MaxRuns)
}

// item codes an item. An empty domain stands for that of the last one.
func (c *coder) item(i *Item, last Item) {
	d := i.Domain
	if d == last.Domain {
		d = ""
	}
	if text(c, &d, MaxDomain); d == "" {
		d = last.Domain
	}
	i.Domain = d
	text(c, &i.Key, MaxKey)
	if c.bytes(&i.Value, MaxValue); !i.Valid() {
		c.fail()
	}
}

// stamped codes an item and its stamp. The run is left out if it is that of the last one.
func (c *coder) stamped(i *stamped, last stamped) {
	c.item(&i.Item, last.Item)
	n := i.stamp.N << 1
	if i.stamp.Run != last.stamp.Run {
		n |= 1
	}
	if c.uvarint(&n, maxNumber<<1|1); n&1 != 0 {
		c.run(&i.stamp.Run)
	} else {
		i.stamp.Run = last.stamp.Run
	}
	i.stamp.N = n >> 1
}
