package roster

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/signed"
)

// MaxSummary is the size of the largest summary in bytes: some 1,700 members.
const MaxSummary = 32 << 10

// A summary is, in bytes:
//
//	kind, 1 · tag, 4 · first and last hash it covers, 8 each, big-endian
//	for each member, by rising hash: hash, 8 · start of its record's SHA-256, 4 ·
//	sequence times 4 plus flags, uvarint
//
// The sequence is 0 if there is only an out note, without record.
const (
	summaryHead = 1 + signed.TagSize + 8 + 8
	lineMax     = 8 + 4 + binary.MaxVarintLen64
	minSummary  = summaryHead + lineMax

	flagOut   = 1 // the record has been ended
	flagQuiet = 2 // of interest only to who has an older record
)

// line is one member in a summary.
type line struct {
	hash  uint64
	start uint32 // of the record's hash, big-endian: orders as the hash does
	seq   uint64
	out   bool
	quiet bool
}

func (p placed) line() line {
	l := line{hash: p.hash, out: p.note != nil, quiet: !p.standing.matters()}
	if p.rec != nil {
		l.seq, l.start = p.rec.seq, binary.BigEndian.Uint32(p.rec.hash[:4])
	}
	return l
}

// newer tells whether a record replaces the other's; as item.newer.
func (l line) newer(than line) bool {
	return l.seq > than.seq || (l.seq == than.seq && l.start < than.start)
}

// fewTold is how many members a peer is told of that is none: it asks them for work, and to vouch for it.
const fewTold = 16

// tellsAll reports whether a peer is told of all: it is admitted, or no member owns domains yet. Newcomers of one
// moment hear of each other by the latter, or each would found a network.
func (v *view) tellsAll(to peer.ID) bool {
	return v.admission.of[to] || !slices.ContainsFunc(v.byHash, v.isMember)
}

// isMember reports whether an entry is of an admitted member that owns domains.
func (v *view) isMember(p placed) bool { return p.standing == owning && v.admission.of[p.id] }

// TellsAll reports whether a peer is told of all members, or of few.
func (s *Set) TellsAll(to peer.ID) bool { return s.current().tellsAll(to) }

// told returns what a peer is told of, by hash: all, or few members that own domains, and itself. Which ones follows
// from the peer's own hash: it hears of no more by asking again, or another member.
func (v *view) told(to, self peer.ID) []placed {
	if to == self || v.tellsAll(to) {
		return v.byHash
	}
	var few []placed
	left := fewTold
	for i, at := 0, v.search(hashOf(to)); i < len(v.byHash) && left > 0; i++ {
		p := v.byHash[(at+i)%len(v.byHash)]
		member := v.isMember(p)
		if member {
			left--
		}
		if member || p.id == to {
			few = append(few, p)
		}
	}
	slices.SortFunc(few, func(a, b placed) int { return cmp.Compare(a.hash, b.hash) })
	return few
}

// Summary describes to a peer the members whose hashes are from and above, as many as fit into
// maxBytes: at least one, at most what MaxSummary holds. Unless done, the next range
// begins with next. Begin with 0, or anywhere.
func (s *Set) Summary(to peer.ID, from uint64, maxBytes int) (data []byte, next uint64, done bool) {
	return s.summary(to, from, maxBytes, false)
}

// AskingSummary is a Summary that tells of this node's own record as if it were its first: who has any other sends it.
func (s *Set) AskingSummary(to peer.ID, from uint64, maxBytes int) (data []byte, next uint64, done bool) {
	return s.summary(to, from, maxBytes, true)
}

func (s *Set) summary(to peer.ID, from uint64, maxBytes int, asks bool) (data []byte, next uint64, done bool) {
	maxBytes = min(max(maxBytes, minSummary), MaxSummary)
	list := s.current().told(to, s.cfg.Self)
	b := make([]byte, summaryHead, maxBytes)
	b[0] = kindSummary
	copy(b[1:], s.tag[:])
	binary.BigEndian.PutUint64(b[1+signed.TagSize:], from)
	last := uint64(math.MaxUint64)
	for _, p := range list[search(list, from):] {
		if len(b)+lineMax > maxBytes {
			next, last = p.hash, p.hash-1
			break
		}
		l := p.line()
		if asks && l.seq > 0 && p.id == s.cfg.Self {
			l.seq, l.start = 1, math.MaxUint32
		}
		b = l.append(b)
	}
	binary.BigEndian.PutUint64(b[1+signed.TagSize+8:], last)
	return b, next, last == math.MaxUint64
}

