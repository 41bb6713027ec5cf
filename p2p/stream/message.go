package stream

import (
	"cmp"
	"fmt"
	"math"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/ring"
)

// message is what travels between two Streams: a head, commit, ack, ask, answer, offer or covered.
type message interface {
	// write writes everything but the kind.
	write(*codec.Writer)
}

// The first byte of a message is its kind. The numbers are part of the protocol.
const (
	kindHead    = 1
	kindCommit  = 2
	kindAck     = 3
	kindAsk     = 4
	kindAnswer  = 5
	kindOffer   = 6
	kindCovered = 7
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
	next   uint64 // the first number that it lacks; 0: it has no mark of the run
	behind bool   // it could not take what it was sent
	sum    uint32
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
	w := &codec.Writer{B: make([]byte, 0, 128)}
	switch m.(type) {
	case *head:
		w.Byte(kindHead)
	case *commit:
		w.Byte(kindCommit)
	case *ack:
		w.Byte(kindAck)
	case *ask:
		w.Byte(kindAsk)
	case *answer:
		w.Byte(kindAnswer)
	case *offer:
		w.Byte(kindOffer)
	case *covered:
		w.Byte(kindCovered)
	}
	m.write(w)
	return w.B
}

// parse takes a message apart. Slices share its memory.
func parse(b []byte) (message, error) {
	r := &codec.Reader{B: b}
	if len(b) > maxMessage {
		r.Fail()
	}
	m := read(r)
	if !r.Done() {
		return nil, fmt.Errorf("%d bytes: %w", len(b), errMalformed)
	}
	return m, nil
}

func read(r *codec.Reader) message {
	kind, s := r.Byte(), readShard(r)
	switch kind {
	case kindHead:
		return &head{s, readTerm(r), readRun(r), r.UpTo(maxNumber), r.UpTo(maxNumber)}
	case kindCommit:
		c := &commit{s, readTerm(r), readRun(r), r.UpTo(maxNumber), nil}
		var last Item
		c.items = codec.ReadList(r, maxMessage, func() Item { last = readItem(r, last.Domain); return last })
		if c.n == 0 {
			r.Fail()
		}
		return c
	case kindAck:
		run, n, sum := readRun(r), r.UpTo(maxNumber<<1), r.UpTo(math.MaxUint32)
		return &ack{s, run, n >> 1, n&1 == 1, uint32(sum)}
	case kindAsk:
		a := &ask{shard: s, id: r.Fixed(), chunk: r.UpTo(maxNumber), term: readTerm(r), cursor: readCursor(r)}
		if r.Bool() {
			a.prefixes = append([]ring.Prefix{}, codec.ReadList(r, maxPrefixes, r.Prefix)...)
		}
		a.marks = ReadMarks(r)
		return a
	case kindAnswer:
		a := &answer{shard: s, id: r.Fixed(), chunk: r.UpTo(maxNumber), start: r.Fixed()}
		if a.chunk == 0 {
			a.marks = ReadMarks(r)
		}
		var last stamped
		a.items = codec.ReadList(r, maxMessage, func() stamped { last = readStamped(r, last); return last })
		a.next, a.extra = readCursor(r), r.Bytes(MaxExtra)
		return a
	case kindOffer:
		return &offer{s, r.Fixed()}
	case kindCovered:
		return &covered{s, r.Fixed(), ReadMarks(r)}
	}
	r.Fail()
	return nil
}

func (h *head) write(w *codec.Writer) {
	w.Text(string(h.shard))
	h.term.write(w)
	w.Fixed(uint64(h.run))
	w.Uint(h.n)
	w.Uint(h.first)
}

func (m *commit) write(w *codec.Writer) {
	w.Text(string(m.shard))
	m.term.write(w)
	w.Fixed(uint64(m.run))
	w.Uint(m.n)
	var last crawl.Domain
	codec.WriteList(w, m.items, func(i Item) { i.write(w, last); last = i.Domain })
}

func (a *ack) write(w *codec.Writer) {
	w.Text(string(a.shard))
	w.Fixed(uint64(a.run))
	n := a.next << 1
	if a.behind {
		n |= 1
	}
	w.Uint(n)
	w.Uint(uint64(a.sum))
}

func (a *ask) write(w *codec.Writer) {
	w.Text(string(a.shard))
	w.Fixed(a.id)
	w.Uint(a.chunk)
	a.term.write(w)
	w.Bytes(a.cursor)
	if w.Bool(a.prefixes != nil); a.prefixes != nil {
		codec.WriteList(w, a.prefixes, w.Prefix)
	}
	a.marks.Write(w)
}

func (a *answer) write(w *codec.Writer) {
	w.Text(string(a.shard))
	w.Fixed(a.id)
	w.Uint(a.chunk)
	w.Fixed(a.start)
	if a.chunk == 0 {
		a.marks.Write(w)
	}
	var last stamped
	codec.WriteList(w, a.items, func(i stamped) { i.write(w, last); last = i })
	w.Bytes(a.next)
	w.Bytes(a.extra)
}

func (o *offer) write(w *codec.Writer) {
	w.Text(string(o.shard))
	w.Fixed(o.id)
}

func (m *covered) write(w *codec.Writer) {
	w.Text(string(m.shard))
	w.Fixed(m.id)
	m.marks.Write(w)
}

func readShard(r *codec.Reader) Shard {
	s := Shard(r.Text(maxShard))
	if !s.valid() {
		r.Fail()
	}
	return s
}

func readRun(r *codec.Reader) Run { return Run(r.Fixed()) }

// readCursor reads a place in the bucket of items. The empty one is before or behind all.
func readCursor(r *codec.Reader) []byte {
	c := r.Bytes(maxCursor)
	if _, _, ok := splitItemKey(c); len(c) > 0 && !ok {
		r.Fail()
	}
	return c
}

// write writes an item. An empty domain stands for the one before it.
func (i Item) write(w *codec.Writer, before crawl.Domain) {
	if i.Domain == before {
		w.Text("")
	} else {
		w.Text(string(i.Domain))
	}
	w.Text(i.Key)
	w.Bytes(i.Value)
}

func readItem(r *codec.Reader, before crawl.Domain) Item {
	i := Item{cmp.Or(crawl.Domain(r.Text(MaxDomain)), before), r.Text(MaxKey), r.Bytes(MaxValue)}
	if !i.Valid() {
		r.Fail()
	}
	return i
}

// write writes an item and its stamp. The run is left out if it is that of the one before it.
func (i stamped) write(w *codec.Writer, before stamped) {
	i.Item.write(w, before.Domain)
	if i.stamp.Run == before.stamp.Run {
		w.Bool(false)
	} else {
		w.Bool(true)
		w.Fixed(uint64(i.stamp.Run))
	}
	w.Uint(i.stamp.N)
}

func readStamped(r *codec.Reader, before stamped) stamped {
	i := stamped{readItem(r, before.Domain), before.stamp}
	if r.Bool() {
		i.stamp.Run = readRun(r)
	}
	i.stamp.N = r.UpTo(maxNumber)
	return i
}
