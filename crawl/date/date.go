// Package date reads dates as people and programs write them on the web: in sitemaps and feeds, and in fields of HTTP
// that should have another form. It keeps nothing and is safe for concurrent use.
package date

import (
	"strings"
	"time"
)

const (
	// maxDate is the longest text that is read as a date, in bytes.
	maxDate = 64
	// Dates before firstYear or after lastYear are mistakes.
	firstYear, lastYear = 1970, 2199
)

// Parse reads a date as sitemaps, feeds and servers write it: in the W3C's profile of
// ISO 8601 or any part of it, or as in mail (RFC 822 and 1123, also with the
// parts in another order, without the time or with the names in full). A date
// without a zone is in UTC. It returns the zero time for what is none of
// these.
func Parse(s string) time.Time {
	if len(s) > maxDate {
		return time.Time{}
	}
	var d date
	first := true
	for word := range strings.FieldsFuncSeq(s, func(c rune) bool { return c <= ' ' || c == ',' }) {
		ok := false
		if first && leadingDigits(word) == 4 {
			ok = d.readISO(word)
		} else {
			ok = d.readWord(word)
		}
		if !ok {
			return time.Time{}
		}
		first = false
	}
	return d.time()
}

// date is a date of which parts are known. Year and month are 0 if not.
type date struct {
	year, month, day     int
	hour, minute, second int
	offset               int // seconds east of UTC
	pm                   bool
}

func (d *date) time() time.Time {
	if d.month == 0 && d.day == 0 {
		d.month = 1
	}
	if d.day == 0 {
		d.day = 1
	}
	if d.pm && d.hour < 12 {
		d.hour += 12
	}
	if d.year < firstYear || d.year > lastYear || d.month < 1 || d.month > 12 || d.hour > 23 || d.minute > 59 ||
		d.second > 60 {
		return time.Time{}
	}
	t := time.Date(d.year, time.Month(d.month), d.day, d.hour, d.minute, d.second, 0, time.UTC)
	if day := time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC); day.Day() != d.day {
		return time.Time{} // the month is shorter
	}
	return t.Add(-time.Duration(d.offset) * time.Second)
}

// readISO reads "2006", "2006-01", "2006-01-02" and these with "T15:04" and more.
func (d *date) readISO(s string) bool {
	var n int
	d.year, s = number(s, 4)
	for _, part := range []*int{&d.month, &d.day} {
		if s == "" || s[0] != '-' && s[0] != '/' {
			break
		}
		if n, s = number(s[1:], 2); n == 0 {
			return false
		}
		*part = n
	}
	if s == "" {
		return true
	}
	return (s[0] == 'T' || s[0] == 't') && d.readTime(s[1:])
}

// readTime reads "15:04", "15:04:05" and "15:04:05.999", a zone behind it.
func (d *date) readTime(s string) bool {
	if leadingDigits(s) == 0 {
		return false
	}
	d.hour, s = number(s, 2)
	for _, part := range []*int{&d.minute, &d.second} {
		if s == "" || s[0] != ':' || leadingDigits(s[1:]) == 0 {
			break
		}
		*part, s = number(s[1:], 2)
	}
	if s != "" && s[0] == '.' {
		s = s[1+leadingDigits(s[1:]):]
	}
	return d.readZone(s)
}

// readZone reads "", "Z", "+02", "+0200", "+02:00", the names that RFC 822
// knows and a name with a number. Another name means UTC, as RFC 1123 has it.
func (d *date) readZone(s string) bool {
	name := s
	if i := strings.IndexAny(s, "+-"); i >= 0 {
		name, s = s[:i], s[i:]
	} else {
		s = ""
	}
	if len(name) > len("CEST") ||
		strings.ContainsFunc(name, func(c rune) bool { return c > 'z' || !isLetter(byte(c)) }) {
		return false
	}
	if s == "" {
		d.offset = zoneOffset(name)
		return true
	}
	hours, rest := number(s[1:], 2)
	minutes, rest := number(strings.TrimPrefix(rest, ":"), 2)
	if rest != "" || hours > 14 || minutes > 59 || leadingDigits(s[1:]) == 0 {
		return false
	}
	d.offset = 3600*hours + 60*minutes
	if s[0] == '-' {
		d.offset = -d.offset
	}
	return true
}

// zoneOffset returns what a zone is ahead of UTC, in seconds.
func zoneOffset(name string) int {
	const hour = 3600
	switch strings.ToUpper(name) {
	case "EDT":
		return -4 * hour
	case "EST", "CDT":
		return -5 * hour
	case "CST", "MDT":
		return -6 * hour
	case "MST", "PDT":
		return -7 * hour
	case "PST":
		return -8 * hour
	case "BST", "CET":
		return 1 * hour
	case "CEST", "EET":
		return 2 * hour
	case "EEST", "MSK":
		return 3 * hour
	case "JST", "KST":
		return 9 * hour
	}
	return 0
}

// readWord reads a word of a date as in mail, whichever place it has.
func (d *date) readWord(s string) bool {
	digits := leadingDigits(s)
	switch {
	case digits == 0:
		return d.readName(s)
	case strings.Contains(s, ":"):
		return d.readTime(s)
	case digits == len(s) && digits <= 2 && d.day == 0:
		d.day, _ = number(s, 2)
		return d.day > 0
	case digits == len(s):
		return d.readYear(s)
	}
	for part := range strings.SplitSeq(s, "-") { // "06-Sep-09"
		if part == s || !d.readWord(part) {
			return false
		}
	}
	return true
}

func (d *date) readYear(s string) bool {
	if d.year != 0 || len(s) != 2 && len(s) != 4 {
		return false
	}
	d.year, _ = number(s, 4)
	switch {
	case len(s) == 4:
	case d.year < firstYear-1900:
		d.year += 2000
	default:
		d.year += 1900
	}
	return true
}

// readName reads the name of a month, a day or a zone, or the number of one.
func (d *date) readName(s string) bool {
	if s == "" {
		return false
	}
	if len(s) >= 3 && isLetter(s[0]) {
		const months, days = "janfebmaraprmayjunjulaugsepoctnovdec", "montuewedthufrisatsun"
		short := strings.ToLower(s[:3])
		if i := strings.Index(months, short); i >= 0 && i%3 == 0 && d.month == 0 {
			d.month = i/3 + 1
			return true
		}
		if i := strings.Index(days, short); i >= 0 && i%3 == 0 {
			return true
		}
	}
	switch strings.ToLower(s) {
	case "am":
		if d.hour == 12 {
			d.hour = 0
		}
		return true
	case "pm":
		d.pm = true
		return true
	}
	return d.readZone(s)
}

// number reads up to most digits.
func number(s string, most int) (n int, rest string) {
	i := 0
	for i < len(s) && i < most && isDigit(s[i]) {
		n = 10*n + int(s[i]-'0')
		i++
	}
	return n, s[i:]
}

func leadingDigits(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
