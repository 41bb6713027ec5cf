package week

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A week is quarters of an hour, from Monday 00:00 on: what is allowed in each.
type Week [weekCells]level

const (
	weekDays  = 7
	dayCells  = 96
	weekCells = weekDays * dayCells
)

// level is what is allowed: nothing, gentle work or all.
type level uint8

const (
	levelOff level = iota
	levelGentle
	levelFull
)

var (
	Levels   = []string{"off", "gentle", "full"}
	dayWords = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}
)

// Of reads the week of 7 rows of 96 levels; ok is false if they are none.
func Of(rows [][]int) (w Week, ok bool) {
	if len(rows) != weekDays {
		return w, false
	}
	for day, row := range rows {
		if len(row) != dayCells {
			return w, false
		}
		for i, l := range row {
			if l < 0 || l > int(levelFull) {
				return w, false
			}
			w[day*dayCells+i] = level(l)
		}
	}
	return w, true
}

// Rows is the week as the node takes it.
func (w *Week) Rows() [][]int {
	rows := make([][]int, weekDays)
	for day := range rows {
		rows[day] = make([]int, dayCells)
		for i := range rows[day] {
			rows[day][i] = int(w[day*dayCells+i])
		}
	}
	return rows
}

// paint gives cells a level.
func (w *Week) paint(cells []int, to level) {
	for _, c := range cells {
		w[c] = to
	}
}

// box returns the cells between two corners, both of them included.
func box(a, b int) (cells []int) {
	for day := min(a/dayCells, b/dayCells); day <= max(a/dayCells, b/dayCells); day++ {
		for c := min(a%dayCells, b%dayCells); c <= max(a%dayCells, b%dayCells); c++ {
			cells = append(cells, day*dayCells+c)
		}
	}
	return cells
}

// cellsOfDay and cellsOfHour are what a head of a row and of a column paints.
func cellsOfDay(day int) []int   { return box(day*dayCells, day*dayCells+dayCells-1) }
func cellsOfHour(hour int) []int { return box(hour*4, (weekDays-1)*dayCells+hour*4+3) }

// turned is the level that cells get with a brush: what has it everywhere loses it.
func (w *Week) turned(cells []int, brush level) level {
	for _, c := range cells {
		if w[c] != brush {
			return brush
		}
	}
	return levelOff
}

// clockOf is the time at which a cell of a day begins, as 22:15.
func clockOf(cell int) string { return fmt.Sprintf("%02d:%02d", cell/4, cell%4*15) }

// Parse reads the text that the settings file has for a week, as "all full; mon-fri 09:00-17:30 off"; ok is false
// where the node would refuse it.
func Parse(text string) (w Week, ok bool) {
	var whole, windows weekLayer
	for part := range strings.SplitSeq(strings.ToLower(text), ";") {
		words := strings.Fields(part)
		if len(words) < 2 || len(words) > 3 {
			return w, false
		}
		to := slices.Index(Levels, words[len(words)-1])
		days, good := parseDays(words[0])
		layer, from, length := &whole, 0, dayCells
		if good && len(words) == 3 {
			layer = &windows
			from, length, good = parseWindow(words[1])
		}
		if to < 0 || !good {
			return w, false
		}
		for day, is := range days {
			for i := 0; is && i < length; i++ {
				cell := (day*dayCells + from + i) % weekCells
				layer.week[cell], layer.said[cell] = level(to), true
			}
		}
	}
	return whole.under(&windows)
}

// weekLayer is a week with holes.
type weekLayer struct {
	week Week
	said [weekCells]bool
}

// under lays windows over whole days. A text that says only when not to work is none.
func (l *weekLayer) under(windows *weekLayer) (w Week, ok bool) {
	said, works := true, false
	for i := range w {
		w[i] = l.week[i]
		if windows.said[i] {
			w[i] = windows.week[i]
		}
		said = said && (l.said[i] || windows.said[i])
		works = works || w[i] != levelOff
	}
	return w, said || works
}

func parseDays(text string) (days [weekDays]bool, ok bool) {
	for item := range strings.SplitSeq(text, ",") {
		if item == "all" {
			item = "mon-sun"
		}
		first, last, isRange := strings.Cut(item, "-")
		if !isRange {
			last = first
		}
		from, to := slices.Index(dayWords, first), slices.Index(dayWords, last)
		if from < 0 || to < 0 {
			return days, false
		}
		for d := from; ; d = (d + 1) % weekDays {
			days[d] = true
			if d == to {
				break
			}
		}
	}
	return days, true
}

func parseWindow(text string) (from, length int, ok bool) {
	begin, end, ok := strings.Cut(text, "-")
	from, okFrom := parseQuarter(begin)
	to, okTo := parseQuarter(end)
	if !ok || !okFrom || !okTo || from == dayCells || from == to {
		return 0, 0, false
	}
	if to > from {
		return from, to - from, true
	}
	return from, dayCells - from + to, true
}

// parseQuarter reads a time from 00:00 to 24:00, as a cell of its day.
func parseQuarter(text string) (cell int, ok bool) {
	hours, minutes, ok := strings.Cut(text, ":")
	quarter := slices.Index([]string{"00", "15", "30", "45"}, minutes)
	h, err := strconv.ParseUint(hours, 10, 8)
	cell = int(h)*4 + quarter
	if !ok || quarter < 0 || err != nil || len(hours) > 2 || cell > dayCells {
		return 0, false
	}
	return cell, true
}

// weekPart says that on some days, from a cell to another of the same day or, if that is not later, of the next, there
// is another level than else.
type weekPart struct {
	days     [weekDays]bool
	from, to int
	level    level
}

// summary says a week in the fewest parts: what it is except for them.
func (w *Week) summary() (base level, parts []weekPart) {
	for i, l := range []level{levelOff, levelFull, levelGentle} {
		if p := w.parts(l); i == 0 || len(p) < len(parts) {
			base, parts = l, p
		}
	}
	return base, parts
}

// parts returns the runs of other levels than base. A run over midnight belongs to the day it begins on.
func (w *Week) parts(base level) (list []weekPart) {
	begin := 0 // of a run, so that none goes on over the end of the loop
	for begin < weekCells && w[begin] == w[(begin+weekCells-1)%weekCells] {
		begin++
	}
	for done := 0; done < weekCells; {
		first := (begin + done) % weekCells
		is, length := w[first], 1
		for done+length < weekCells && w[(first+length)%weekCells] == is {
			length++
		}
		done += length
		for is != base && length > 0 {
			from, n := first%dayCells, length
			if from == 0 || length >= dayCells {
				n = min(length, dayCells-from)
			}
			to := from + n
			if to > dayCells {
				to -= dayCells
			}
			list = addPart(list, first/dayCells, from, to, is)
			first, length = (first+n)%weekCells, length-n
		}
	}
	slices.SortStableFunc(list, func(a, b weekPart) int {
		return (a.from-b.from)*1000000 + (a.to-b.to)*1000 + int(a.level) - int(b.level)
	})
	return list
}

func addPart(list []weekPart, day, from, to int, is level) []weekPart {
	for i, p := range list {
		if p.from == from && p.to == to && p.level == is {
			list[i].days[day] = true
			return list
		}
	}
	p := weekPart{from: from, to: to, level: is}
	p.days[day] = true
	return append(list, p)
}
