package stats

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/storage"
)

// Keys of the statistics. Those of hours begin with a zero byte.
var (
	keyAllTime = []byte("all")
	keyFirst   = []byte("first")
)

// Keys of absences, beside them: KeyAway is what was fetched since somebody was there last, KeyBack what was fetched in
// the last absence.
var (
	KeyAway = []byte("since")
	KeyBack = []byte("back")
)

const (
	prefixDay  = 'd'
	prefixYear = 'y'
	// lastYear is the last that can be written as a date.
	lastYear = 9999
	// endOfTime is the first hour behind it.
	endOfTime = 253402300800 / 3600
)

// hourOf numbers the hours of UTC from 1970. What is before, or behind the year 9999, is taken
// for the first or the last of them.
func hourOf(t time.Time) uint64 { return uint64(min(max(t.Unix()/3600, 0), endOfTime-1)) }

// dayOf numbers the days.
func dayOf(t time.Time) uint64 { return hourOf(t) / 24 }

func hourKey(t time.Time) []byte { return binary.BigEndian.AppendUint64(nil, hourOf(t)) }

func dayKey(t time.Time) []byte {
	return binary.BigEndian.AppendUint32([]byte{prefixDay}, uint32(dayOf(t)))
}

func yearKey(t time.Time) []byte {
	return binary.BigEndian.AppendUint16([]byte{prefixYear}, uint16(dayStart(dayOf(t)).Year()))
}

func dayStart(day uint64) time.Time { return time.Unix(int64(day)*24*3600, 0).UTC() }

// dateIn is the date of most of an hour in a zone.
func dateIn(zone *time.Location, hour time.Time) time.Time {
	year, month, day := hour.Add(time.Hour / 2).In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// span is a kind of record.
type span struct {
	key func(time.Time) []byte
	// start returns when what a key stands for begins; ok is false if it is no key of this kind.
	start func(key []byte) (t time.Time, ok bool)
	first byte // of all keys
}

var spans = map[api.Unit]span{
	api.UnitHour: {hourKey, func(key []byte) (time.Time, bool) {
		if len(key) != 8 || binary.BigEndian.Uint64(key) >= endOfTime {
			return time.Time{}, false
		}
		return time.Unix(int64(binary.BigEndian.Uint64(key))*3600, 0).UTC(), true
	}, 0},
	api.UnitDay: {dayKey, func(key []byte) (time.Time, bool) {
		if len(key) != 5 || uint64(binary.BigEndian.Uint32(key[1:])) >= endOfTime/24 {
			return time.Time{}, false
		}
		return dayStart(uint64(binary.BigEndian.Uint32(key[1:]))), true
	}, prefixDay},
	api.UnitYear: {yearKey, func(key []byte) (time.Time, bool) {
		if len(key) != 3 {
			return time.Time{}, false
		}
		year := int(binary.BigEndian.Uint16(key[1:]))
		return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), 1970 <= year && year <= lastYear
	}, prefixYear},
}

// getStat reads a record; found is false if there is none.
func getStat(b *storage.Bucket, key []byte, v any) (found bool, err error) {
	return decodeStat(b.Get(key), v)
}

func decodeStat(raw []byte, v any) (found bool, err error) {
	if raw == nil {
		return false, nil
	}
	if err := cbor.Unmarshal(raw, v); err != nil {
		return false, fmt.Errorf("damaged statistics: %w", err)
	}
	return true, nil
}

func putStat(b *storage.Bucket, key []byte, v any) error {
	raw, err := cbor.Marshal(v)
	if err != nil {
		return err
	}
	return b.Put(key, raw)
}
