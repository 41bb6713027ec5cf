package week

import "fmt"

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
