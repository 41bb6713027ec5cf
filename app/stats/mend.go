package stats

import (
	"bytes"
	"errors"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/away"
	"github.com/forage-net/forage/storage"
)

// Keep tells a record of the statistics that can be read.
func Keep(key, raw []byte) (bool, error) {
	switch {
	case bytes.Equal(key, keyAllTime):
		return cbor.Unmarshal(raw, new(allTime)) == nil, nil
	case bytes.Equal(key, KeyAway), bytes.Equal(key, KeyBack):
		return cbor.Unmarshal(raw, new(away.Record)) == nil, nil
	case bytes.Equal(key, keyFirst):
		return cbor.Unmarshal(raw, new(firstPage)) == nil, nil
	}
	for _, s := range spans {
		if len(key) > 0 && key[0] == s.first {
			_, ok := s.start(key)
			return ok && cbor.Unmarshal(raw, new(tally)) == nil, nil
		}
	}
	return false, nil
}

// Rebuild makes days, years and totals that are not there of what is: days of hours,
// years of days, totals of years.
func Rebuild(b *storage.Bucket) error {
	for _, step := range []struct{ from, to api.Unit }{{api.UnitHour, api.UnitDay}, {api.UnitDay, api.UnitYear}} {
		if err := rebuild(b, spans[step.from], spans[step.to]); err != nil {
			return err
		}
	}
	if b.Get(keyAllTime) != nil {
		return nil
	}
	var all allTime
	if err := eachTally(b, spans[api.UnitYear], func(_ []byte, t *tally) { all.Tally.add(t) }); err != nil {
		return err
	}
	err := eachTally(b, spans[api.UnitDay], func(key []byte, t *tally) {
		start, _ := spans[api.UnitDay].start(key)
		all.note(dayOf(start), t)
	})
	if err != nil {
		return err
	}
	return putStat(b, keyAllTime, &all)
}

// rebuild adds up records for the longer times that have none.
func rebuild(b *storage.Bucket, from, to span) error {
	missing := make(map[string]*tally)
	err := eachTally(b, from, func(key []byte, t *tally) {
		start, _ := from.start(key)
		longer := to.key(start)
		if b.Get(longer) != nil {
			return
		}
		if missing[string(longer)] == nil {
			missing[string(longer)] = new(tally)
		}
		missing[string(longer)].add(t)
	})
	if err != nil {
		return err
	}
	for key, t := range missing {
		if err := putStat(b, []byte(key), t); err != nil {
			return err
		}
	}
	return nil
}

// eachTally calls fn with the records of one kind, in the order of time.
func eachTally(b *storage.Bucket, s span, fn func(key []byte, t *tally)) error {
	c := b.Cursor()
	for key, raw := c.Seek([]byte{s.first}); key != nil && key[0] == s.first; key, raw = c.Next() {
		var t tally
		if _, err := decodeStat(raw, &t); err != nil {
			return err
		}
		fn(key, &t)
	}
	return nil
}

// Forget erases from the bucket of the statistics what it says of the addresses for which gone reports true.
func Forget(b *storage.Bucket, gone func(url string) bool) error {
	var first firstPage
	if found, err := getStat(b, keyFirst, &first); err == nil && found && gone(first.URL) {
		first.URL, first.Title = "", ""
		if err := putStat(b, keyFirst, &first); err != nil {
			return err
		}
	}
	return errors.Join(b.Delete(KeyAway), b.Delete(KeyBack)) // they name pages and sites, and are soon made again
}
