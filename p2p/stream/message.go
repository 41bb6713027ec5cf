package stream

import (
	"cmp"
	"fmt"
	"math"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/ring"
)

// message is what travels between two Streams: a commit, ack, ask, answer or spare.
type message interface {
	// kind is its first byte. The numbers are part of the protocol.
	kind() byte
	// write writes what follows.
	write(*codec.Writer)
}

func (*commit) kind() byte { return 1 }
func (*ack) kind() byte    { return 2 }
func (*ask) kind() byte    { return 3 }
func (*answer) kind() byte { return 4 }
func (*spare) kind() byte  { return 5 }

const (
	// chunkSize is what a commit holds in bytes, and at most a chunk of a pull and what a leader sends without
	// an acknowledgement: less where the link is slow (pace). Halved, far peers get less through; doubled, a
	// message holds up others for longer.
	chunkSize = 256 << 10
	// maxMessage bounds a message: a chunk, an item beyond it, marks and what goes with the last one.
	maxMessage = 512 << 10
	// maxPrefixes is how many prefixes a pull may name.
	maxPrefixes = 4096
	// MaxExtra bounds what a group adds to the last chunk of a pull, in bytes.
	MaxExtra  = 64 << 10
	maxCursor = MaxDomain + 1 + MaxKey
)

// commit is what a leader stored under one number. Without items it is a head: it tells where the run stands.
type commit struct {
	shard Shard
	term  Term
	run   Run
	n     uint64 // of a head: the last number
	first uint64 // of a head: the first number that the leader can send
	items []Item
}

func (m *commit) isHead() bool { return len(m.items) == 0 }

// ack says what a follower has of a run, and what else its marks hold.
type ack struct {
	shard Shard
	run   Run
	next  uint64 // the first number that it lacks; 0: it has no mark of the run
	sum   uint32
}

// ask is the request for one chunk of a pull.
type ask struct {
	shard    Shard
	id       uint64
	chunk    uint64
	term     Term
	room     uint64 // bytes of items that the answer may have
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
	marks Marks  // those of chunk 0 count
	items []stamped
	next  []byte // the cursor of the next chunk; empty: this is the last
	extra []byte
}

// spare is about a former member's copy. From that member, without marks, it is an offer. From the leader it
// says that the line has what these marks have.
type spare struct {
	shard Shard
	marks Marks
}

// encode returns the bytes of a message.
func encode(m message) []byte {
	w := &codec.Writer{B: append(make([]byte, 0, 128), m.kind())}
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
	kind, s := r.Byte(), Shard(r.Text(maxShard))
	if !s.valid() {
		r.Fail()
	}
	switch kind {
	case 1:
		c := &commit{shard: s, term: readTerm(r), run: readRun(r), n: r.UpTo(maxNumber)}
		var last Item
		c.items = codec.ReadList(r, maxMessage, func() Item { last = readItem(r, last.Domain); return last })
		if c.isHead() {
			c.first = r.UpTo(maxNumber)
		}
		return c
	case 2:
		run, n, sum := readRun(r), r.UpTo(maxNumber), r.UpTo(math.MaxUint32)
		return &ack{s, run, n, uint32(sum)}
	case 3:
		a := &ask{shard: s, id: r.Fixed(), chunk: r.UpTo(maxNumber), term: readTerm(r), room: r.UpTo(chunkSize),
			cursor: readCursor(r)}
		a.prefixes, a.marks = codec.ReadList(r, maxPrefixes, r.Prefix), ReadMarks(r)
		return a
	case 4:
		a := &answer{shard: s, id: r.Fixed(), chunk: r.UpTo(maxNumber), start: r.Fixed(), marks: ReadMarks(r)}
		var last Item
		a.items = codec.ReadList(r, maxMessage, func() stamped {
			last = readItem(r, last.Domain)
			return stamped{last, Stamp{readRun(r), r.UpTo(maxNumber)}}
		})
		a.next, a.extra = readCursor(r), r.Bytes(MaxExtra)
		return a
	case 5:
		return &spare{s, ReadMarks(r)}
	}
	r.Fail()
	return nil
}

func (m *commit) write(w *codec.Writer) {
	w.Text(string(m.shard))
	m.term.write(w)
	w.Fixed(uint64(m.run))
	w.Uint(m.n)
	var last crawl.Domain
	codec.WriteList(w, m.items, func(i Item) { writeItem(w, i, last); last = i.Domain })
	if m.isHead() {
		w.Uint(m.first)
	}
}

func (a *ack) write(w *codec.Writer) {
	w.Text(string(a.shard))
	w.Fixed(uint64(a.run))
	w.Uint(a.next)
	w.Uint(uint64(a.sum))
}

func (a *ask) write(w *codec.Writer) {
	w.Text(string(a.shard))
	w.Fixed(a.id)
	w.Uint(a.chunk)
	a.term.write(w)
	w.Uint(a.room)
	w.Bytes(a.cursor)
	codec.WriteList(w, a.prefixes, w.Prefix)
	a.marks.Write(w)
}

func (a *answer) write(w *codec.Writer) {
	w.Text(string(a.shard))
	w.Fixed(a.id)
	w.Uint(a.chunk)
	w.Fixed(a.start)
	a.marks.Write(w)
	var last crawl.Domain
	codec.WriteList(w, a.items, func(i stamped) {
		writeItem(w, i.Item, last)
		last = i.Domain
		w.Fixed(uint64(i.stamp.Run))
		w.Uint(i.stamp.N)
	})
	w.Bytes(a.next)
	w.Bytes(a.extra)
}

func (m *spare) write(w *codec.Writer) {
	w.Text(string(m.shard))
	m.marks.Write(w)
}

// readCursor reads a place in the bucket of items. The empty one is before or behind all.
func readCursor(r *codec.Reader) []byte {
	c := r.Bytes(maxCursor)
	if _, _, ok := splitItemKey(c); len(c) > 0 && !ok {
		r.Fail()
	}
	return c
}

// writeItem writes an item. An empty domain stands for the one before it.
func writeItem(w *codec.Writer, i Item, before crawl.Domain) {
	if i.Domain == before {
		w.Text("")
	} else {
		w.Text(string(i.Domain))
	}
	w.Text(i.Key)
	w.Bytes(i.Value)
}

func readItem(r *codec.Reader, before crawl.Domain) Item {
	i := Item{Domain: cmp.Or(crawl.Domain(r.Text(MaxDomain)), before), Key: r.Text(MaxKey), Value: r.Bytes(MaxValue)}
	if !isValid(i) {
		r.Fail()
	}
	return i
}
