package store

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// Counts are the sums over the items of a domain. Each counts URLs, except Received.
type Counts struct {
	Known      uint64
	Queued     uint64 // waiting for their first visit
	Unverified uint64
	Fetched    uint64
	Duplicates uint64 // of Fetched
	Failed     uint64 // given up
	Forbidden  uint64
	Other      uint64 // done with but none of these: gone, redirected, not text
	Gone       uint64 // of Other: answers like 404, unless only other domains link there
	Foreign    uint64 // of Known: links of other domains brought them
	Revisiting uint64 // to be visited again some day
	Received   uint64 // bytes of the last visits
}

// Totals are Counts over all domains that have indexes.
type Totals struct {
	Counts
	Domains uint64
	Parked  uint64 // of Queued: of domains that have retired
}

// fields lists the counts in the order of their place on disk.
func (c *Counts) fields() [12]*uint64 {
	return [...]*uint64{&c.Known, &c.Queued, &c.Unverified, &c.Fetched, &c.Duplicates, &c.Failed, &c.Forbidden,
		&c.Other, &c.Gone,
		&c.Foreign, &c.Revisiting, &c.Received}
}

// change adds by times o; by is 1 or ^0, which takes o away.
func (c *Counts) change(o *Counts, by uint64) {
	from := o.fields()
	for i, n := range c.fields() {
		*n += by * *from[i]
	}
}

// summary is what indexes hold of a domain as a whole.
type summary struct {
	Counts
	until int64 // Answer.Until of the record
}

func (s *summary) parked() uint64 {
	if s.until == 0 {
		return 0
	}
	return s.Queued
}

func encodeNumbers(numbers ...uint64) []byte {
	b := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// decodeNumbers is the reverse of encodeNumbers.
func decodeNumbers(b []byte, first []*uint64, rest []*uint64) error {
	r := unpacker{rest: b}
	for _, n := range first {
		*n = r.uint(1<<64 - 1)
	}
	for _, n := range rest {
		*n = r.uint(1<<64 - 1)
	}
	if !r.ok() {
		return invalid("counts", len(b))
	}
	return nil
}

func (s *summary) encode() []byte {
	numbers := append(make([]uint64, 0, 16), uint64(s.until))
	for _, n := range s.fields() {
		numbers = append(numbers, *n)
	}
	return encodeNumbers(numbers...)
}

func (s *summary) decode(b []byte) error {
	var until uint64
	fields := s.fields()
	err := decodeNumbers(b, []*uint64{&until}, fields[:])
	s.until = int64(until)
	return err
}

// totalsKey is the place of Totals among the domains, which have no zero byte.
var totalsKey = []byte{0}

// ReadTotals returns the counts over all domains that have indexes.
func ReadTotals(tx *storage.Tx) (t Totals, err error) {
	value := tx.Bucket(bucketDomains).Get(totalsKey)
	if value == nil {
		return t, nil
	}
	fields := t.fields()
	if err := decodeNumbers(value, []*uint64{&t.Domains, &t.Parked}, fields[:]); err != nil {
		return t, fmt.Errorf("read totals: %w", err)
	}
	return t, nil
}

// ReadCounts returns the counts of a domain; they are zero if it has no indexes.
func ReadCounts(tx *storage.Tx, d crawl.Domain) (Counts, error) {
	s, err := readSummary(tx, d)
	return s.Counts, err
}

func readSummary(tx *storage.Tx, d crawl.Domain) (summary, error) {
	e := readEntry(tx, d)
	return e.summary(d)
}

func (e *entry) summary(d crawl.Domain) (s summary, err error) {
	if len(e[partCounts]) == 0 {
		return s, nil
	}
	if err := s.decode(e[partCounts]); err != nil {
		return s, fmt.Errorf("read counts of %s: %w", d, err)
	}
	return s, nil
}

// putTotalsOf changes the totals by the difference of two summaries of a domain.
func putTotalsOf(tx *storage.Tx, old, s *summary) error {
	if *old == *s {
		return nil
	}
	t, err := ReadTotals(tx)
	if err != nil {
		return err
	}
	t.Counts.change(&old.Counts, ^uint64(0))
	t.Counts.change(&s.Counts, 1)
	t.Parked += s.parked() - old.parked()
	return putTotals(tx, &t)
}

func putTotals(tx *storage.Tx, t *Totals) error {
	numbers := append(make([]uint64, 0, 16), t.Domains, t.Parked)
	for _, n := range t.fields() {
		numbers = append(numbers, *n)
	}
	return tx.Bucket(bucketDomains).Put(totalsKey, encodeNumbers(numbers...))
}

// shapeClasses is how many classes of URLs are counted for each path: those with two, three, and more parameters.
const shapeClasses = 3

// shapeOf returns the place where URLs of one path with several parameters are counted; nil if u has fewer than two.
func shapeOf(d crawl.Domain, u crawl.URL) (key []byte, class int) {
	path, query, _ := strings.Cut(u.Path(), "?")
	if class = strings.Count(query, "&") - 1; class < 0 {
		return nil, 0
	}
	hash := bloom.HashOf(u.Host() + path)
	return within(d, string(hash[:hashSize])), min(class, shapeClasses-1)
}

// shapeCounts are the counts of one path.
type shapeCounts [shapeClasses]uint32

func readShape(b []byte) (s shapeCounts) {
	if len(b) == 4*shapeClasses {
		for i := range s {
			s[i] = binary.BigEndian.Uint32(b[4*i:])
		}
	}
	return s
}

func (s shapeCounts) encode() []byte {
	var b []byte
	for _, n := range s {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return b
}
