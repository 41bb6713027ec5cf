package storage

import (
	"encoding/binary"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// What schema 4 knew of an hour was a map of numbers, and that of a longer time has the same keys.
type oldStats map[uint64]uint64

// The keys that tell whether a node helped: pages, redirects, failures, forbidden, unchanged and gone.
var oldAnswers = []uint64{oldPages, 3, 4, 5, 9, 10}

const (
	oldPages = 1
	// oldHours is how many hours are kept, oldEnd the first that cannot be written as a date.
	oldHours = 400 * 24
	oldEnd   = 253402300800 / 3600
)

// newTotals is what schema 5 keeps of all time.
type newTotals struct {
	Counts       oldStats `cbor:"1,keyasint"`
	DaysHelped   uint64   `cbor:"4,keyasint,omitempty"`
	LastDay      uint64   `cbor:"5,keyasint,omitempty"`
	Streak       uint64   `cbor:"6,keyasint,omitempty"`
	BusiestDay   uint64   `cbor:"7,keyasint,omitempty"`
	BusiestPages uint64   `cbor:"8,keyasint,omitempty"`
}

// rollUpStats makes days, years and totals of the hours of schema 4, and drops hours that are 400 days
// older than the last. Hours that cannot be read stay where they are, for doctor to find.
func rollUpStats(tx *Tx) error {
	b := tx.Bucket(BucketStats)
	days, years, last, err := sumHours(b)
	if err != nil || len(days.order) == 0 {
		return err
	}
	all := newTotals{Counts: make(oldStats)}
	for _, day := range days.order {
		all.take(day, days.sums[day])
	}
	for _, s := range []struct {
		*sums
		key func(uint64) []byte
	}{
		{days, func(n uint64) []byte { return binary.BigEndian.AppendUint32([]byte{'d'}, uint32(n)) }},
		{years, func(n uint64) []byte { return binary.BigEndian.AppendUint16([]byte{'y'}, uint16(n)) }},
	} {
		for _, n := range s.order {
			if err := putCBOR(b, s.key(n), s.sums.sums[n]); err != nil {
				return err
			}
		}
	}
	if err := putCBOR(b, []byte("all"), &all); err != nil {
		return err
	}
	return dropOldHours(b, last)
}

// take adds a day, which comes after those before.
func (t *newTotals) take(day uint64, counts oldStats) {
	t.Counts.add(counts)
	if counts[oldPages] > t.BusiestPages {
		t.BusiestDay, t.BusiestPages = day, counts[oldPages]
	}
	for _, key := range oldAnswers {
		if counts[key] == 0 {
			continue
		}
		if t.DaysHelped == 0 || day != t.LastDay+1 {
			t.Streak = 0
		}
		t.DaysHelped, t.LastDay, t.Streak = t.DaysHelped+1, day, t.Streak+1
		return
	}
}

// sums are by numbers of days or years, in the order of time.
type sums struct {
	order []uint64
	sums  map[uint64]oldStats
}

func (s *sums) add(n uint64, counts oldStats) {
	to := s.sums[n]
	if to == nil {
		to = make(oldStats)
		s.sums[n] = to
		s.order = append(s.order, n)
	}
	to.add(counts)
}

func (o oldStats) add(more oldStats) {
	for key, n := range more {
		o[key] += n
	}
}

// sumHours reads all hours once; last is the number of the last.
func sumHours(b *Bucket) (days, years *sums, last uint64, err error) {
	days, years = &sums{sums: make(map[uint64]oldStats)}, &sums{sums: make(map[uint64]oldStats)}
	err = b.ForEach(func(key, raw []byte) error {
		hour, ok := oldHour(key)
		var counts oldStats
		if !ok || cbor.Unmarshal(raw, &counts) != nil {
			return nil
		}
		last = hour
		days.add(hour/24, counts)
		years.add(uint64(time.Unix(int64(hour)*3600, 0).UTC().Year()), counts)
		return nil
	})
	return days, years, last, err
}

func oldHour(key []byte) (hour uint64, ok bool) {
	if len(key) != 8 {
		return 0, false
	}
	hour = binary.BigEndian.Uint64(key)
	return hour, hour < oldEnd
}

// dropOldHours removes those that are not kept beside the last one.
func dropOldHours(b *Bucket, last uint64) error {
	var old [][]byte
	c := b.Cursor()
	for key, _ := c.First(); key != nil; key, _ = c.Next() {
		hour, ok := oldHour(key)
		if !ok {
			continue
		}
		if hour+oldHours >= last {
			break
		}
		old = append(old, key)
	}
	for _, key := range old {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

func putCBOR(b *Bucket, key []byte, v any) error {
	raw, err := cbor.Marshal(v)
	if err != nil {
		return err
	}
	return b.Put(key, raw)
}
