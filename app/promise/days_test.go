package promise

import (
	"errors"
	"math"
	"testing"
	"time"
)

var midday = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A month is the last thirty days, by the time in which something was measured.
func TestDays_Mean(t *testing.T) {
	d := new(Days)
	if got := d.Mean(midday, CPU); got != -1 {
		t.Errorf("of nothing: %v", got)
	}
	of := func(v float64) (m [Measures]float64) { m[CPU] = v; return m }
	d.Note(midday.AddDate(0, 0, -30), 1000, of(90)) // too long ago
	d.Note(midday.AddDate(0, 0, -29), 300, of(20))
	d.Note(midday, 60, of(2))
	d.Note(midday, 40, of(2))
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		d.Note(midday, bad, of(50))
	}
	d.Note(midday, 100, of(math.Inf(1))) // measured nothing that counts
	if got, want := d.Mean(midday, CPU), (300*20.0+100*2)/500; math.Abs(got-want) > 1e-9 {
		t.Errorf("mean %v, want %v", got, want)
	}
	if got := d.Mean(midday.AddDate(0, 0, 1), CPU); math.Abs(got-1) > 1e-9 {
		t.Errorf("a day later: %v, want that of today alone", got)
	}
	if len(d.list) > monthDays {
		t.Errorf("%d days are kept", len(d.list))
	}
}

func TestDays_SurviveARestart(t *testing.T) {
	d := new(Days)
	for i := range 100 {
		d.Note(midday.AddDate(0, 0, i-99), 1, [Measures]float64{Up: 8})
	}
	raw, err := d.Save()
	if err != nil || len(d.list) != monthDays {
		t.Fatalf("%d days, %v", len(d.list), err)
	}
	again, err := RestoreDays(midday, raw)
	if err != nil || again.Mean(midday, Up) != 8 || len(again.list) != monthDays {
		t.Errorf("%d days, mean %v, %v", len(again.list), again.Mean(midday, Up), err)
	}
	past, err := RestoreDays(midday.AddDate(0, 0, -10), raw) // the clock was wrong
	if err != nil || len(past.list) != monthDays-10 {
		t.Errorf("%d days with a clock ten days back, %v", len(past.list), err)
	}
	if d, err := RestoreDays(midday, nil); err != nil || d.Mean(midday, Up) != -1 {
		t.Errorf("of a new node: %v", err)
	}
}

func FuzzRestoreDays(f *testing.F) {
	for _, s := range []string{"", "null", "[]", `[{"day":20512,"seconds":1,"sums":[1,2,3,4,5,6]}]`, `[{"day":20512,"seconds":-1}]`,
		`[{"day":20512,"seconds":1},{"day":20512,"seconds":1}]`, `[{"day":1,"seconds":1,"sums":[-1]}]`, "{", `[{"day":20512,"seconds":1e300}]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := RestoreDays(midday, raw)
		if err != nil && (!errors.Is(err, ErrDamaged) || len(d.list) > 0) {
			t.Errorf("%v, %d days", err, len(d.list))
		}
		if len(d.list) > monthDays {
			t.Errorf("%d days", len(d.list))
		}
		for m := range Measures {
			if v := d.Mean(midday, Measure(m)); v != -1 && !(v >= 0 && v <= math.MaxFloat64) {
				t.Errorf("mean %v", v)
			}
		}
		d.Note(midday, 1, [Measures]float64{1})
	})
}