func (l line) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, l.hash)
	b = binary.BigEndian.AppendUint32(b, l.start)
	n := l.seq << 2
	if l.out {
		n |= flagOut
	}
	if l.quiet {
		n |= flagQuiet
	}
	return binary.AppendUvarint(b, n)
}

func (v *view) search(hash uint64) int { return search(v.byHash, hash) }

// search returns the index of the first entry with a hash or above.
func search(list []placed, hash uint64) int {
	i, _ := slices.BinarySearchFunc(list, hash, func(p placed, h uint64) int { return cmp.Compare(p.hash, h) })
	return i
}

// Missing compares a peer's summary with what it may know of this Set. It returns items that the
// other lacks or has older ones of, at most maxItems and maxBytes together. If not all fit, which
// ones come first is left to chance, so that items the other keeps refusing do
// not stand in the way of the rest. Fetchers and the long gone are only sent to
// who has an older record of them. The items are shared: read them only. Errors
// are ErrInvalid and ErrForeign.
func (s *Set) Missing(to peer.ID, summary []byte, maxItems, maxBytes int) (items [][]byte, err error) {
	first, last, theirs, err := decodeSummary(s.tag, summary)
	if err != nil {
		return nil, err
	}
	mine := s.current().told(to, s.cfg.Self)
	if last < math.MaxUint64 {
		mine = mine[:search(mine, last+1)]
	}
	mine = mine[search(mine, first):]
	if len(mine) == 0 {
		return nil, nil
	}
	start := rand.IntN(len(mine))
	for i := range mine {
		for _, raw := range lacking(mine[(start+i)%len(mine)], theirs) {
			if len(items) == maxItems || len(raw) > maxBytes {
				return items, nil
			}
			items = append(items, raw)
			maxBytes -= len(raw)
		}
	}
	return items, nil
}

// lacking returns the items of a member that who sent the lines should get.
func lacking(p placed, lines []line) (items [][]byte) {
	mine := p.line()
	i, found := findLine(lines, p.hash)
	if !found && mine.quiet {
		return nil
	}
	var theirs line
	if found {
		theirs = lines[i]
	}
	if p.rec != nil && mine.newer(theirs) {
		items = append(items, p.rec.raw)
	}
	if p.note != nil && !theirs.out && p.note.seq >= theirs.seq {
		items = append(items, p.note.raw)
	}
	return items
}

func findLine(lines []line, hash uint64) (int, bool) {
	return slices.BinarySearchFunc(lines, hash, func(l line, h uint64) int { return cmp.Compare(l.hash, h) })
}

// decodeSummary reads a summary of a network.
func decodeSummary(network signed.Tag, data []byte) (first, last uint64, lines []line, err error) {
	if len(data) < summaryHead || len(data) > MaxSummary || data[0] != kindSummary {
		return 0, 0, nil, invalid("summary of %d bytes", len(data))
	}
	if signed.Tag(data[1:1+signed.TagSize]) != network {
		return 0, 0, nil, ErrForeign
	}
	c := signed.Cursor{Rest: data[1+signed.TagSize:]}
	first, last = binary.BigEndian.Uint64(c.Take(8)), binary.BigEndian.Uint64(c.Take(8))
	if first > last {
		return 0, 0, nil, invalid("summary from %016x to %016x", first, last)
	}
	least, spent := first, false
	for len(c.Rest) > 0 {
		l, ok := decodeLine(&c)
		if !ok || spent || l.hash < least || l.hash > last {
			return 0, 0, nil, invalid("summary line %d", len(lines))
		}
		lines = append(lines, l)
		least, spent = l.hash+1, l.hash == math.MaxUint64
	}
	return first, last, lines, nil
}

func decodeLine(c *signed.Cursor) (l line, ok bool) {
	head := c.Take(12)
	n := c.Uvarint()
	if c.Bad {
		return line{}, false
	}
	l.hash, l.start = binary.BigEndian.Uint64(head), binary.BigEndian.Uint32(head[8:])
	l.seq, l.out, l.quiet = n>>2, n&flagOut != 0, n&flagQuiet != 0
	return l, l.seq <= MaxSeq && (l.seq > 0 || l.out)
}
