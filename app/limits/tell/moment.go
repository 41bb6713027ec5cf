package tell

import (
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/assets/words"
)

// soon is how near a moment is of which seconds are told.
const soon = 2 * time.Minute

// Date writes the day of a moment in its zone.
func Date(t time.Time, lang string) string {
	return words.Text(lang, "time.date", words.Args{
		"day": strconv.Itoa(t.Day()), "month": words.Text(lang, "time.month."+strconv.Itoa(int(t.Month())), nil),
		"year": strconv.Itoa(t.Year()),
	})
}

// Moment writes a moment as seen from now: the time, and the day if it is not today's. It writes nothing of the
// zero time.
func Moment(t, now time.Time, lang string) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(now.Location())
	clock := clockOf(t, now, lang)
	switch days := daysFrom(now, t); {
	case days == 0:
		return clock
	case days > -7 && days < 7:
		return dayIn(days, t, lang) + " " + clock
	}
	return Date(t, lang) + ", " + clock
}

// When writes a moment, as seen from now, at which something happens: "at 23:00", "tomorrow at 23:00", "on
// Friday at 23:00".
func When(t, now time.Time, lang string) string {
	if t.IsZero() {
		return ""
	}
	t = t.In(now.Location())
	at := words.Text(lang, "time.at", words.Args{"time": clockOf(t, now, lang)})
	days := daysFrom(now, t)
	if days == 0 {
		return at
	}
	day := Date(t, lang)
	if days > -7 && days < 7 {
		day = dayIn(days, t, lang)
	}
	if days != 1 && days != -1 {
		day = words.Text(lang, "time.on", words.Args{"day": day})
	}
	return day + " " + at
}

// clockOf writes the time of a moment.
func clockOf(t, now time.Time, lang string) string {
	clock := t.Format("15:04")
	if d := t.Sub(now); d > -soon && d < soon {
		clock = t.Format("15:04:05")
	}
	return words.Text(lang, "time.clock", words.Args{"time": clock})
}

// dayIn names a day that is so many days after today, fewer than seven.
func dayIn(days int, t time.Time, lang string) string {
	switch days {
	case 1:
		return words.Text(lang, "time.tomorrow", nil)
	case -1:
		return words.Text(lang, "time.yesterday", nil)
	}
	return words.Text(lang, "time.weekday."+strconv.Itoa(int(t.Weekday())), nil)
}

// daysFrom returns how many days after that of one moment the day of another is, each in its own zone.
func daysFrom(from, to time.Time) int {
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(day(to).Sub(day(from)) / (24 * time.Hour))
}

// lengthText writes a length of time, "" for none.
func lengthText(d time.Duration, lang string) string {
	if d = d.Truncate(time.Second); d <= 0 {
		return ""
	}
	return words.Length(lang, d)
}

// Bytes writes a number of bytes for people, in decimal units.
func Bytes(n int64, lang string) string {
	return strings.ReplaceAll(words.Bytes(lang, max(n, 0)), "\u00a0", " ")
}
