package week

import (
	"slices"
	"testing"

	"github.com/forage-net/forage/ui/desktop/desktest"
	"github.com/forage-net/forage/ui/desktop/speech"
)

func mustWeek(t *testing.T, text string) Week {
	t.Helper()
	w, ok := Of(desktest.Rows(t, text))
	if !ok {
		t.Fatalf("%q is no week", text)
	}
	return w
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

func TestSpeech_Cells(t *testing.T) {
	w := mustWeek(t, "all full; tue off")
	if got := cellText((speech.Speech{Lang: "en"}), &w, dayCells+57); got != "Tuesday 14:15 not allowed" {
		t.Errorf("cellText = %q", got)
	}
}
