package week

import (
	"strconv"

	"github.com/forage-net/forage/ui/desktop/speech"
)

// cellText says what is allowed in a cell, as "Tuesday 14:15 allowed".
func cellText(s speech.Speech, w *Week, cell int) string {
	return s.T("week.cell", "day", dayName(s, cell/dayCells), "time", clockOf(cell%dayCells), "level",
		s.T("week.is."+strconv.Itoa(int(w[cell]))))
}

// dayName is a day of the week, Monday is 0.
func dayName(s speech.Speech, day int) string { return s.T("window.settings.day." + strconv.Itoa(day)) }
