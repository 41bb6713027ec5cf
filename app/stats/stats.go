// Package stats counts what a node did: by hours (for 400 days), days and years of UTC, and since ever. Statistics
// counts in the transaction that settles; Counter answers. Records are tallies in the bucket stats of the node's
// store; their keys are in keys.go.
package stats

import (
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/away"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// Statistics counts what a node does, by hours, days and years of UTC and since ever. It is counted in
// the transaction of what it is about, so that neither a crash nor a full disk makes a
// difference: what is settled is counted, and nothing else.
type Statistics struct {
	// Run names this start of the node; Meters count since then.
	Run    string
	Meters func() Meters
	// Own, if set, reports whether a domain is the user's own: what is fetched there is no help.
	Own func(crawl.Domain) bool
	// Away takes what was fetched since somebody was there last, and what was reached; nil where nobody wants to know.
	Away func(tx *storage.Tx, outcomes []crawl.Outcome, reached []away.Milestone) error
}

// Committed is what a transaction has brought.
type Committed struct {
	Outcomes       []crawl.Outcome
	Found, Domains int
}

// Meters only grow while a node runs.
type Meters struct {
	_                      struct{} `cbor:",toarray"`
	Received, Sent         int64    // bytes of sites
	PeerReceived, PeerSent int64
	Helped                 int64 // seconds
}

// allTime is what is known of all time.
type allTime struct {
	Tally tally `cbor:"1,keyasint"`
	// Meters is how much of those of a run is counted.
	Run    string `cbor:"2,keyasint,omitempty"`
	Meters Meters `cbor:"3,keyasint"`
	// DaysHelped counts the user's days up to LastDay; they are numbered from 1970. Numbers 6 to 8 had a meaning.
	DaysHelped uint64 `cbor:"4,keyasint,omitempty"`
	LastDay    uint64 `cbor:"5,keyasint,omitempty"`
}

// firstPage is the first page that was settled.
type firstPage struct {
	Time  int64  `cbor:"1,keyasint"` // Unix seconds
	URL   string `cbor:"2,keyasint"`
	Title string `cbor:"3,keyasint,omitempty"`
}

// Count adds to the present hour, day and year and to all time what a transaction brings, and what the meters
// have counted since the last. Every byte counts, those of requests that came to nothing too, but nothing of what is
// the user's own. The days on which the node helped are of the zone of now.
func (s *Statistics) Count(tx *storage.Tx, now time.Time, c Committed) error {
	b := tx.Bucket(storage.BucketStats)
	c.Outcomes = s.counted(c.Outcomes)
	var all allTime
	if _, err := getStat(b, keyAllTime, &all); err != nil {
		return err
	}
	t := tally{Found: uint64(max(c.Found, 0)), Domains: uint64(max(c.Domains, 0))}
	for i := range c.Outcomes {
		t.see(&c.Outcomes[i])
	}
	measured := all.take(s.Run, s.Meters(), &t)
	if !measured && len(c.Outcomes) == 0 && c.Found == 0 && c.Domains == 0 {
		return nil
	}
	if err := keepFirst(b, &all, c.Outcomes); err != nil {
		return err
	}
	if err := countHour(b, now, &t); err != nil {
		return err
	}
	if err := addTally(b, dayKey(now), &t); err != nil {
		return err
	}
	if err := addTally(b, yearKey(now), &t); err != nil {
		return err
	}
	before := all.marks()
	all.Tally.add(&t)
	all.note(dayOf(dateIn(now.Location(), now.Truncate(time.Hour))), &t)
	if s.Away != nil {
		if err := s.Away(tx, c.Outcomes, away.Reached(before, all.marks())); err != nil {
			return err
		}
	}
	return putStat(b, keyAllTime, &all)
}

// counted returns the outcomes that count: not those of the user's own sites.
func (s *Statistics) counted(outcomes []crawl.Outcome) []crawl.Outcome {
	isOwn := func(o crawl.Outcome) bool { return s.Own != nil && s.Own(o.Domain) }
	if !slices.ContainsFunc(outcomes, isOwn) {
		return outcomes
	}
	return slices.DeleteFunc(slices.Clone(outcomes), isOwn)
}

// take moves what the meters have counted since they were read last into t. It reports whether
// there was anything.
func (a *allTime) take(run string, m Meters, t *tally) bool {
	since := a.Meters
	if a.Run != run { // the last run has ended, and what it had not counted is lost
		since = Meters{}
	}
	some := false
	for _, n := range []struct {
		to           *uint64
		now, counted int64
	}{
		{&t.Received, m.Received, since.Received}, {&t.Sent, m.Sent, since.Sent},
		{&t.PeerReceived, m.PeerReceived, since.PeerReceived}, {&t.PeerSent, m.PeerSent, since.PeerSent},
		{&t.Helped, m.Helped, since.Helped},
	} {
		if n.now > n.counted {
			*n.to += uint64(n.now - n.counted)
			some = true
		}
	}
	if some {
		a.Run, a.Meters = run, m
	}
	return some
}

// note counts a day, when t was counted into it, if the node helped. No day counts twice where a clock is set back.
func (a *allTime) note(day uint64, t *tally) {
	if day > a.LastDay && t.isHelp() {
		a.LastDay, a.DaysHelped = day, a.DaysHelped+1
	}
}

// keepFirst keeps the first page that is settled, if none was before.
func keepFirst(b *storage.Bucket, all *allTime, outcomes []crawl.Outcome) error {
	if all.Tally.Pages > 0 {
		return nil
	}
	for _, o := range outcomes {
		if o.Result == crawl.Fetched {
			return putStat(b, keyFirst, &firstPage{Time: o.Date.Unix(), URL: o.Task.URL.String(), Title: o.Title})
		}
	}
	return nil
}

// countHour adds to an hour. When one begins, those that are too old go.
func countHour(b *storage.Bucket, now time.Time, t *tally) error {
	key := hourKey(now)
	if b.Get(key) == nil {
		if err := dropHours(b, now); err != nil {
			return err
		}
	}
	return addTally(b, key, t)
}

const (
	// keepHours is for how long hours are kept: a year can be seen beside the one before.
	keepHours = api.MaxHours * time.Hour
	// dropAtOnce bounds how many hours one commit drops.
	dropAtOnce = 64
)

func dropHours(b *storage.Bucket, now time.Time) error {
	end := string(hourKey(now.Add(-keepHours)))
	var old [][]byte
	c := b.Cursor()
	for key, _ := c.First(); key != nil && string(key) < end && len(old) < dropAtOnce; key, _ = c.Next() {
		old = append(old, key)
	}
	for _, key := range old {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// addTally adds t to a record.
func addTally(b *storage.Bucket, key []byte, t *tally) error {
	var sum tally
	if _, err := getStat(b, key, &sum); err != nil {
		return err
	}
	sum.add(t)
	return putStat(b, key, &sum)
}
