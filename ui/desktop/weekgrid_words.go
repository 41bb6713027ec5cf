package desktop

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// toldParts is how many parts of a week are told one by one.
const toldParts = 6

// weekText says a week in a sentence.
func (s speech) weekText(w *week) string {
	base, parts := w.summary()
	key := strconv.Itoa(int(base))
	if len(parts) == 0 {
		return s.t("week.all." + key)
	}
	var texts []string
	for _, p := range parts[:min(len(parts), toldParts)] {
		texts = append(texts, s.partText(p, base))
	}
	if more := len(parts) - toldParts; more > 0 {
		texts = append(texts, s.n("week.more", int64(more)))
	}
	list := strings.Join(texts, ", ")
	if base != levelOff {
		return s.t("week.but."+key, "parts", list)
	}
	first, size := utf8.DecodeRuneInString(list)
	return string(unicode.ToUpper(first)) + list[size:] + "."
}

func (s speech) partText(p weekPart, base level) string {
	times := s.t("week.allday")
	if p.from != 0 || p.to != dayCells {
		times = clockOf(p.from) + "–" + clockOf(p.to)
	}
	text := s.daysText(p.days) + " " + times
	if base == levelOff && p.level == levelFull {
		return text
	}
	return s.t("week.part."+strconv.Itoa(int(p.level)), "text", text)
}

func (s speech) daysText(days [weekDays]bool) string {
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
			names = append(names, s.weekday(d)+"–"+s.weekday(last))
		case last > d:
			names = append(names, s.weekday(d), s.weekday(last))
		default:
			names = append(names, s.weekday(d))
		}
		d = last + 1
		all = all && last == weekDays-1
	}
	switch {
	case all:
		return s.t("week.everyday")
	case days == [weekDays]bool{5: true, 6: true}:
		return s.t("week.weekend")
	}
	return strings.Join(names, "/")
}

// cellText says what is allowed in a cell, as "Tuesday 14:15 allowed".
func (s speech) cellText(w *week, cell int) string {
	return s.t("week.cell", "day", s.dayName(cell/dayCells), "time", clockOf(cell%dayCells), "level",
		s.t("week.is."+strconv.Itoa(int(w[cell]))))
}

// dayName is a day of the week, Monday is 0.
func (s speech) dayName(day int) string { return s.t("window.settings.day." + strconv.Itoa(day)) }
