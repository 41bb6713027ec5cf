package frontier

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"time"

	"github.com/forage-net/forage/crawl"
)

// giver answers one request for what is wanted.
type giver struct {
	b       *buckets
	gap     func(*domainRecord) time.Duration // as this log keeps it now
	now     int64
	room    int // bytes that the answer may still get
	reading int // bytes that may still be read to be compared
	given   []copyGiven
}

const (
	// givenBytes, pairBytes and keyBytes are about what a copyGiven and a pair take in an
	// answer beside their bytes, and what it takes to read a key.
	givenBytes = 16
	pairBytes  = 8
	keyBytes   = 32
)

// give goes through the wants until the answer is long enough.
func (g *giver) give(wants []copyWant) []copyGiven {
	for i := range wants {
		if !g.giveWant(uint16(i), &wants[i]) {
			break
		}
	}
	return g.given
}

// giveWant gives what is wanted of a domain, and reports whether it was all.
func (g *giver) giveWant(i uint16, w *copyWant) bool {
	from, ranges := w.From, w.Ranges
	for part := w.Part; part < w.behind(); part++ {
		for len(ranges) > 0 && ranges[0].Part == part {
			r := ranges[0]
			if ranges = ranges[1:]; g.isSame(part, w, from, r) {
				g.add(copyGiven{Want: i, Part: part, End: r.End, Same: true})
			} else if !g.givePairs(i, part, w, from, r.End) {
				return false
			}
			if from = r.End; g.isFull() {
				return false
			}
		}
		if w.Short && len(ranges) == 0 {
			return false
		}
		if part == partRecord {
			return g.giveRecord(i, w.Name)
		}
		if !g.givePairs(i, part, w, from, nil) {
			return false
		}
		from = nil
	}
	return true
}

// isFull reports whether there is no room for another item. The first has room anyway.
func (g *giver) isFull() bool { return len(g.given) > 0 && (g.room <= 0 || g.reading <= 0) }

// add adds to the answer. Ranges that are the same become one.
func (g *giver) add(n copyGiven) {
	if last := len(g.given) - 1; last >= 0 && n.Same {
		if l := &g.given[last]; l.Same && l.Want == n.Want && l.Part == n.Part {
			l.End = n.End
			return
		}
	}
	g.room -= givenBytes + len(n.End)
	g.given = append(g.given, n)
}

// isSame reports whether a range has the sum it has for the one that asks.
func (g *giver) isSame(part copyPart, w *copyWant, from []byte, r copyRange) bool {
	s := newRangeSummer()
	part.walk(g.b, w.prefix(), from, r.End, func(key, value []byte) bool {
		g.reading -= keyBytes + len(key) + len(value)
		s.add(key, value)
		return s.keys <= rangeKeys+1
	})
	return bytes.Equal(s.sum(), r.Sum)
}

// givePairs gives the pairs of an interval, and reports whether it was all.
func (g *giver) givePairs(i uint16, part copyPart, w *copyWant, from, end []byte) bool {
	prefix := w.prefix()
	n := copyGiven{Want: i, Part: part}
	all := part.walk(g.b, prefix, from, end, func(key, value []byte) bool {
		if part == partHolds {
			at, _ := g.b.clock(key)
			value = encodeWait(at, g.now)
		}
		if !part.valid(key, value) {
			return true // Repair drops it
		}
		rest := key[len(prefix):]
		if (len(g.given) > 0 || len(n.Pairs) > 0) && g.room < pairBytes+len(rest)+len(value) {
			n.End = bytes.Clone(rest)
			return false
		}
		g.room -= pairBytes + len(rest) + len(value)
		n.Pairs = append(n.Pairs, copyPair{Key: bytes.Clone(rest), Value: bytes.Clone(value)})
		return true
	})
	if all {
		n.End = end
	} else if len(n.Pairs) == 0 && string(n.End) == string(from) {
		return false // nothing fits any more
	}
	g.add(n)
	return all
}

// giveRecord gives what ends a domain, and reports whether there is room for another. Who copies a log
// need not know how polite it has become.
func (g *giver) giveRecord(i uint16, name crawl.Domain) bool {
	n := copyGiven{Want: i, Part: partRecord}
	at, clocked := g.b.clock([]byte(name))
	if raw := g.b.domains.Get([]byte(name)); raw != nil {
		if d, ok := readCopied(raw); ok {
			at = max(at, g.now+int64(g.gap(&d)))
			n.Pairs = append(n.Pairs, copyPair{Key: []byte(recordKey), Value: bytes.Clone(raw)})
			g.room -= pairBytes + len(raw)
		}
	}
	if clocked {
		n.Pairs = append(n.Pairs, copyPair{Key: []byte(waitKey), Value: encodeWait(at, g.now)})
		g.room -= pairBytes + 8
	}
	g.add(n)
	return !g.isFull()
}

// walk calls fn for the keys of a part from one on until end, or its end if that is
// empty, and reports whether fn has not ended it. The keys are whole; from and end
// are without prefix.
func (p copyPart) walk(b *buckets, prefix, from, end []byte, fn func(key, value []byte) bool) bool {
	bucket := p.bucket(b)
	if bucket == nil {
		return true
	}
	c := bucket.Cursor()
	start := append(bytes.Clone(prefix), from...)
	for key, value := c.Seek(start); key != nil && bytes.HasPrefix(key, prefix); key, value = c.Next() {
		if len(end) > 0 && bytes.Compare(key[len(prefix):], end) >= 0 {
			break
		}
		if !fn(key, value) {
			return false
		}
	}
	return true
}

// rangeSum is the length of the sum of a range. A collision keeps one range of a copy
// from being right.
const rangeSum = 16

// rangeSummer computes the sum of a range.
type rangeSummer struct {
	h     hash.Hash
	keys  int
	bytes int
}

func newRangeSummer() *rangeSummer { return &rangeSummer{h: sha256.New()} }

func (s *rangeSummer) add(key, value []byte) {
	s.keys++
	s.bytes += len(key) + len(value)
	hashPair(s.h, key, value)
}

func (s *rangeSummer) sum() []byte { return s.h.Sum(nil)[:rangeSum] }
