package tell

import (
	"fmt"
	"strings"
	"time"
)

// calendar is how a language writes times.
type calendar struct {
	yesterday, tomorrow string
	weekdays            [7]string
	date                func(t time.Time) string
	at, on              string // stand before a time of day and a day on which something happens
	after               string // stands after a time of day
}

var englishMonths = [...]string{"January", "February", "March", "April", "May", "June", "July", "August",
	"September", "October", "November", "December"}
var germanMonths = [...]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
	"Oktober", "November", "Dezember"}

var calendars = [langs]calendar{
	English: {
		yesterday: "yesterday", tomorrow: "tomorrow",
		weekdays: [7]string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
		date: func(t time.Time) string {
			return fmt.Sprintf("%d %s %d", t.Day(), englishMonths[t.Month()-1], t.Year())
		},
		at: "at ", on: "on ",
	},
	German: {
		yesterday: "gestern", tomorrow: "morgen",
		weekdays: [7]string{"Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"},
		date: func(t time.Time) string {
			return fmt.Sprintf("%d. %s %d", t.Day(), germanMonths[t.Month()-1], t.Year())
		},
		at: "um ", on: "am ",
		after: " Uhr",
	},
}

// soon is how near a moment is of which seconds are told.
const soon = 2 * time.Minute

// Date writes the day of a moment in its zone.
func Date(t time.Time, l Lang) string { return calendars[min(l, langs-1)].date(t) }

// Moment writes a moment as seen from now: the time, and the day if it is not today's. It writes nothing of the
// zero time.
func Moment(t, now time.Time, l Lang) string {
	day, clock := momentParts(t, now, min(l, langs-1))
	if !strings.Contains(day, " ") {
		return strings.TrimSpace(day + " " + clock)
	}
	return day + ", " + clock
}

// When writes a moment, as seen from now, at which something happens: "at 23:00", "tomorrow at 23:00", "on
// Friday at 23:00".
func When(t, now time.Time, l Lang) string {
	l = min(l, langs-1)
	day, clock := momentParts(t, now, l)
	if clock == "" {
		return ""
	}
	c := &calendars[l]
	switch day {
	case "":
		return c.at + clock
	case c.tomorrow, c.yesterday:
		return day + " " + c.at + clock
	}
	return c.on + day + " " + c.at + clock
}

// momentParts writes the day of a moment, "" for today's, and its time.
func momentParts(t, now time.Time, l Lang) (day, clock string) {
	if t.IsZero() {
		return "", ""
	}
	t = t.In(now.Location())
	c := &calendars[l]
	clock = t.Format("15:04")
	if d := t.Sub(now); d > -soon && d < soon {
		clock = t.Format("15:04:05")
	}
	clock += c.after
	switch days := dayOf(t) - dayOf(now); {
	case days == 0:
		return "", clock
	case days == 1:
		return c.tomorrow, clock
	case days == -1:
		return c.yesterday, clock
	case days > -7 && days < 7:
		return c.weekdays[t.Weekday()], clock
	}
	return c.date(t), clock
}

// dayOf returns the number of a moment's day in its own zone.
func dayOf(t time.Time) int {
	year, month, day := t.Date()
	return int(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
}

// lengthText writes a length of time, in the case that German has after "nach" and "für":
// they do not differ in the plural, and of one there is no article.
func lengthText(d time.Duration, l Lang) string {
	words := [...][2]string{{"hour", "hours"}, {"minute", "minutes"}, {"second", "seconds"}}
	if l == German {
		words = [...][2]string{{"Stunde", "Stunden"}, {"Minute", "Minuten"}, {"Sekunde", "Sekunden"}}
	}
	if d = d.Truncate(time.Second); d <= 0 {
		return ""
	}
	var items []string
	for i, unit := range [...]time.Duration{time.Hour, time.Minute, time.Second} {
		n := d / unit
		d -= n * unit
		switch {
		case n == 1:
			items = append(items, "1 "+words[i][0])
		case n > 1:
			items = append(items, fmt.Sprintf("%d %s", n, words[i][1]))
		}
	}
	return strings.Join(items, " ")
}
