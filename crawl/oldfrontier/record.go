package frontier

import (
	"bytes"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// domainRecord is what the log knows of a domain.
type domainRecord struct {
	Queued     uint64        `cbor:"1,keyasint,omitempty"` // leased tasks included
	Known      uint64        `cbor:"2,keyasint,omitempty"` // URLs ever taken in
	Fetched    uint64        `cbor:"3,keyasint,omitempty"`
	Duplicates uint64        `cbor:"4,keyasint,omitempty"` // of Fetched
	Failed     uint64        `cbor:"5,keyasint,omitempty"` // given up
	Forbidden  uint64        `cbor:"6,keyasint,omitempty"`
	Dropped    uint64        `cbor:"7,keyasint,omitempty"` // URLs that were not taken in, MaxDropped at most
	Level      uint8         `cbor:"8,keyasint,omitempty"` // how often the wait was doubled, less successes since
	Asked      time.Duration `cbor:"9,keyasint,omitempty"` // what the site asked to wait, until granted again
	Took       time.Duration `cbor:"10,keyasint,omitempty"`
	CrawlDelay time.Duration `cbor:"11,keyasint,omitempty"` // of the host last visited
	NextHost   string        `cbor:"12,keyasint,omitempty"` // where the round of hosts goes on
	Reason     string        `cbor:"13,keyasint,omitempty"` // of the last trouble
	Lease      leaseRecord   `cbor:"14,keyasint,omitzero"`
	Other      uint64        `cbor:"15,keyasint,omitempty"` // final but not fetched: gone, redirected, not text
	Received   uint64        `cbor:"16,keyasint,omitempty"` // bytes
	Title      string        `cbor:"17,keyasint,omitempty"` // of the page nearest to the seeds
	TitleDepth uint8         `cbor:"18,keyasint,omitempty"`
	Gone       uint64        `cbor:"19,keyasint,omitempty"` // of Other: 4xx and the like
	Revisiting uint64        `cbor:"20,keyasint,omitempty"` // of Queued: visited before
	Revisits   uint64        `cbor:"21,keyasint,omitempty"` // visits but the first of each URL
	Changed    uint64        `cbor:"22,keyasint,omitempty"` // of Revisits: the page was another
	Inlinks    uint64        `cbor:"23,keyasint,omitempty"` // which of 64 groups of domains link here
	Repeats    []repeat      `cbor:"24,keyasint,omitempty"` // payloads that came under several URLs
	Parked     bool          `cbor:"25,keyasint,omitempty"` // retired: nothing is leased or taken in
	Retired    uint8         `cbor:"26,keyasint,omitempty"` // how often since it last did well
	Foreign    uint64        `cbor:"27,keyasint,omitempty"` // of Known: taken in because of other domains
	Brought    uint64        `cbor:"28,keyasint,omitempty"` // domains first heard of here
	Weight     uint64        `cbor:"29,keyasint,omitempty"` // bytes of first visits since it last retired
	Refusals   uint64        `cbor:"30,keyasint,omitempty"` // answers that asked us to wait or to stay away
	Challenges uint64        `cbor:"31,keyasint,omitempty"` // answers that asked for proof of being a person
	Backoffs   uint64        `cbor:"32,keyasint,omitempty"` // times the wait was doubled
	Unheard    uint32        `cbor:"33,keyasint,omitempty"` // attempts to get robots.txt since a page was answered
	Silent     int64         `cbor:"34,keyasint,omitempty"` // the first of them, Unix seconds
	Over       leaseRecord   `cbor:"35,keyasint,omitzero"`  // the lease before, if tasks of it were not settled
	Last       string        `cbor:"36,keyasint,omitempty"` // who held the lease before, "" for this node
	Unasked    bool          `cbor:"37,keyasint,omitempty"` // others may know the domain: nothing is leased
	Closing    *closing      `cbor:"38,keyasint,omitempty"` // on its way to another log
	Arriving   *arriving     `cbor:"39,keyasint,omitempty"` // on its way here
	// Index is metaRecord.Batch when the domain last changed: its record, queue, pages or
	// filter, or what members count of it.
	Index uint64 `cbor:"40,keyasint,omitempty"`
	// Careful is metaRecord.At when it became possible that another part of a divided
	// network visits the domain too; 0 if it never was.
	Careful int64 `cbor:"41,keyasint,omitempty"`
	// Former are leases before Over that lapsed and have tasks left, the latest first: with
	// Over, if it lapsed, at most FormerHolders.
	Former []leaseRecord `cbor:"42,keyasint,omitempty"`
	// Until is metaRecord.At when the domain, if it is retired, may be visited again.
	Until int64 `cbor:"43,keyasint,omitempty"`
	// Answers tell whether the site is in trouble.
	Answers answers `cbor:"44,keyasint,omitzero"`
	// Drops says how many of Dropped each Limit kept out, from LimitBudget on.
	Drops []uint64 `cbor:"45,keyasint,omitempty"`
}

// asleep reports whether nothing of a domain may be leased, whatever its clock says.
func (d *domainRecord) asleep() bool {
	return d.Parked || d.Unasked || d.Closing != nil || d.Arriving != nil
}

// isHome reports whether links to a domain go into its queue here.
func (d *domainRecord) isHome() bool { return d.Closing == nil && d.Arriving == nil }

// leaseRecord is a lease of a domain; ID 0 means none.
type leaseRecord struct {
	ID     crawl.LeaseID `cbor:"1,keyasint,omitempty"`
	Origin string        `cbor:"2,keyasint,omitempty"`
	Tasks  [][]byte      `cbor:"3,keyasint,omitempty"` // as granted; what form 1 has settled is not among them
	For    time.Duration `cbor:"4,keyasint,omitempty"`
	Done   []byte        `cbor:"5,keyasint,omitempty"` // a bit for each task that is settled
	Holder string        `cbor:"6,keyasint,omitempty"` // peer, "" for this node
	Lapsed bool          `cbor:"7,keyasint,omitempty"` // it is over, and its holder had not brought it home
}

// done reports whether the task at an index is settled.
func (l *leaseRecord) done(i int) bool { return i/8 < len(l.Done) && l.Done[i/8]&(1<<(i%8)) != 0 }

// finish notes that the task at an index is settled.
func (l *leaseRecord) finish(i int) {
	for len(l.Done) <= i/8 {
		l.Done = append(l.Done, 0)
	}
	l.Done[i/8] |= 1 << (i % 8)
}

// find returns the index of a task that is not settled, -1 if there is none.
func (l *leaseRecord) find(tail []byte) int {
	for i, t := range l.Tasks {
		if bytes.Equal(t, tail) && !l.done(i) {
			return i
		}
	}
	return -1
}

// open returns the tasks that are not settled.
func (l *leaseRecord) open() [][]byte {
	tails := make([][]byte, 0, len(l.Tasks))
	for i, t := range l.Tasks {
		if !l.done(i) {
			tails = append(tails, t)
		}
	}
	return tails
}

// metaRecord holds the counters of a log.
type metaRecord struct {
	Applied   uint64        `cbor:"1,keyasint"` // entries
	NextTask  uint64        `cbor:"2,keyasint"`
	NextLease crawl.LeaseID `cbor:"3,keyasint"`
	Totals    Totals        `cbor:"4,keyasint"`
	Form      uint8         `cbor:"5,keyasint,omitempty"`  // of the records, as in upgrade.go
	LastMove  uint64        `cbor:"6,keyasint,omitempty"`  // the last number given to a move
	Lost      uint64        `cbor:"7,keyasint,omitempty"`  // of Totals.Dropped: links to domains of others
	Gone      uint64        `cbor:"8,keyasint,omitempty"`  // domains that have moved away lately
	Moves     uint64        `cbor:"9,keyasint,omitempty"`  // moves to here that are not over
	MovesOver uint64        `cbor:"10,keyasint,omitempty"` // and those that are, as far as they are remembered
	// Missing are the members that the log began anew without, until they have been
	// heard of.
	Missing []string `cbor:"22,keyasint,omitempty"`
	// Whole is At when all who were missing, from this log or others, had been heard of; Careful
	// is the latest of that of domains.
	Whole   int64 `cbor:"23,keyasint,omitempty"`
	Careful int64 `cbor:"24,keyasint,omitempty"`
	// Entries counts the entries of the log: each says on how many it was made.
	Entries uint64 `cbor:"25,keyasint,omitempty"`
	// Recent is the end of the text of those before: the next one is packed behind it.
	Recent []byte `cbor:"26,keyasint,omitempty"`
	// At is when the last entry was proposed, in Unix nanoseconds, as its proposer
	// said: the same for all members, and it only grows.
	At int64 `cbor:"20,keyasint,omitempty"`
	// Batch counts what was applied at once and changed a domain.
	Batch uint64 `cbor:"21,keyasint,omitempty"`
}

// Totals are counts over all domains of a frontier.
type Totals struct {
	Domains    uint64 `cbor:"1,keyasint"`
	Queued     uint64 `cbor:"2,keyasint"` // leased tasks included
	Known      uint64 `cbor:"3,keyasint"` // URLs ever taken in
	Fetched    uint64 `cbor:"4,keyasint"`
	Duplicates uint64 `cbor:"5,keyasint"` // of Fetched
	Failed     uint64 `cbor:"6,keyasint"` // given up
	Forbidden  uint64 `cbor:"7,keyasint"`
	Dropped    uint64 `cbor:"8,keyasint"` // beyond a budget
	Leases     uint64 `cbor:"9,keyasint"` // live
	Other      uint64 `cbor:"10,keyasint"`
	Parked     uint64 `cbor:"11,keyasint,omitempty"` // of Queued: of retired domains
	Revisiting uint64 `cbor:"12,keyasint,omitempty"` // of Queued: visited before
	Revisits   uint64 `cbor:"13,keyasint,omitempty"` // visits but the first of each URL
	Changed    uint64 `cbor:"14,keyasint,omitempty"` // of Revisits: the page was another
	// Outbox counts the links that wait for their owners, OutboxBytes what they take.
	Outbox      uint64 `cbor:"15,keyasint,omitempty"`
	OutboxBytes uint64 `cbor:"16,keyasint,omitempty"`
	// Unasked and Closing count domains, among Domains; Arriving those that
	// are on their way here, which nothing else counts.
	Unasked  uint64 `cbor:"17,keyasint,omitempty"`
	Closing  uint64 `cbor:"18,keyasint,omitempty"`
	Arriving uint64 `cbor:"19,keyasint,omitempty"`
}

// add adds the counts of a domain.
func (t *Totals) add(r *domainRecord) { t.change(r, 1) }

// sub takes the counts of a domain away.
func (t *Totals) sub(r *domainRecord) { t.change(r, ^uint64(0)) }

func (t *Totals) change(r *domainRecord, by uint64) {
	if r.Arriving != nil {
		t.Arriving += by
		return
	}
	t.Domains += by
	t.Queued += by * r.Queued
	t.Known += by * r.Known
	t.Fetched += by * r.Fetched
	t.Duplicates += by * r.Duplicates
	t.Failed += by * r.Failed
	t.Forbidden += by * r.Forbidden
	t.Dropped += by * r.Dropped
	t.Other += by * r.Other
	t.Revisiting += by * r.Revisiting
	t.Revisits += by * r.Revisits
	t.Changed += by * r.Changed
	if r.Parked {
		t.Parked += by * r.Queued
	}
	if r.Unasked {
		t.Unasked += by
	}
	if r.Closing != nil {
		t.Closing += by
	}
}

// closed counts the URLs that are done with.
func (d *domainRecord) closed() uint64 { return d.Fetched + d.Failed + d.Forbidden + d.Other }

// getRecord reads a record; ok is false if there is none.
func getRecord(b *storage.Bucket, key []byte, into any) (ok bool, err error) {
	raw := b.Get(key)
	if raw == nil {
		return false, nil
	}
	if err := decode.Unmarshal(raw, into); err != nil {
		return false, fmt.Errorf("damaged record %.100q: %w", key, err)
	}
	return true, nil
}

// putRecord writes a record, unless it is there as it is: many are only read,
// and a page of the store that did not change need not be written.
func putRecord(b *storage.Bucket, key []byte, record any) error {
	raw, err := encode.Marshal(record)
	if err != nil || bytes.Equal(b.Get(key), raw) {
		return err
	}
	return b.Put(key, raw)
}
