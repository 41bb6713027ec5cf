package limits

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Lang is a language that reasons are told in.
type Lang uint8

const (
	English Lang = iota
	German

	langs
)

// LangOf returns the language of a locale such as "de_DE.UTF-8" or "de-AT", English for those without
// texts.
func LangOf(locale string) Lang {
	if len(locale) >= 2 && strings.EqualFold(locale[:2], "de") && (len(locale) == 2 || strings.ContainsRune("-_.@", rune(locale[2]))) {
		return German
	}
	return English
}

// Sentence tells the reason in one whole sentence: what, and until when. All front ends
// show it as it is. now is in the user's zone.
func (r Reason) Sentence(l Lang, now time.Time) string {
	if l >= langs || r.Kind >= kinds {
		l, r.Kind = min(l, langs-1), min(r.Kind, kinds-1)
	}
	return fill(texts()[r.Kind][l].of(r.Allows), func(name string) string { return r.word(name, l, now) })
}

// Sentence tells why the level is as it is: the first reason that limits it, or else the
// first there is, or that there is none.
func (d Decision) Sentence(l Lang, now time.Time) string {
	if len(d.Reasons) == 0 {
		return Reason{Kind: HasFullBudget, Allows: Full}.Sentence(l, now)
	}
	return d.Reasons[0].Sentence(l, now)
}

// word returns what stands for a name in braces, "" if nothing is known.
func (r Reason) word(name string, l Lang, now time.Time) string {
	switch name {
	case "until":
		return momentText(r.Until, now, l)
	case "when":
		return whenText(r.Until, now, l)
	case "after":
		return lengthText(r.After, l)
	case "name":
		return r.Name
	case "limit":
		if r.Limit != 0 {
			return strconv.FormatInt(r.Limit, 10)
		}
	case "fault":
		return faultText(r.Value, l)
	case "bytes":
		return bytesText(r.Value, l)
	case "most":
		return bytesText(r.Limit, l)
	}
	return ""
}

// fill puts words into a text. "{name}" stands for a word. Of alternatives
// "[one {a}|two {b}|three]", the first of which all words are known stands, and none if
// there is none.
func fill(text string, word func(name string) string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "[")
		filled, _ := fillWords(before, word)
		b.WriteString(filled)
		if !found {
			return b.String()
		}
		choice, after, _ := strings.Cut(rest, "]")
		for alternative := range strings.SplitSeq(choice, "|") {
			if filled, ok := fillWords(alternative, word); ok {
				b.WriteString(filled)
				break
			}
		}
		text = after
	}
}

// fillWords fills a text without alternatives, and reports whether all words are known.
func fillWords(text string, word func(string) string) (filled string, ok bool) {
	var b strings.Builder
	ok = true
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String(), ok
		}
		name, after, _ := strings.Cut(rest, "}")
		w := word(name)
		ok = ok && w != ""
		b.WriteString(w)
		text = after
	}
}

// calendar is how a language writes times.
type calendar struct {
	yesterday, tomorrow string
	weekdays            [7]string
	date                func(t time.Time) string
	at, on              string // stand before a time of day and a day on which something happens
	after               string // stands after a time of day
}

var englishMonths = [...]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
var germanMonths = [...]string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November", "Dezember"}

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

// Moment writes a moment as seen from now: the time, and the day if it is not today's.
func Moment(t, now time.Time, l Lang) string { return momentText(t, now, min(l, langs-1)) }

// momentText writes a moment as seen from now: the time, and the day if it is not today's.
func momentText(t, now time.Time, l Lang) string {
	day, clock := momentParts(t, now, l)
	if !strings.Contains(day, " ") {
		return strings.TrimSpace(day + " " + clock)
	}
	return day + ", " + clock
}

// When writes a moment, as seen from now, at which something happens: "at 23:00", "tomorrow at 23:00", "on Friday at 23:00".
func When(t, now time.Time, l Lang) string { return whenText(t, now, min(l, langs-1)) }

// whenText is When.
func whenText(t, now time.Time, l Lang) string {
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

// Bytes writes a number of bytes for people, in decimal units.
func Bytes(n int64, l Lang) string { return bytesText(n, min(l, langs-1)) }

// bytesText writes a number of bytes in decimal units.
func bytesText(n int64, l Lang) string {
	units := [...]string{"B", "kB", "MB", "GB", "TB"}
	value, unit := float64(max(n, 0)), 0
	for value >= 999.5 && unit < len(units)-1 {
		value /= 1000
		unit++
	}
	text := strconv.FormatFloat(value, 'f', 1, 64)
	if unit == 0 || value >= 99.95 {
		text = strconv.FormatFloat(value, 'f', 0, 64)
	}
	text = strings.TrimSuffix(text, ".0")
	if l == German {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text + " " + units[unit]
}
