package limits

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/forage-net/forage/assets/words"
)

// maxGridText bounds the text of a grid, in bytes. The longest that String returns is
// shorter.
const maxGridText = 1 << 15

var dayNames = [7]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

const allDays = 1<<7 - 1

// ParseGrid reads a grid. Errors read on after the text. Its form is
//
//	all full
//	all 22:00-06:00 full; sat,sun full
//	all full; mon-fri 09:00-17:30 off
//
// Each part says on which days, when, and what is allowed. Days are "all", names, ranges of names, or several
// of these with commas. Times are quarters of an hour. A window belongs to the days it begins on: 22:00-06:00
// on fri ends on Saturday at six. Where several windows apply, the last counts. A part without times is for
// whole days, and windows count more than it, those from the evening before included. But a day that is off by
// its name is off from midnight to midnight, whatever the other parts say of all days and wherever it stands; a
// part that is about such days alone is refused. What no part speaks of is off; a text that says nothing but
// when to be off is refused, unless it says so of the whole week.
func ParseGrid(text string) (Grid, error) {
	if len(text) > maxGridText {
		return Grid{}, words.New("said.settings.is-too-long", nil)
	}
	var parts []gridSaid
	var free uint8 // days that are off by their names
	for text := range strings.SplitSeq(text, ";") {
		p, err := parsePart(strings.Fields(strings.ToLower(text)))
		if err != nil {
			return Grid{}, err
		}
		if p.isDayOff() {
			free |= p.days
		}
		parts = append(parts, p)
	}
	var days, windows, off gridLayer
	for _, p := range parts {
		switch {
		case p.isDayOff():
			off.put(p)
		case p.days&^free == 0 && p.level != Off:
			return Grid{}, words.New("said.settings.says-both", words.Args{"days": daysText(p.days)})
		case p.whole:
			days.put(p)
		default:
			p.days &^= free // no window begins on such a day
			windows.put(p)
		}
	}
	days.cover(&windows)
	days.cover(&off)
	if !slices.Contains(days.said[:], false) {
		return days.grid, nil
	}
	for _, level := range days.grid {
		if level != Off {
			return days.grid, nil
		}
	}
	return Grid{}, words.New("said.settings.says-only-when-not-to-work", nil)
}

// gridSaid is one part of a text.
type gridSaid struct {
	days         uint8
	whole        bool // days, without times
	from, length int  // in cells
	level        Level
}

// isDayOff reports whether a part names days that are off from midnight to midnight. "all off" names none: it says what
// the rest begins with.
func (p gridSaid) isDayOff() bool { return p.level == Off && p.length == dayCells && p.days != allDays }

// gridLayer is a grid with holes.
type gridLayer struct {
	grid Grid
	said [Cells]bool
}

// fill sets a run of cells that may go on in the next day, or in the next week.
func (l *gridLayer) fill(from, length int, to Level) {
	for i := range length {
		cell := (from + i) % Cells
		l.grid[cell], l.said[cell] = to, true
	}
}

// put fills in what a part says.
func (l *gridLayer) put(p gridSaid) {
	for d := range dayNames {
		if p.days&(1<<d) != 0 {
			l.fill(d*dayCells+p.from, p.length, p.level)
		}
	}
}

// cover takes over what another layer says.
func (l *gridLayer) cover(over *gridLayer) {
	for i, said := range over.said {
		if said {
			l.said[i], l.grid[i] = true, over.grid[i]
		}
	}
}

// holds says what is wrong with a piece of the text.
func holds(part string, reason error) error {
	return words.New("said.settings.holds", words.Args{"part": fmt.Sprintf("%.80q", part), "reason": reason})
}

func parsePart(said []string) (gridSaid, error) {
	if len(said) < 2 || len(said) > 3 {
		return gridSaid{}, holds(strings.Join(said, " "), words.New("said.settings.is-not-days-times", nil))
	}
	p := gridSaid{whole: len(said) == 2, length: dayCells}
	var err error
	if p.days, err = parseDays(said[0]); err != nil {
		return gridSaid{}, err
	}
	if err := p.level.UnmarshalText([]byte(said[len(said)-1])); err != nil {
		return gridSaid{}, holds(said[len(said)-1], err)
	}
	if !p.whole {
		p.from, p.length, err = parseWindow(said[1])
	}
	return p, err
}

// parseDays returns a set of days, the lowest bit being Monday.
func parseDays(text string) (set uint8, err error) {
	for item := range strings.SplitSeq(text, ",") {
		if item == "all" {
			set = allDays
			continue
		}
		name, last, isRange := strings.Cut(item, "-")
		if !isRange {
			last = name
		}
		from, to := slices.Index(dayNames[:], name), slices.Index(dayNames[:], last)
		if from < 0 || to < 0 {
			known := strings.Join(dayNames[:], ", ")
			return 0, holds(item, words.New("said.settings.is-no-day", words.Args{"days": known}))
		}
		for d := from; ; d = (d + 1) % 7 {
			set |= 1 << d
			if d == to {
				break
			}
		}
	}
	return set, nil
}

