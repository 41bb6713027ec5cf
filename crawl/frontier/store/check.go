package store

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// Check compares the indexes of all domains for which they are complete with the items, and returns the first
// difference. It holds the indexes of one domain in memory.
func Check(tx *storage.Tx, items Reader) error {
	var total Totals
	for d := range Domains(tx, "") {
		s, err := readSummary(tx, d)
		if err != nil {
			return err
		}
		total.Domains++
		total.Counts.change(&s.Counts, 1)
		total.Parked += s.parked()
		if !Indexed(tx, d) {
			continue
		}
		if err := checkDomain(tx, items, d, &s); err != nil {
			return fmt.Errorf("indexes of %s: %w", d, err)
		}
	}
	for _, o := range []Order{Due, Calendar} {
		for m, at := range InOrder(tx, o, "") {
			if !DueTime(tx, m.Domain()).Equal(at) {
				return fmt.Errorf("%s stands at %s, too", m.Domain(), at)
			}
		}
	}
	got, err := ReadTotals(tx)
	if err == nil && got != total {
		err = fmt.Errorf("totals are %+v, the domains come to %+v", got, total)
	}
	return err
}

func checkDomain(tx *storage.Tx, items Reader, d crawl.Domain, got *summary) error {
	want := expectation{tx: tx, d: d, filter: bloom.NewBatch(tx.Bucket(bucketFilters)),
		entries: make(map[string]string)}
	if err := items.Scan(tx, d, "", func(key string, value []byte) bool { return want.add(key, value) }); err != nil {
		return err
	}
	if want.unseen != "" {
		return fmt.Errorf("the filter lacks %x", want.unseen)
	}
	if *got != want.summary {
		return fmt.Errorf("counts are %+v, the items come to %+v", *got, want.summary)
	}
	if err := checkStand(tx, d); err != nil {
		return err
	}
	for _, name := range ofItems {
		for k, v := range entries(tx, name, d) {
			key := string(name) + "/" + string(k)
			if w, ok := want.entries[key]; !ok || w != string(v) {
				return fmt.Errorf("%s has %x: %x, want %x", name, k, v, w)
			}
			delete(want.entries, key)
		}
	}
	for key := range want.entries {
		return fmt.Errorf("%q is missing", key)
	}
	return nil
}

// checkStand checks that a domain stands where it belongs in the orders of time.
func checkStand(tx *storage.Tx, d crawl.Domain) error {
	e := readEntry(tx, d)
	want, err := e.whenDue(tx, d)
	if err != nil {
		return err
	}
	got := string(e[partStand])
	if got != want || got != "" && Order(got[0]).bucket(tx).Get([]byte(got[1:]+string(d))) == nil {
		return fmt.Errorf("it stands at %x, want %x", got, want)
	}
	return nil
}

// expectation is what the items of a domain should come to.
type expectation struct {
	tx      *storage.Tx
	d       crawl.Domain
	filter  *bloom.Batch
	summary summary
	entries map[string]string // by bucket, a slash and the key without the domain
	unseen  string            // key of an item that the filter lacks
}

func (e *expectation) add(key string, value []byte) (more bool) {
	switch kindOf(key) {
	case KindRecord:
		if rec, err := DecodeRecord(value); err == nil {
			e.summary.until = rec.Answer.Until
		}
	case KindLinks:
		e.expect(bucketOutgoing, outgoingKey(e.d, key, value), nil)
	case KindURL:
		e.addURL(key, derive(e.d, key, value))
	}
	return e.unseen == ""
}

func (e *expectation) addURL(key string, x derived) {
	if !x.known {
		return
	}
	if !e.filter.Has(within(e.d), x.seen) {
		e.unseen = key
	}
	e.summary.Counts.change(&x.counts, 1)
	if x.revisit != nil {
		e.expect(bucketRevisits, within(e.d, string(x.revisit)), nil)
	}
	if x.queue != nil {
		e.expect(bucketQueue, within(e.d, string(x.queue)), nil)
		e.expect(bucketReady, readyKey(e.tx, e.d, x.host), nil)
	}
	if x.shape != nil {
		s := readShape([]byte(e.entries[e.name(bucketShapes, x.shape)]))
		s[x.class]++
		e.expect(bucketShapes, x.shape, s.encode())
	}
}

func (e *expectation) name(bucket, key []byte) string {
	return string(bucket) + "/" + string(bytes.TrimPrefix(key, within(e.d)))
}

func (e *expectation) expect(bucket, key, value []byte) {
	if key != nil {
		e.entries[e.name(bucket, key)] = string(value)
	}
}

// entries visits what a bucket of ofItems has of a domain: keys without it, with their values, or the strings of a set.
func entries(tx *storage.Tx, bucket []byte, d crawl.Domain) iter.Seq2[[]byte, []byte] {
	if !bytes.Equal(bucket, bucketQueue) && !bytes.Equal(bucket, bucketRevisits) {
		return scan(tx.Bucket(bucket), within(d), nil)
	}
	return func(yield func(k, v []byte) bool) {
		for s := range setOf(tx, bucket, d).All(nil) {
			if !yield(s, nil) {
				return
			}
		}
	}
}
