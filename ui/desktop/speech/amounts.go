package speech

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/ui/desktop/shown"
)

// Number writes a whole number with its thousands apart.
func (s Speech) Number(n int64) string { return words.Number(s.Lang, n) }

// Decimal writes a number with at most so many digits behind the point; noughts at the end are left out.
func (s Speech) Decimal(f float64, digits int) string {
	text := strconv.FormatFloat(f, 'f', digits, 64)
	whole, part, _ := strings.Cut(text, ".")
	part = strings.TrimRight(part, "0")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil && n != 0 {
		whole = s.Number(n)
	}
	if part == "" {
		return whole
	}
	point := "."
	if s.Lang == words.German {
		point = ","
	}
	return whole + point + part
}

// Percent writes a share of 1 in percent.
func (s Speech) Percent(share float64, digits int) string {
	space := ""
	if s.Lang == words.German {
		space = "\u00a0"
	}
	return s.Decimal(100*share, digits) + space + "%"
}

// Bytes writes an amount with SI units, as disks and providers count them.
func (s Speech) Bytes(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	f, i := float64(n), 0
	for (f >= 999.5 || f <= -999.5) && i < len(units)-1 {
		f, i = f/1000, i+1
	}
	digits := 0
	if i > 0 && f < 99.5 {
		digits = 1
	}
	return s.Decimal(f, digits) + "\u00a0" + units[i]
}

// Length writes a length of time in its two largest units.
func (s Speech) Length(d time.Duration) string {
	sec := int64(max(d, 0).Round(time.Second) / time.Second)
	var parts []string
	for _, u := range []struct {
		n   int64
		key string
	}{{sec / 86400, "unit.days"}, {sec / 3600 % 24, "unit.hours"}, {sec / 60 % 60, "unit.minutes"},
		{sec % 60, "unit.seconds"}} {
		switch {
		case len(parts) == 2 || len(parts) == 1 && u.n == 0:
			return strings.Join(parts, " ")
		case u.n > 0:
			parts = append(parts, s.N(u.key, u.n))
		}
	}
	if len(parts) == 0 {
		return s.N("unit.seconds", 0)
	}
	return strings.Join(parts, " ")
}

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
