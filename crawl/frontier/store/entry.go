package store

import (
	"encoding/binary"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// entry is what the bucket domains has of a domain: one value, because most of it is read and written together. A part
// that is not there is empty. If an entry cannot be read, all its parts are empty.
type entry [4][]byte

// The parts of an entry.
const (
	partIndexed = iota // how far the indexes are
	partStand          // where the domain stands in the orders of time
	partCounts         // its summary
	partPlace          // its Place
)

// maxPart bounds a part in bytes.
const maxPart = 1 << 16

func readEntry(tx *storage.Tx, d crawl.Domain) (e entry) {
	r := unpacker{rest: tx.Bucket(bucketDomains).Get([]byte(d))}
	for i := range e {
		e[i] = r.bytes(int(r.uint(maxPart)))
	}
	if !r.ok() {
		return entry{}
	}
	return e
}

func (e *entry) put(tx *storage.Tx, d crawl.Domain) error {
	b := make([]byte, 0, 128)
	for _, part := range e {
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
	}
	return tx.Bucket(bucketDomains).Put([]byte(d), b)
}

// indexed says how far the indexes of a domain are, empty if it has none.
type indexed []byte

// The first byte of an indexed.
const (
	stateBuilt      = 0
	stateBuilding   = 1 // the key follows at which Build goes on
	stateForgetting = 2
)

func stateOf(tx *storage.Tx, d crawl.Domain) indexed {
	e := readEntry(tx, d)
	return e.state()
}

func (e *entry) state() indexed { return e[partIndexed] }

// Facts are what a node that leads a domain keeps of it beside its items.
type Facts struct {
	Indexed bool // the indexes are complete
	Place   Place
	Counts  Counts
}

// ReadFacts returns the facts of a domain.
func ReadFacts(tx *storage.Tx, d crawl.Domain) (f Facts, err error) {
	e := readEntry(tx, d)
	s, err := e.summary(d)
	if err != nil {
		return f, err
	}
	f.Indexed, f.Counts = e.state().is(stateBuilt), s.Counts
	f.Place, err = e.place(d)
	return f, err
}

// Indexed reports whether the indexes of a domain are complete.
func Indexed(tx *storage.Tx, d crawl.Domain) bool { return stateOf(tx, d).is(stateBuilt) }

func (s indexed) is(first byte) bool { return len(s) > 0 && s[0] == first }

// covers reports whether the indexes hold an item with the key, if there is one.
func (s indexed) covers(key string) bool {
	return s.is(stateBuilt) || s.is(stateBuilding) && key < string(s[1:])
}
