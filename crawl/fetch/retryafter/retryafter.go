// Package retryafter reads the field Retry-After: both forms of it (RFC 9110 §10.2.3), and what servers write
// in their place: fractions of seconds, other units, quotes, dates in other forms.
package retryafter

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/date"
)

// Parse returns how long the values of the field ask a client to wait, from 0 to crawl.MaxWait, and whether
// they ask at all. Of several the longest counts. A date is compared to now, which is by the clock of the site
// where that is known.
func Parse(values []string, now time.Time) (wait time.Duration, asks bool) {
	for _, v := range values {
		d, ok := longestWait(v, now)
		wait, asks = max(wait, d), asks || ok
	}
	return wait, asks
}

// longestWait reads a list of waits. Dates have commas of their own, so each part is tried together with the next one
// first.
func longestWait(list string, now time.Time) (longest time.Duration, ok bool) {
	parts := strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ';' })
	for i := 0; i < len(parts); i++ {
		wait, is := time.Duration(0), false
		if i+1 < len(parts) {
			if wait, is = waitUntil(parts[i]+","+parts[i+1], now); is {
				i++
			}
		}
		if !is {
			wait, is = waitOf(parts[i], now)
		}
		longest, ok = max(longest, wait), ok || is
	}
	return longest, ok
}

// waitOf reads a wait or a date.
func waitOf(text string, now time.Time) (time.Duration, bool) {
	if wait, ok := span(unquoted(text)); ok {
		return wait, true
	}
	return waitUntil(text, now)
}

// unquoted takes blanks and quotes off a text.
func unquoted(text string) string { return strings.Trim(text, " \t\"'`") }

func waitUntil(text string, now time.Time) (time.Duration, bool) {
	at := date.Parse(unquoted(text))
	if at.IsZero() {
		return 0, false
	}
	return min(max(at.Sub(now), 0), crawl.MaxWait), true
}

// units are what numbers of a span count, in seconds, by the beginning of their names. The longer name comes first.
var units = []struct {
	name    string
	seconds float64
}{
	{"milliseconds", 1e-3}, {"millisecond", 1e-3}, {"msecs", 1e-3}, {"msec", 1e-3}, {"ms", 1e-3},
	{"minutes", 60}, {"minute", 60}, {"mins", 60}, {"min", 60}, {"m", 60},
	{"seconds", 1}, {"second", 1}, {"secs", 1}, {"sec", 1}, {"s", 1},
	{"hours", 3600}, {"hour", 3600}, {"hrs", 3600}, {"hr", 3600}, {"h", 3600},
	{"days", 86400}, {"day", 86400}, {"d", 86400},
}

// span reads a span of time: "120", "+120.5", "2 minutes", "1h 30m", "PT5M". A number without a unit counts seconds.
func span(text string) (time.Duration, bool) {
	text = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(text), "+"), "pt")
	seconds := 0.0
	for first := true; first || text != ""; first = false {
		n := 0
		for n < len(text) && (isDigit(text[n]) || text[n] == '.') {
			n++
		}
		value, err := strconv.ParseFloat(text[:n], 64)
		if err != nil && !math.IsInf(value, 1) {
			return 0, false
		}
		unit, rest := unitOf(strings.TrimLeft(text[n:], " "))
		if unit == 0 {
			if rest != "" || !first {
				return 0, false
			}
			unit = 1
		}
		seconds += value * unit
		text = strings.TrimLeft(rest, " ")
	}
	return time.Duration(min(seconds, crawl.MaxWait.Seconds()) * float64(time.Second)), true
}

// unitOf reads the name of a unit; it is 0 if there is none.
func unitOf(text string) (seconds float64, rest string) {
	for _, u := range units {
		if rest, ok := strings.CutPrefix(text, u.name); ok && (rest == "" || !isLetter(rest[0])) {
			return u.seconds, rest
		}
	}
	return 0, text
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
