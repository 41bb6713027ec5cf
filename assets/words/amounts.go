package words

import (
	"strconv"
	"strings"
	"time"
)

// Decimal writes a number with at most so many digits behind the point; noughts at the end are left out.
func Decimal(lang string, f float64, digits int) string {
	text := strconv.FormatFloat(f, 'f', digits, 64)
	whole, part, _ := strings.Cut(text, ".")
	part = strings.TrimRight(part, "0")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil && n != 0 {
		whole = Number(lang, n)
	}
	if part == "" {
		return whole
	}
	point := "."
	if lang == German {
		point = ","
	}
	return whole + point + part
}

// Bytes writes an amount with SI units, as disks and providers count them.
func Bytes(lang string, n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	f, i := float64(n), 0
	for (f >= 999.5 || f <= -999.5) && i < len(units)-1 {
		f, i = f/1000, i+1
	}
	digits := 0
	if i > 0 && f < 99.5 {
		digits = 1
	}
	return Decimal(lang, f, digits) + "\u00a0" + units[i]
}

// Length writes a length of time in its two largest units.
func Length(lang string, d time.Duration) string {
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
			parts = append(parts, counted(lang, u.key, u.n))
		}
	}
	if len(parts) == 0 {
		return counted(lang, "unit.seconds", 0)
	}
	return strings.Join(parts, " ")
}

func counted(lang, key string, n int64) string { return Text(lang, key, Args{"n": n, "count": n}) }
