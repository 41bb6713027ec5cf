package week

import (
	"slices"
	"testing"

	"github.com/forage-net/forage/ui/desktop/speech"
)

func mustWeek(t *testing.T, text string) Week {
	t.Helper()
	w, ok := Parse(text)
	if !ok {
		t.Fatalf("parseWeek(%q) refuses", text)
	}
	return w
}

// The same as in app/limits/grid_test.go: window and node must read alike. In words each means the same in both
// columns.
func TestParseWeek(t *testing.T) {
	for text, same := range map[string]string{
		"ALL  Off": "all off", "mon-sun 00:00-24:00 full": "all full",
		"all 0:00-6:00 full;all 22:00-24:00 full": "all 22:00-06:00 full",
		"fri 22:00-00:00 full":                    "fri 22:00-24:00 full", "fri-mon full": "mon,fri-sun full",
		"all full; sat off; sat 10:00-11:00 gentle":  "mon-fri,sun full; sat 10:00-11:00 gentle",
		"fri 22:00-06:00 full; sat gentle":           "sat 06:00-24:00 gentle; fri 22:00-06:00 full",
		"sat off; fri 22:00-06:00 full":              "fri 22:00-06:00 full",
		"fri 22:00-06:00 full; sat 00:00-04:00 off":  "sat 04:00-06:00 full; fri 22:00-24:00 full",
		"sun 22:00-06:00 gentle":                     "sun 22:00-24:00 gentle; mon 00:00-06:00 gentle",
		"mon,wed,fri 08:15-08:30 gentle; tue gentle": "tue gentle; mon,wed,fri 8:15-8:30 gentle",
	} {
		if mustWeek(t, text) != mustWeek(t, same) {
			t.Errorf("%q and %q differ", text, same)
		}
	}
	for _, text := range []string{
		"", "all", "all full;", "all full mon gentle", "someday full", "mon-fri-sun full", "mon, full", "mon half",
		"mon 22:00 full", "mon 22:10-23:00 full",
		"mon 22:00-24:15 full", "mon 24:00-06:00 full", "mon 1:60-06:00 full", "mon -1:00-06:00 full",
		"mon 06:00-06:00 full", "mon-fri 09:00-17:00 off", "mon off",
		"mon +1:00-06:00 full", "mon 001:00-06:00 full",
	} {
		if _, ok := Parse(text); ok {
			t.Errorf("parseWeek(%q) takes it", text)
		}
	}
}

func TestWeek_Rows(t *testing.T) {
	w := mustWeek(t, "all full; mon-fri 09:00-17:30 off; sat gentle")
	rows := w.Rows()
	if again, ok := Of(rows); !ok || again != w {
		t.Error("the rows of a week are another")
	}
	rows[3][5] = 3
	if _, ok := Of(rows); ok {
		t.Error("a level that is none is taken")
	}
	for _, rows := range [][][]int{nil, rows[1:], {{}, {}, {}, {}, {}, {}, {}}} {
		if _, ok := Of(rows); ok {
			t.Errorf("%d rows are taken", len(rows))
		}
	}
}

func TestWeek_Painting(t *testing.T) {
	if got, want := box(dayCells+5, 3), []int{3, 4, 5, dayCells + 3, dayCells + 4, dayCells + 5}; !slices.Equal(got,
		want) {
		t.Errorf("box = %v, want %v", got, want)
	}
	var w Week
	w.paint(box(0, dayCells+1), levelFull)
	if w != mustWeek(t, "mon,tue 00:00-00:30 full") {
		t.Error("a box is painted elsewhere")
	}
	if w.turned([]int{0}, levelFull) != levelOff || w.turned([]int{0}, levelGentle) != levelGentle ||
		w.turned(cellsOfDay(0), levelFull) != levelFull {
		t.Error("a brush does not turn")
	}
	w = Week{}
	w.paint(cellsOfHour(23), levelGentle)
	if w != mustWeek(t, "all 23:00-24:00 gentle") {
		t.Error("an hour is painted elsewhere")
	}
}

func TestSpeech_Weeks(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"en", "all full", "Around the clock."},
		{"en", "all off", "Never."},
		{"de", "all gentle", "Rund um die Uhr, sanft."},
		{"en", "all 22:00-06:00 full", "Every day 22:00–06:00."},
		{"en", "all full; mon-fri 09:00-17:30 off", "Around the clock, except Mon–Fri 09:00–17:30."},
		{"en", "sat,sun full", "Weekends all day."},
		{"en", "mon,tue,thu-sat gentle", "Gently Mon/Tue/Thu–Sat all day."},
		{"de", "fri 22:00-06:00 full", "Fr 22:00–06:00."},
	} {
		w := mustWeek(t, c.text)
		if got := Text((speech.Speech{Lang: c.lang}), &w); got != c.want {
			t.Errorf("weekText(%s, %q) = %q, want %q", c.lang, c.text, got, c.want)
		}
	}
	var w Week
	for i := range w {
		w[i] = level(i % 3)
	}
	if got := Text((speech.Speech{Lang: "en"}), &w); len(got) > 400 {
		t.Errorf("a wild week takes %d bytes", len(got))
	}
	if got := cellText((speech.Speech{Lang: "en"}), &w, dayCells+57); got != "Tuesday 14:15 not allowed" {
		t.Errorf("cellText = %q", got)
	}
}

// Any text is read or refused, and what is read can be said.
func FuzzParseWeek(f *testing.F) {
	for _, text := range []string{"all full", "all full; mon-fri 09:00-17:30 off",
		"fri 22:00-06:00 full; sat gentle", "mon;", "sun-mon 24:00-00:00 off"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, ok := Parse(text)
		if !ok {
			return
		}
		if again, ok := Of(w.Rows()); !ok || again != w {
			t.Errorf("the rows of %q are another week", text)
		}
		for _, base := range []level{levelOff, levelGentle, levelFull} {
			var again Week
			again.paint(box(0, weekCells-1), base)
			for _, p := range w.parts(base) {
				again.paint(cellsOf(p), p.level)
			}
			if again != w {
				t.Errorf("the parts of %q over %d make another week", text, base)
			}
		}
	})
}

func cellsOf(p weekPart) (cells []int) {
	length := p.to - p.from
	if length <= 0 {
		length += dayCells
	}
	for day, is := range p.days {
		for i := 0; is && i < length; i++ {
			cells = append(cells, (day*dayCells+p.from+i)%weekCells)
		}
	}
	return cells
}
