package store

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// Limits is how many limits Place.Drops counts.
const Limits = 7

// Place holds the facts that a node keeps of a domain beside its items while it leads it. It is the node's own,
// and is lost when the indexes are forgotten.
type Place struct {
	// Clock is before when the domain may not be visited, in Unix nanoseconds by the clock of politeness.
	Clock int64
	// Turns counts the leases.
	Turns uint64
	// CrawlDelay is what the last lease found in robots.txt, in milliseconds.
	CrawlDelay uint64
	// Drops counts the URLs that each limit kept out.
	Drops [Limits]uint64
	// Traps counts the URLs that look like traps and were taken in.
	Traps uint64
	// Answers are the last answers of the site, as Answers encodes them, and Failed names the pages that failed.
	Answers uint64
	Failed  []byte
	// Repeats are payloads that came under several URLs but not yet often.
	Repeats []Repeat
	// Revisits counts visits except the first of each URL, Changed those of them that found another page,
	// Refusals answers that asked us to wait or to stay away, Challenges those that asked for proof of being a
	// person, Backoffs how often the wait was doubled.
	Revisits, Changed, Refusals, Challenges, Backoffs uint64
}

// maxFailed bounds Place.Failed in bytes.
const maxFailed = 1 << 10

func (p *Place) numbers() []*uint64 {
	list := append(make([]*uint64, 0, 9+Limits), &p.Turns, &p.CrawlDelay, &p.Answers, &p.Revisits, &p.Changed,
		&p.Refusals, &p.Challenges, &p.Backoffs, &p.Traps)
	for i := range p.Drops {
		list = append(list, &p.Drops[i])
	}
	return list
}

func (p *Place) encode() []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 64), uint64(p.Clock))
	for _, n := range p.numbers() {
		b = binary.AppendUvarint(b, *n)
	}
	b = binary.AppendUvarint(b, uint64(len(p.Repeats)))
	for _, r := range p.Repeats {
		b = binary.AppendUvarint(append(b, r.Digest[:]...), r.Count)
	}
	return append(b, p.Failed...)
}

func (p *Place) decode(b []byte) error {
	r := unpacker{rest: b}
	if clock := r.bytes(8); clock != nil {
		p.Clock = int64(binary.BigEndian.Uint64(clock))
	}
	for _, n := range p.numbers() {
		*n = r.uint(1<<64 - 1)
	}
	for range r.uint(MaxRepeats) {
		var x Repeat
		copy(x.Digest[:], r.bytes(RepeatSize))
		x.Count = r.uint(maxCount)
		p.Repeats = append(p.Repeats, x)
	}
	if r.failed || len(r.rest) > maxFailed {
		return invalid("place", len(b))
	}
	p.Failed = slices.Clone(r.rest)
	return nil
}

// ReadPlace returns the place of a domain, the zero value if it has none.
func ReadPlace(tx *storage.Tx, d crawl.Domain) (Place, error) {
	e := readEntry(tx, d)
	return e.place(d)
}

func (e *entry) place(d crawl.Domain) (p Place, err error) {
	if len(e[partPlace]) == 0 {
		return p, nil
	}
	if err := p.decode(e[partPlace]); err != nil {
		return p, fmt.Errorf("read place of %s: %w", d, err)
	}
	return p, nil
}

// WritePlace writes the place of a domain that has indexes, and gives it its turn in the order of due times.
func WritePlace(tx *storage.Tx, d crawl.Domain, p Place) error {
	e := readEntry(tx, d)
	e[partPlace] = p.encode()
	if _, err := e.schedule(tx, d); err != nil {
		return err
	}
	if err := e.put(tx, d); err != nil {
		return fmt.Errorf("write place of %s: %w", d, err)
	}
	return nil
}