// parseWindow returns the first cell within its day and the number of cells.
func parseWindow(text string) (from, length int, err error) {
	begin, end, ok := strings.Cut(text, "-")
	from, okFrom := parseQuarter(begin)
	to, okTo := parseQuarter(end)
	switch {
	case !ok || !okFrom || !okTo || from == dayCells:
		return 0, 0, holds(text, words.New("said.settings.are-no-times-as", nil))
	case from == to:
		return 0, 0, holds(text, words.New("said.settings.ends-when-it-begins", nil))
	case to > from:
		return from, to - from, nil
	}
	return from, dayCells - from + to, nil
}

// parseQuarter reads a time from 00:00 to 24:00.
func parseQuarter(text string) (cell int, ok bool) {
	hours, minutes, ok := strings.Cut(text, ":")
	h, okHours := parseDigits(hours)
	m, okMinutes := parseDigits(minutes)
	if !ok || !okHours || !okMinutes || len(minutes) != 2 || m%15 != 0 || m > 45 || h*4+m/15 > dayCells {
		return 0, false
	}
	return h*4 + m/15, true
}

// parseDigits reads one or two digits.
func parseDigits(text string) (n int, ok bool) {
	if len(text) < 1 || len(text) > 2 {
		return 0, false
	}
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// String returns the shortest of the forms that ParseGrid reads the same grid from
// and that have each window once.
func (g Grid) String() string {
	short := ""
	for _, base := range []Level{Off, Full, Gentle} {
		if text := g.text(base); short == "" || len(text) < len(short) {
			short = text
		}
	}
	return short
}

// MarshalText implements encoding.TextMarshaler.
func (g Grid) MarshalText() ([]byte, error) { return []byte(g.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler with ParseGrid.
func (g *Grid) UnmarshalText(text []byte) error {
	read, err := ParseGrid(string(text))
	if err == nil {
		*g = read
	}
	return err
}

// GridPart says that on some days, from a cell to another of the same day or, if that is not later, of the next,
// there is a level. The lowest bit of Days is Monday. A whole day is from 0 to the number of its cells.
type GridPart struct {
	From, To int
	Level    Level
	Days     uint8
}

// IsWholeDay reports whether the part is from midnight to midnight.
func (p GridPart) IsWholeDay() bool { return p.From == 0 && p.To == dayCells }

// Summary says a week in the fewest parts: what it is except for them, in the order of their times.
func (g *Grid) Summary() (base Level, parts []GridPart) {
	for i, l := range []Level{Off, Full, Gentle} {
		if p := g.parts(l); i == 0 || len(p) < len(parts) {
			base, parts = l, p
		}
	}
	return base, parts
}

// text says that all is base, and then what is not.
func (g *Grid) text(base Level) string {
	parts := g.parts(base)
	var texts []string
	if base != Off || len(parts) == 0 {
		texts = append(texts, "all "+base.String())
	}
	for _, p := range parts {
		times := fmt.Sprintf("%s-%s ", QuarterText(p.From), QuarterText(p.To))
		if p.IsWholeDay() {
			times = ""
		}
		texts = append(texts, daysText(p.Days)+" "+times+p.Level.String())
	}
	return strings.Join(texts, "; ")
}

// parts returns the runs of other levels than base, in the order of their times.
func (g *Grid) parts(base Level) []GridPart {
	begin := 0 // of a run, so that none goes on over the end of the loop
	for begin < Cells && g[begin] == g[(begin+Cells-1)%Cells] {
		begin++
	}
	var parts []GridPart
	add := func(day, from, to int, level Level) {
		for i, p := range parts {
			if p.From == from && p.To == to && p.Level == level {
				parts[i].Days |= 1 << day
				return
			}
		}
		parts = append(parts, GridPart{from, to, level, 1 << day})
	}
	for done := 0; done < Cells; {
		first := (begin + done) % Cells
		level, length := g[first], 1
		for done+length < Cells && g[(first+length)%Cells] == level {
			length++
		}
		done += length
		if level == base {
			continue
		}
		for length > 0 {
			day, from := first/dayCells, first%dayCells
			n := min(length, dayCells-from)
			if from > 0 && length < dayCells {
				n = length // over midnight
			}
			to := from + n
			if to > dayCells {
				to -= dayCells
			}
			add(day, from, to, level)
			first, length = (first+n)%Cells, length-n
		}
	}
	slices.SortStableFunc(parts, func(a, b GridPart) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Level, b.Level))
	})
	return parts
}

// QuarterText writes the time at which a cell of a day begins, as 22:15; the last one ends at 24:00.
func QuarterText(cell int) string { return fmt.Sprintf("%02d:%02d", cell/4, cell%4*15) }

// daysText writes a set of days, ranges of three and more as such.
func daysText(set uint8) string {
	if set == allDays {
		return "all"
	}
	var items []string
	for d := 0; d < 7; d++ {
		last := d
		for last < 7 && set&(1<<last) != 0 {
			last++
		}
		switch n := last - d; {
		case n >= 3:
			items = append(items, dayNames[d]+"-"+dayNames[last-1])
			d = last
		case n >= 1:
			items = append(items, dayNames[d])
		}
	}
	return strings.Join(items, ",")
}
