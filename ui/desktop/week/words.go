package week

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forage-net/forage/ui/desktop/speech"
)

// toldParts is how many parts of a week are told one by one.
const toldParts = 6

// Text says a week in a sentence.
func Text(s speech.Speech, w *Week) string {
	base, parts := w.summary()
	key := strconv.Itoa(int(base))
	if len(parts) == 0 {
		return s.T("week.all." + key)
	}
	var texts []string
	for _, p := range parts[:min(len(parts), toldParts)] {
		texts = append(texts, partText(s, p, base))
	}
	if more := len(parts) - toldParts; more > 0 {
		texts = append(texts, s.N("week.more", int64(more)))
	}
	list := strings.Join(texts, ", ")
	if base != levelOff {
		return s.T("week.but."+key, "parts", list)
	}
	first, size := utf8.DecodeRuneInString(list)
	return string(unicode.ToUpper(first)) + list[size:] + "."
}

func partText(s speech.Speech, p weekPart, base level) string {
	times := s.T("week.allday")
	if p.from != 0 || p.to != dayCells {
		times = clockOf(p.from) + "–" + clockOf(p.to)
	}
	text := daysText(s, p.days) + " " + times
	if base == levelOff && p.level == levelFull {
		return text
	}
	return s.T("week.part."+strconv.Itoa(int(p.level)), "text", text)
}

func daysText(s speech.Speech, days [weekDays]bool) string {
	var names []string
	all := true
	for d := 0; d < weekDays; d++ {
		if all = all && days[d]; !days[d] {
			continue
		}
		last := d
		for last+1 < weekDays && days[last+1] {
			last++
		}
		switch {
		case last-d >= 2:
			names = append(names, s.Weekday(d)+"–"+s.Weekday(last))
		case last > d:
			names = append(names, s.Weekday(d), s.Weekday(last))
		default:
			names = append(names, s.Weekday(d))
		}
		d = last + 1
		all = all && last == weekDays-1
	}
	switch {
	case all:
		return s.T("week.everyday")
	case days == [weekDays]bool{5: true, 6: true}:
		return s.T("week.weekend")
	}
	return strings.Join(names, "/")
}

// cellText says what is allowed in a cell, as "Tuesday 14:15 allowed".
func cellText(s speech.Speech, w *Week, cell int) string {
	return s.T("week.cell", "day", dayName(s, cell/dayCells), "time", clockOf(cell%dayCells), "level",
		s.T("week.is."+strconv.Itoa(int(w[cell]))))
}

// dayName is a day of the week, Monday is 0.
func dayName(s speech.Speech, day int) string { return s.T("window.settings.day." + strconv.Itoa(day)) }