// SetHost sets when a host may be visited, or was: hosts take turns in this order. The time is in Unix nanoseconds.
func SetHost(tx *storage.Tx, d crawl.Domain, origin string, at int64) error {
	ready, key := tx.Bucket(bucketReady), within(d, hostOf(d, origin))
	before := readyKey(tx, d, key)
	if err := tx.Bucket(bucketHosts).Put(key, []byte(bigEndian(at))); err != nil {
		return fmt.Errorf("set time of %s: %w", origin, err)
	}
	if ready.Get(before) != nil {
		if err := ready.Delete(before); err != nil {
			return fmt.Errorf("set time of %s: %w", origin, err)
		}
		if err := ready.Put(readyKey(tx, d, key), []byte{}); err != nil {
			return fmt.Errorf("set time of %s: %w", origin, err)
		}
	}
	e := readEntry(tx, d)
	if moved, err := e.schedule(tx, d); err != nil || !moved {
		return err
	}
	return e.put(tx, d)
}

// HostTime returns what SetHost has set, 0 if nothing.
func HostTime(tx *storage.Tx, d crawl.Domain, origin string) int64 {
	return hostTime(tx, within(d, hostOf(d, origin)))
}

// hostTime takes <domain> 0 <host>.
func hostTime(tx *storage.Tx, host []byte) int64 {
	at, _ := fromBigEndian(tx.Bucket(bucketHosts).Get(host))
	return at
}

// readyKey returns the key of a host among those that are ready. The host is <domain> 0 <host>.
func readyKey(tx *storage.Tx, d crawl.Domain, host []byte) []byte {
	return within(d, bigEndian(hostTime(tx, host)), string(host[len(d)+1:]))
}

// Order is one of the two orders in which domains with work stand.
type Order byte

const (
	// Due is the order of those that may be visited after their gap, by the clock of politeness.
	Due Order = 'd'
	// Calendar is the order of those that wait for days, by the calendar.
	Calendar Order = 'c'
)

func (o Order) bucket(tx *storage.Tx) *storage.Bucket {
	if o == Due {
		return tx.Bucket(bucketDue)
	}
	return tx.Bucket(bucketCalendar)
}

// schedule puts a domain where it belongs in the orders of time, and reports whether that is another place: then its
// entry is to be written.
func (e *entry) schedule(tx *storage.Tx, d crawl.Domain) (moved bool, err error) {
	if !e.state().is(stateBuilt) {
		return false, nil
	}
	stand, err := e.whenDue(tx, d)
	if err != nil || string(e[partStand]) == stand {
		return false, err
	}
	if err := e.unschedule(tx, d); err != nil {
		return false, err
	}
	if e[partStand] = []byte(stand); stand != "" {
		if err := Order(stand[0]).bucket(tx).Put([]byte(stand[1:]+string(d)), []byte{}); err != nil {
			return false, fmt.Errorf("schedule %s: %w", d, err)
		}
	}
	return true, nil
}

// unschedule takes a domain out of the orders of time.
func (e *entry) unschedule(tx *storage.Tx, d crawl.Domain) error {
	stand := string(e[partStand])
	if stand == "" {
		return nil
	}
	if err := Order(stand[0]).bucket(tx).Delete([]byte(stand[1:] + string(d))); err != nil {
		return fmt.Errorf("unschedule %s: %w", d, err)
	}
	return nil
}

// whenDue returns where a domain belongs: an order, and when in it there is work that may be done; "" if it has none.
func (e *entry) whenDue(tx *storage.Tx, d crawl.Domain) (stand string, err error) {
	p, err := e.place(d)
	if err != nil {
		return "", err
	}
	var o Order
	var at int64
	if host := first(tx.Bucket(bucketReady), within(d)); host != nil {
		hostAt, _ := fromBigEndian(host)
		o, at = Due, max(p.Clock, hostAt)
	}
	if visit := setOf(tx, bucketRevisits, d).First(nil); visit != nil {
		date, _ := fromBigEndian(visit)
		if due := nanoseconds(date); o == 0 || due < at {
			if o, at = Calendar, due; due <= p.Clock {
				o, at = Due, p.Clock
			}
		}
	}
	s, err := e.summary(d)
	if err != nil || o == 0 {
		return "", err
	}
	if until := nanoseconds(s.until); until > at {
		o, at = Calendar, until
	}
	return string(o) + bigEndian(at), nil
}

// nanoseconds returns a date as a time; no time is later than the year 2262.
func nanoseconds(date int64) int64 {
	const last = 1<<63/1_000_000_000 - 1
	return min(date, last) * 1_000_000_000
}
