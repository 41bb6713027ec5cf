package speech

import (
	"math"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/desktop/shown"
)

// Number writes a whole number with its thousands apart.
func (s Speech) Number(n int64) string { return words.Number(s.Lang, n) }

// Decimal writes a number with at most so many digits behind the point; noughts at the end are left out.
func (s Speech) Decimal(f float64, digits int) string { return words.Decimal(s.Lang, f, digits) }

// Percent writes a share of 1 in percent.
func (s Speech) Percent(share float64, digits int) string {
	space := ""
	if s.Lang == words.German {
		space = "\u00a0"
	}
	return s.Decimal(100*share, digits) + space + "%"
}

// Bytes writes an amount with SI units, as disks and providers count them.
func (s Speech) Bytes(n int64) string { return words.Bytes(s.Lang, n) }

// Length writes a length of time in its two largest units.
func (s Speech) Length(d time.Duration) string { return words.Length(s.Lang, d) }

// Count writes how many there are of something.
func (s Speech) Count(f float64) string { return s.Number(int64(math.Round(shown.Amount(f)))) }

// Amount writes bytes.
func (s Speech) Amount(f float64) string { return s.Bytes(int64(shown.Amount(f))) }

// Hours writes a length of time that is given in hours.
func (s Speech) Hours(f float64) string { return s.T("mine.hours", "v", s.Decimal(shown.Amount(f), 1)) }

// Span writes a length of time in its largest unit, of hours, minutes and seconds.
func (s Speech) Span(sec int64) string {
	switch {
	case sec >= 3600:
		return s.Hours(float64(sec) / 3600)
	case sec >= 60:
		return s.N("unit.minutes", sec/60)
	}
	return s.N("unit.seconds", max(0, sec))
}
