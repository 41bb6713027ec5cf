package ledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/warc"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// keySize is how much of a sum is the key of its record. What the archive says of a capture tells if it is the one.
const keySize = 12

// freshDigests is how many payloads are noted together at most. Twice as many take twice the memory, 0.2 kB each, and
// half as often a transaction that writes as many pages of the store, 16 MB at most.
const freshDigests = 4096

// digest is the SHA-1 sum of a payload.
type digest = [20]byte

// firstCapture notes where a payload was archived first.
type firstCapture struct {
	_      struct{} `cbor:",toarray"`
	Digest digest
	At     place
}

// place is where a response is in the archive.
type place struct {
	file   string
	offset int64
}

func (p place) position() capture.Position {
	return capture.Position{File: p.file, RecordOffset: p.offset}
}

// read returns what the archive says of a payload's first capture. One whose file is gone, or that nobody could read,
// must not stand for another.
func (p place) read(files *warc.Archive, sum digest) (capture.Stored, bool) {
	c, err := files.Head(p.position())
	return c, err == nil && isFirst(&c, sum[:])
}

// isFirst reports whether a capture holds the payload itself, and the payload's digest begins with sum.
func isFirst(c *capture.Stored, sum []byte) bool {
	return c.Revisit == nil && bytes.HasPrefix(c.PayloadDigest[:], sum)
}

// MarshalBinary implements encoding.BinaryMarshaler: the numbers of the file's name and the offset, as uvarints. There
// is one for each page.
func (p place) MarshalBinary() (b []byte, err error) {
	n, ok := warcfile.ParseName(p.file)
	if !ok {
		return nil, fmt.Errorf("%q is no archive file", p.file)
	}
	stamp, err := strconv.ParseUint(n.Stamp, 10, 64)
	tag, terr := strconv.ParseUint(n.Tag, 16, 64)
	for _, x := range []uint64{stamp, n.Serial, tag, uint64(p.offset)} {
		b = binary.AppendUvarint(b, x)
	}
	return b, errors.Join(err, terr)
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler.
func (p *place) UnmarshalBinary(b []byte) error {
	var numbers [4]uint64
	for i := range numbers {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			return errPlace
		}
		numbers[i], b = n, b[size:]
	}
	stamp, tag := fmt.Sprintf("%014d", numbers[0]), fmt.Sprintf("%08x", numbers[2])
	*p = place{warcfile.Name{Stamp: stamp, Serial: numbers[1], Tag: tag}.String(), int64(numbers[3])}
	if _, ok := warcfile.ParseName(p.file); !ok || len(b) > 0 || p.offset < 0 {
		return errPlace
	}
	return nil
}

var errPlace = errors.New("no place in the archive")

// digests knows where each payload was archived first. Sums lie at random places of their bucket, so that each of a
// commit would have a page of the store written. What is new is therefore kept together, one record for each commit,
// and in memory, until it is brought to its places, all at once.
type digests struct {
	db  *storage.DB
	log *slog.Logger

	mu    sync.Mutex
	fresh map[digest]place
}

// openDigests reads what is kept together. A record of it that is damaged is as if it were not there: such payloads are
// stored in full once more.
func openDigests(db *storage.DB, log *slog.Logger) (*digests, error) {
	d := &digests{db: db, log: log, fresh: make(map[digest]place)}
	err := db.View(func(tx *storage.Tx) error {
		for _, raw := range freshRecords(tx.Bucket(storage.BucketDigests)) {
			var list []firstCapture
			if err := cbor.Unmarshal(raw, &list); err != nil {
				log.Warn("Note of digests is damaged; what it is about is stored in full again", "error", err)
				continue
			}
			for _, f := range list {
				d.fresh[f.Digest] = f.At
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read digests: %w", err)
	}
	return d, nil
}

// freshKey is the key of what the n-th commit has noted. It sorts before all sums that there will ever be.
func freshKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func isFreshKey(key []byte) bool { return len(key) == 8 }

// freshRecords yields the records of what is kept together, with their keys.
func freshRecords(b *storage.Bucket) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, raw []byte) bool) {
		c := b.Cursor()
		none := make([]byte, 4) // a number of commits has no more than 32 bits
		for key, raw := c.First(); bytes.HasPrefix(key, none); key, raw = c.Next() {
			if isFreshKey(key) && !yield(key, raw) {
				return
			}
		}
	}
}

// get returns where the first capture of a payload may be.
func (d *digests) get(sum digest) (at place, ok bool) {
	d.mu.Lock()
	at, ok = d.fresh[sum]
	d.mu.Unlock()
	if ok {
		return at, true
	}
	err := d.db.View(func(tx *storage.Tx) error {
		raw := tx.Bucket(storage.BucketDigests).Get(sum[:keySize])
		if raw == nil {
			return nil
		}
		ok = true
		return at.UnmarshalBinary(raw)
	})
	if err != nil {
		d.log.Warn("Digest record is damaged; the page is stored in full", "error", err)
		return at, false
	}
	return at, ok
}

// add notes captures in a transaction. Their files are on disk.
func (d *digests) add(tx *storage.Tx, list []firstCapture) error {
	if len(list) == 0 {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	b := tx.Bucket(storage.BucketDigests)
	if len(d.fresh)+len(list) > freshDigests {
		return d.place(tx, b, list)
	}
	n, err := b.NextSequence()
	if err != nil {
		return err
	}
	raw, err := cbor.Marshal(list)
	if err != nil {
		return err
	}
	if err := b.Put(freshKey(n), raw); err != nil {
		return err
	}
	for _, f := range list {
		d.fresh[f.Digest] = f.At // true even if the transaction comes to nothing
	}
	return nil
}

// place brings what is kept together, and list, to its places.
func (d *digests) place(tx *storage.Tx, b *storage.Bucket, list []firstCapture) error {
	all := maps.Clone(d.fresh)
	for _, f := range list {
		all[f.Digest] = f.At
	}
	sums := slices.SortedFunc(maps.Keys(all), func(x, y digest) int { return bytes.Compare(x[:], y[:]) })
	for _, sum := range sums {
		raw, err := all[sum].MarshalBinary()
		if err != nil {
			return err
		}
		if err := b.Put(sum[:keySize], raw); err != nil {
			return err
		}
	}
	var over [][]byte
	for key := range freshRecords(b) {
		over = append(over, bytes.Clone(key))
	}
	for _, key := range over {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	tx.OnCommit(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, sum := range sums {
			delete(d.fresh, sum)
		}
	})
	return nil
}
