package crawl

import (
	"strings"
	"time"
)

const (
	// maxSegments is the deepest path of a page that a person filed. Heritrix
	// stops at the same depth.
	maxSegments = 20
	// maxParams is the most parameters a query may have. Forms and filters
	// that people use stay well below it; facets that machines combine do not.
	maxParams = 12
	// firstYear is the earliest year that is believed to have pages of its own:
	// newspapers file theirs by date, and the archives of some go back that far.
	firstYear = 1800
)

// Trap judges by the text of u alone whether it is a URL that only machines
// make: "" if it may be a page, else the key of the words that say why. It
// allocates nothing. The next year by now is the last one that dates may have.
func (u URL) Trap(now time.Time) string {
	path, query, _ := strings.Cut(u.Path(), "?")
	var segments [maxSegments]string
	n := 0
	for rest, more := path[1:], path != "/"; more; n++ {
		if n == maxSegments && rest != "" {
			return "said.visit.trap-deeper"
		}
		var segment string
		if segment, rest, more = strings.Cut(rest, "/"); segment == "" && !more {
			break // a slash at the end is no segment
		}
		segments[n] = segment
	}
	if n > 2 {
		if reason := repeats(segments[:n]); reason != "" {
			return reason
		}
	}
	if n > 1 && u.namesHostTwice(segments[:n]) {
		return "said.visit.trap-host-twice"
	}
	if strings.Count(query, "&") >= maxParams {
		return "said.visit.trap-parameters"
	}
	if pathDateIsAbsurd(segments[:n], now) || query != "" && queryDateIsAbsurd(query, now) {
		return "said.visit.trap-date"
	}
	return ""
}

// repeats returns the key of what is wrong with a path that goes in circles.
func repeats(segments []string) string {
	for period := 1; period*3 <= len(segments); period++ {
		run := 0 // how many segments in a row equal the one a period before
		for i := period; i < len(segments); i++ {
			if segments[i] != segments[i-period] {
				run = 0
			} else if run++; run < 2*period {
				continue
			} else if period == 1 {
				return "said.visit.trap-segment"
			} else {
				return "said.visit.trap-group"
			}
		}
	}
	if len(segments) < 8 {
		return ""
	}
	for i, s := range segments {
		times := 1
		for _, other := range segments[i+1:] {
			if other == s {
				times++
			}
		}
		if times >= 4 {
			return "said.visit.trap-four"
		}
	}
	return ""
}

// namesHostTwice reports whether links without their "http://" were taken for
// paths, again and again.
func (u URL) namesHostTwice(segments []string) bool {
	host := u.text[u.host:u.hostEnd]
	if strings.IndexByte(host, '.') < 0 {
		return false // "docs" may be host and directory
	}
	times := 0
	for _, s := range segments {
		if strings.EqualFold(s, host) || strings.EqualFold(s, u.Host()) {
			times++
		}
	}
	return times >= 2
}

// pathDateIsAbsurd looks for a year and a month as segments, with or without a day.
func pathDateIsAbsurd(segments []string, now time.Time) bool {
	for i := range len(segments) - 1 {
		year, month := segments[i], segments[i+1]
		if len(year) != 4 || !isDigits(year) || !isUpTo(month, 12) {
			continue
		}
		isDate := len(month) == 2 || i+2 < len(segments) && isUpTo(segments[i+2], 31)
		if isDate && isAbsurd(year, now) {
			return true
		}
	}
	return false
}

// dateParams are names of query parameters that say that the value is a date,
// alone or after "cal", "calendar" or "event".
var dateParams = []string{"date", "day", "month", "week", "year", "yr"}

// queryDateIsAbsurd looks for dates in the parameters that say they hold one.
func queryDateIsAbsurd(query string, now time.Time) bool {
	for more := true; more; {
		var param string
		param, query, more = strings.Cut(query, "&")
		if name, value, _ := strings.Cut(param, "="); len(value) >= 4 && isDateParam(name) && isDate(value) &&
			isAbsurd(value[:4], now) {
			return true
		}
	}
	return false
}

func isDateParam(name string) bool {
	for _, prefix := range [...]string{"calendar", "cal", "event"} {
		if hasPrefixFold(name, prefix) {
			name = strings.TrimLeft(name[len(prefix):], "-_")
			return name == "" && prefix != "event" || containsFold(dateParams, name)
		}
	}
	return containsFold(dateParams, name)
}

// isDate reports whether s is YYYY, YYYYMM, YYYYMMDD, or begins with YYYY-MM,
// where "/", ".", or an encoded "/" may stand for the hyphen.
func isDate(s string) bool {
	if len(s) < 4 || !isDigits(s[:4]) {
		return false
	}
	rest := s[4:]
	if rest == "" {
		return true
	}
	if isDigits(rest) {
		return (len(rest) == 2 || len(rest) == 4 && isUpTo(rest[2:], 31)) && isUpTo(rest[:2], 12)
	}
	switch {
	case rest[0] == '-' || rest[0] == '/' || rest[0] == '.':
		rest = rest[1:]
	case strings.HasPrefix(rest, "%2F"):
		rest = rest[3:]
	default:
		return false
	}
	n := 0
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	return isUpTo(rest[:n], 12)
}

// isAbsurd reports whether a calendar page of that year, four digits, is one nobody wrote.
func isAbsurd(year string, now time.Time) bool {
	y := number(year)
	return y < firstYear || y > now.Year()+1
}

// isUpTo reports whether s is one or two digits that make a number from 1 to most.
func isUpTo(s string, most int) bool {
	return len(s) >= 1 && len(s) <= 2 && isDigits(s) && 1 <= number(s) && number(s) <= most
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// number reads a few digits.
func number(s string) (n int) {
	for i := range len(s) {
		n = 10*n + int(s[i]-'0')
	}
	return n
}
