//go:build unix

package main

import (
	"bytes"
	"encoding/csv"
	"maps"
	"path/filepath"
	"testing"

	"github.com/forage-net/forage/app/api"
)

// series returns what "forage stats" says of days or years.
func (l *lab) series(unit string) api.Series {
	l.t.Helper()
	return parseJSON[api.Series](l.t, l.forage("stats", unit, "--json"))
}

// compareStats makes sure that the statistics of a crawl with kills are those of a crawl without: what is
// settled is counted, once, in every sum.
func compareStats(t *testing.T, l, peaceful *lab) {
	t.Helper()
	got, want := l.stats().Totals, peaceful.stats().Totals
	if got.Pages != want.Pages || got.Links != want.Links || got.Found != want.Found || got.Firsts+got.Duplicates != got.Pages {
		t.Errorf("after kills %+v, in peace %+v", got, want)
	}
	var settled int64
	for _, d := range parseJSON[[]api.Domain](t, l.forage("domains", "--json")) {
		settled += d.Fetched
	}
	if got.Pages != settled {
		t.Errorf("%d pages are in the statistics, %d are settled", got.Pages, settled)
	}
	hours := l.stats().Hours
	var sum api.Counts
	for _, h := range hours {
		sum.Pages += h.Pages
		sum.Links += h.Links
		sum.BytesReceived += h.BytesReceived
	}
	if sum.Pages != got.Pages || sum.Links != got.Links || sum.BytesReceived != got.BytesReceived {
		t.Errorf("the hours have %+v, the totals %+v", sum, got)
	}
	for _, unit := range []string{"--days", "--years"} {
		s, peace := l.series(unit), peaceful.series(unit)
		if s.Totals.Counts != got {
			t.Errorf("%s have %+v, the totals %+v", unit, s.Totals.Counts, got)
		}
		if len(s.Totals.Languages) == 0 || !maps.Equal(s.Totals.Languages, peace.Totals.Languages) || s.Totals.Domains != peace.Totals.Domains {
			t.Errorf("%s: %d domains, languages %v; in peace %d, %v", unit, s.Totals.Domains, s.Totals.Languages, peace.Totals.Domains, peace.Totals.Languages)
		}
	}
}

// checkPoints compares the exported tables of days and years with what the command says.
func checkPoints(t *testing.T, dir string, l *lab) {
	t.Helper()
	for name, unit := range map[string]string{"days.csv": "--days", "years.csv": "--years"} {
		rows, err := csv.NewReader(bytes.NewReader(readFile(t, filepath.Join(dir, name)))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if s := l.series(unit); len(rows) != len(s.Points)+1 || rows[0][0] != "start" || rows[1][0] != s.Points[len(s.Points)-1].Start.Format("2006-01-02") {
			t.Errorf("%s holds %q; the command says %+v", name, rows, s.Points)
		}
	}
}
