package promise

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/forage-net/forage/app/limits"
)

// ErrDamaged is returned for bytes that Save did not make.
var ErrDamaged = errors.New("the record of kept limits is damaged")

// saveVersion is the first byte. Another form gets another number.
const saveVersion = 1

// Save returns what is to survive a restart, with the minute and the breaches that are not over: 40 kB
// for a day of which a third was rest. The form is: the version; the number of minutes, and
// each as the seconds since the one before, its own seconds, its level, and three numbers
// for each measure as differences from the minute before; the number of breaches, and each.
// All numbers are varints.
func (r *Recorder) Save(now limits.Clock) []byte {
	minutes := slices.Clone(r.minutes)
	if m, ok := r.open.minute(); ok {
		minutes = append(minutes, m)
	}
	if n := len(minutes) - maxRecords; n > 0 {
		minutes = minutes[n:]
	}
	b := []byte{saveVersion}
	b = binary.AppendUvarint(b, uint64(len(minutes)))
	var before minute
	var at int64
	for _, m := range minutes {
		start := wallAt(now, m.at).Unix()
		b = binary.AppendVarint(b, start-at)
		at = start
		b = append(b, m.seconds, byte(m.level))
		for i, f := range m.figures {
			old := before.figures[i]
			b = binary.AppendVarint(b, f.limit-old.limit)
			b = binary.AppendVarint(b, f.mean-old.mean)
			b = binary.AppendVarint(b, f.max-old.max)
		}
		before = m
	}
	breaches := slices.Clone(r.breaches)
	for _, run := range r.runs {
		if run.length > hold {
			breaches = append(breaches, run)
		}
	}
	if n := len(breaches) - maxBreaches; n > 0 {
		breaches = breaches[n:]
	}
	b = binary.AppendUvarint(b, uint64(len(breaches)))
	for _, x := range breaches {
		b = append(b, byte(x.measure))
		b = binary.AppendVarint(b, wallAt(now, x.at).UnixMilli())
		b = binary.AppendUvarint(b, uint64(x.length.Milliseconds()))
		b = binary.AppendUvarint(b, math.Float64bits(x.limit))
		b = binary.AppendUvarint(b, math.Float64bits(x.worst))
		b = binary.AppendUvarint(b, uint64(len(x.cause)))
		b = append(b, x.cause...)
	}
	return b
}

// Restore returns the recorder of a node that starts now from what one before saved. No bytes at all
// are a node that never ran; of bytes that are damaged nothing is taken. What is of more than a day ago is dropped,
// and what is of a time to come, since then a clock was set between the runs.
func Restore(now limits.Clock, data []byte) (*Recorder, error) {
	r := new(Recorder)
	if len(data) == 0 {
		return r, nil
	}
	if data[0] != saveVersion {
		return new(Recorder), fmt.Errorf("%w: it has version %d", ErrDamaged, data[0])
	}
	d := &decoder{rest: data[1:], now: now}
	for n := d.count(maxRecords); n > 0 && !d.bad; n-- {
		if m, ok := d.minute(); ok && !d.bad {
			r.minutes = append(r.minutes, m)
		}
	}
	for n := d.count(maxBreaches); n > 0 && !d.bad; n-- {
		if x, ok := d.breach(); ok && !d.bad {
			r.breaches = append(r.breaches, x)
		}
	}
	if d.bad || len(d.rest) > 0 {
		return new(Recorder), ErrDamaged
	}
	slices.SortStableFunc(r.minutes, func(a, b minute) int { return cmp.Compare(a.at, b.at) })
	return r, nil
}

// decoder reads what Save wrote. Once something is bad, all it reads is 0.
type decoder struct {
	rest   []byte
	bad    bool
	now    limits.Clock
	at     int64 // of the minute before
	before [Measures]figures
}

func (d *decoder) minute() (m minute, current bool) {
	start := d.sum(d.at, maxUnix)
	d.at = start
	m.seconds, m.level = d.byte(maxSeconds), limits.Level(d.byte(byte(limits.Full)))
	for i := range m.figures {
		old := d.before[i]
		f := figures{d.sum(old.limit, most), d.sum(old.mean, most), d.sum(old.max, most)}
		d.bad = d.bad || f.limit < limits.NoLimit || f.mean < 0 || f.max < 0
		m.figures[i] = f
	}
	d.before = m.figures
	m.at, current = d.steady(time.Unix(start, 0))
	return m, current
}

func (d *decoder) breach() (x broken, current bool) {
	x.measure = Measure(d.byte(Measures - 1))
	start := d.sum(0, maxUnix*1000)
	x.length = time.Duration(d.uvarint(uint64(kept/time.Millisecond))) * time.Millisecond
	x.limit, x.worst = d.float(), d.float()
	n := d.uvarint(maxCause)
	if d.bad || n > uint64(len(d.rest)) || !utf8.Valid(d.rest[:n]) {
		d.bad = true
		return x, false
	}
	x.cause, d.rest = causeText(string(d.rest[:n])), d.rest[n:]
	x.at, current = d.steady(time.UnixMilli(start))
	return x, current
}

// maxUnix is the year 9999.
const maxUnix = 253402300799

// steady returns a time by the steady hand, and whether it is of the last day.
func (d *decoder) steady(t time.Time) (at time.Duration, current bool) {
	ago := d.now.Wall.Sub(t)
	return d.now.Steady - ago, ago >= 0 && ago <= kept
}

func (d *decoder) count(most uint64) uint64 { return d.uvarint(most) }

func (d *decoder) byte(most byte) byte {
	if d.bad || len(d.rest) == 0 || d.rest[0] > most {
		d.bad = true
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

func (d *decoder) uvarint(most uint64) uint64 {
	v, n := binary.Uvarint(d.rest)
	if d.bad || n <= 0 || v > most {
		d.bad = true
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

// sum adds a difference to what was before; neither the sum nor the difference is beyond most.
func (d *decoder) sum(before, most int64) int64 {
	v, n := binary.Varint(d.rest)
	if d.bad || n <= 0 || v > 2*most || v < -2*most || before+v > most || before+v < -most {
		d.bad = true
		return 0
	}
	d.rest = d.rest[n:]
	return before + v
}

// float reads a value or a limit.
func (d *decoder) float() float64 {
	f := math.Float64frombits(d.uvarint(math.MaxUint64))
	if f != limits.NoLimit && !(f >= 0 && f <= most) {
		d.bad = true
		return 0
	}
	return f
}
