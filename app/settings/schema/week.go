package schema

import (
	"math/bits"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

const (
	weekDays = 7
	dayCells = limits.Cells / weekDays

	// sameAsWork is the text of a week that is that of the hours of work.
	sameAsWork = "work"
	// toldParts is how many parts of a week are told one by one.
	toldParts = 6

	allDays, weekend = 1<<weekDays - 1, 1<<5 | 1<<6
)

// weekOf returns a week as days of quarters of an hour.
func weekOf(item config.Item, c config.Config) (w api.Week) {
	if item.Type != "week" {
		return w
	}
	if item.DefaultText == sameAsWork {
		w.SameAs = sameAsWork
	}
	g := c.Limits.Schedule.Work
	if item.Text != sameAsWork {
		g, _ = limits.ParseGrid(item.Text) // the configuration wrote it
	}
	for day := range weekDays {
		levels := make([]int, dayCells)
		for i, l := range g[day*dayCells : (day+1)*dayCells] {
			levels[i] = int(l)
		}
		w.Levels = append(w.Levels, levels)
	}
	return w
}

// weekWords says a week as it stands within a sentence.
func weekWords(text, lang string) string {
	if text == sameAsWork {
		return words.Text(lang, "set.week.same", nil)
	}
	g, err := limits.ParseGrid(text)
	if err != nil {
		return text
	}
	base, parts := g.Summary()
	key := strconv.Itoa(int(base))
	if len(parts) == 0 {
		return words.Text(lang, "week.all."+key, nil)
	}
	var texts []string
	for _, p := range parts[:min(len(parts), toldParts)] {
		texts = append(texts, partWords(p, base, lang))
	}
	if more := len(parts) - toldParts; more > 0 {
		texts = append(texts, words.Text(lang, "week.more", words.Args{"n": more, "count": more}))
	}
	list := strings.Join(texts, ", ")
	if base != limits.Off {
		return words.Text(lang, "week.but."+key, words.Args{"parts": list})
	}
	first, size := utf8.DecodeRuneInString(list)
	return string(unicode.ToUpper(first)) + list[size:]
}

func partWords(p limits.GridPart, base limits.Level, lang string) string {
	times := words.Text(lang, "week.allday", nil)
	if !p.IsWholeDay() {
		times = limits.QuarterText(p.From) + "–" + limits.QuarterText(p.To)
	}
	text := daysWords(p.Days, lang) + " " + times
	if base == limits.Off && p.Level == limits.Full {
		return text
	}
	return words.Text(lang, "week.part."+strconv.Itoa(int(p.Level)), words.Args{"text": text})
}

// daysWords says a set of days, the lowest bit being Monday. Three and more in a row are told as first and last.
func daysWords(set uint8, lang string) string {
	switch set {
	case allDays:
		return words.Text(lang, "week.everyday", nil)
	case weekend:
		return words.Text(lang, "week.weekend", nil)
	}
	name := func(day int) string { return words.Text(lang, "weekday."+strconv.Itoa(day), nil) }
	var names []string
	for day := 0; day < weekDays; {
		switch n := bits.TrailingZeros8(^(set >> day)); {
		case n >= 3:
			names = append(names, name(day)+"–"+name(day+n-1))
			day += n
		case n > 0:
			names = append(names, name(day))
			fallthrough
		default:
			day++
		}
	}
	return strings.Join(names, "/")
}
