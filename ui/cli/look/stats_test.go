package look

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/cli/language"
)

func TestPrintSeries(t *testing.T) {
	s := api.Series{Unit: api.UnitDay, Points: []api.Point{
		{Start: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Tally: api.Tally{Counts: api.Counts{Pages: 1200, Firsts: 1100, Links: 7, HelpedS: 3*3600 + 5*60 + 59}}},
	}}
	var out bytes.Buffer
	if err := printSeries(&out, "", s, api.Counts{Pages: 5000}, time.DateOnly); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{"DAY PAGES NEW TO NETWORK", "2026-03-01 " + language.Language("").Number(1200) + " " + language.Language("").Number(1100), "all " + language.Language("").Number(5000)} {
		if len(lines) != 3 || !strings.HasPrefix(strings.Join(strings.Fields(lines[i]), " "), want) {
			t.Fatalf("the table is\n%s", out.String())
		}
	}
	if !strings.HasSuffix(lines[1], "3:05 h") {
		t.Errorf("%q does not end with the time helped", lines[1])
	}
}
