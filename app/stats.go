package app

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// hourRecord counts what this node fetched in one hour of UTC.
type hourRecord struct {
	Pages      uint64 `cbor:"1,keyasint,omitempty"`
	Duplicates uint64 `cbor:"2,keyasint,omitempty"`
	Redirects  uint64 `cbor:"3,keyasint,omitempty"`
	Failed     uint64 `cbor:"4,keyasint,omitempty"`
	Forbidden  uint64 `cbor:"5,keyasint,omitempty"`
	Received   int64  `cbor:"6,keyasint,omitempty"` // bytes on the wire
	Sent       int64  `cbor:"7,keyasint,omitempty"`
	Found      uint64 `cbor:"8,keyasint,omitempty"` // URLs seen for the first time
	Unchanged  uint64 `cbor:"9,keyasint,omitempty"`
	Gone       uint64 `cbor:"10,keyasint,omitempty"` // answered, but with no page
}

func hourKey(t time.Time) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(max(t.Unix()/3600, 0)))
}

// add counts outcomes.
func (h *hourRecord) add(outcomes []crawl.Outcome, found int) {
	h.Found += uint64(found)
	for _, o := range outcomes {
		switch o.Result {
		case crawl.Fetched:
			h.Pages++
			if o.Duplicate {
				h.Duplicates++
			}
		case crawl.Unchanged:
			h.Unchanged++
		case crawl.Redirected:
			h.Redirects++
		case crawl.Forbidden:
			h.Forbidden++
		case crawl.Gone, crawl.Skipped:
			h.Gone++
		case crawl.Deferred, crawl.Declined:
			// nothing came of it, and nothing went wrong
		default:
			h.Failed++
		}
	}
}

func (h *hourRecord) counts() api.Counts {
	return api.Counts{
		Pages: int64(h.Pages), Duplicates: int64(h.Duplicates), Redirects: int64(h.Redirects), Failed: int64(h.Failed),
		Forbidden: int64(h.Forbidden), Unchanged: int64(h.Unchanged), Gone: int64(h.Gone), Found: int64(h.Found), BytesReceived: h.Received, BytesSent: h.Sent,
	}
}

// countHour adds to the current hour, in the transaction that settles the outcomes.
func countHour(tx *storage.Tx, now time.Time, outcomes []crawl.Outcome, found int, bytes totals) error {
	if len(outcomes) == 0 && found == 0 && bytes == (totals{}) {
		return nil
	}
	b := tx.Bucket(storage.BucketStats)
	var h hourRecord
	if raw := b.Get(hourKey(now)); raw != nil {
		if err := cbor.Unmarshal(raw, &h); err != nil {
			return fmt.Errorf("damaged statistics: %w", err)
		}
	}
	h.add(outcomes, found)
	h.Received += bytes.received
	h.Sent += bytes.sent
	raw, err := cbor.Marshal(h)
	if err != nil {
		return err
	}
	return b.Put(hourKey(now), raw)
}

// maxHours is how many hours readHours returns at most: a year.
const maxHours = 24 * 366

// readStats returns the last hours, and the totals of all.
func readStats(db *storage.DB) (api.Stats, error) {
	var hours []api.Hour
	var totals hourRecord
	err := db.View(func(tx *storage.Tx) error {
		c := tx.Bucket(storage.BucketStats).Cursor()
		for key, raw := c.Last(); key != nil; key, raw = c.Prev() {
			var h hourRecord
			if len(key) != 8 {
				return fmt.Errorf("damaged statistics: a key of %d bytes", len(key))
			}
			if err := cbor.Unmarshal(raw, &h); err != nil {
				return fmt.Errorf("damaged statistics: %w", err)
			}
			totals.merge(h)
			if len(hours) < maxHours {
				start := time.Unix(int64(binary.BigEndian.Uint64(key))*3600, 0).UTC()
				hours = append(hours, api.Hour{Start: start, Counts: h.counts()})
			}
		}
		return nil
	})
	slices.Reverse(hours)
	return api.Stats{Hours: hours, Totals: totals.counts()}, err
}

func (h *hourRecord) merge(g hourRecord) {
	h.Pages += g.Pages
	h.Duplicates += g.Duplicates
	h.Redirects += g.Redirects
	h.Failed += g.Failed
	h.Forbidden += g.Forbidden
	h.Received += g.Received
	h.Sent += g.Sent
	h.Found += g.Found
	h.Unchanged += g.Unchanged
	h.Gone += g.Gone
}
