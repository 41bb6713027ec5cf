package storage

import (
	"encoding/binary"
	"errors"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
)

// withHours makes a store of schema 4 with hours in it.
func withHours(t *testing.T, hours map[uint64]oldStats, others map[string][]byte) (path string) {
	t.Helper()
	path = older(t, 4)
	b, err := openRaw(path, false)
	if err != nil {
		t.Fatal(err)
	}
	err = b.Update(func(tx *Tx) error {
		for _, name := range swarmBuckets() { // older takes them away
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		stats := tx.Bucket(BucketStats)
		for hour, counts := range hours {
			if err := putCBOR(stats, binary.BigEndian.AppendUint64(nil, hour), counts); err != nil {
				return err
			}
		}
		for key, value := range others {
			if err := stats.Put([]byte(key), value); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// read reads a record of the statistics, nil if there is none.
func readStat[T any](t *testing.T, tx *Tx, key []byte) (v T) {
	t.Helper()
	raw := tx.Bucket(BucketStats).Get(key)
	if raw == nil {
		return v
	}
	if err := cbor.Unmarshal(raw, &v); err != nil {
		t.Errorf("%q: %v", key, err)
	}
	return v
}

func TestOpen_RollsHoursUp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	start := uint64(time.Date(2021, 6, 1, 0, 0, 0, 0, time.UTC).Unix() / 3600)
	hours := make(map[uint64]oldStats)
	days, years, all := make(map[uint64]oldStats), make(map[int]oldStats), make(oldStats)
	end := uint64(0)
	for hour := start; hour < start+5*8766; hour += 1 + random.Uint64N(60) {
		counts := oldStats{oldPages: random.Uint64N(3), 6: random.Uint64N(1 << 40), 8: random.Uint64N(100)}
		year := time.Unix(int64(hour)*3600, 0).UTC().Year()
		hours[hour], end = counts, hour
		if days[hour/24] == nil {
			days[hour/24] = make(oldStats)
		}
		if years[year] == nil {
			years[year] = make(oldStats)
		}
		for _, sum := range []oldStats{days[hour/24], years[year], all} {
			sum.add(counts)
		}
	}
	damaged := binary.BigEndian.AppendUint64(nil, start+1)
	delete(hours, start+1)
	path := withHours(t, hours, map[string][]byte{string(damaged): []byte("nonsense"), "\xff": {1}})
	db, err := Open(path, Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	helped, busiest := uint64(0), uint64(0)
	err = db.View(func(tx *Tx) error {
		for day, want := range days {
			if got := readStat[oldStats](t, tx, binary.BigEndian.AppendUint32([]byte{'d'}, uint32(day))); !maps.Equal(got, want) {
				t.Errorf("day %d: %v, want %v", day, got, want)
			}
			if want[oldPages] > 0 {
				helped++
			}
			busiest = max(busiest, want[oldPages])
		}
		for year, want := range years {
			if got := readStat[oldStats](t, tx, binary.BigEndian.AppendUint16([]byte{'y'}, uint16(year))); !maps.Equal(got, want) {
				t.Errorf("year %d: %v, want %v", year, got, want)
			}
		}
		got := readStat[newTotals](t, tx, []byte("all"))
		if !maps.Equal(got.Counts, all) || got.DaysHelped != helped || got.BusiestPages != busiest || days[got.BusiestDay][oldPages] != busiest {
			t.Errorf("totals %+v; want %v, %d days, the busiest with %d pages", got, all, helped, busiest)
		}
		for hour, want := range hours {
			kept := readStat[oldStats](t, tx, binary.BigEndian.AppendUint64(nil, hour))
			if old := hour+oldHours < end; old && kept != nil || !old && !maps.Equal(kept, want) {
				t.Errorf("hour %d of %d: %v, want %v, kept for 400 days", hour, end, kept, want)
			}
		}
		if tx.Bucket(BucketStats).Get([]byte("\xff")) == nil {
			t.Error("a record of something else is gone")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestOpen_RollsUpStreaks(t *testing.T) {
	const day = 20_000
	for name, c := range map[string]struct {
		days         []uint64
		last, streak uint64
	}{
		"none":         {nil, 0, 0},
		"one":          {[]uint64{day}, day, 1},
		"three":        {[]uint64{day - 5, day - 2, day - 1, day}, day, 3},
		"none of late": {[]uint64{day - 5, day - 4}, day - 4, 2},
	} {
		hours := map[uint64]oldStats{(day + 1) * 24: {8: 1}} // links that others sent
		for _, d := range c.days {
			hours[d*24+23], hours[d*24+3] = oldStats{9: 1}, oldStats{4: 1}
		}
		db, err := Open(withHours(t, hours, nil), Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		err = db.View(func(tx *Tx) error {
			got := readStat[newTotals](t, tx, []byte("all"))
			if got.LastDay != c.last || got.Streak != c.streak || got.DaysHelped != uint64(len(c.days)) {
				t.Errorf("%s: %+v, want %d days, %d up to %d", name, got, len(c.days), c.streak, c.last)
			}
			return nil
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Error(err)
		}
	}
}
