package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestStats_Parameters(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	for path, want := range map[string]int{
		"/api/stats": 200, "/api/stats?hours=0": 200, "/api/stats?hours=9600": 200, "/api/stats?hours=": 200,
		"/api/stats?hours=9601": 400, "/api/stats?hours=-1": 400, "/api/stats?hours=1e3": 400,
		"/api/stats?hours=99999999999999999999": 400,
		"/api/stats?hours=1&hours=2":            400, "/api/stats/best": 200, "/api/stats/best?x=1": 400,
		"/api/stats/best?zone=Europe/Berlin": 200, "/api/stats/": 404,
		"/api/stats/series": 400, "/api/stats/series?unit=week": 400, "/api/stats/series?unit=day": 200,
		"/api/stats/series?unit=hour&limit=1000":                             200,
		"/api/stats/series?unit=year&limit=1001":                             400,
		"/api/stats/series?unit=day&from=2026-03-01&to=2026-04-01T00:00:00Z": 200,
		"/api/stats/series?unit=day&from=2026-03-01T10:00:00%2B01:00":        200,
		"/api/stats/series?unit=day&from=yesterday":                          400,
		"/api/stats/series?unit=day&to=2026-02-30":                           400,
		"/api/stats/series?unit=day&to=1":                                    400,
		"/api/stats/series?unit=day&x":                                       400,
	} {
		if resp, body := r.raw(t,
			"GET "+path+" HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nConnection: "+
				"close\n\n"); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d: %s", path, resp.StatusCode, want, body)
		}
	}
}

func TestClient_Series(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	r.node.points = []Point{
		{at, Tally{Counts{Pages: 3, Links: 5, HelpedS: 60}, 2, map[string]int64{"en": 2, "de": 1}}},
		{at.AddDate(0, 0, 1), Tally{Counts: Counts{Pages: 4, PeerSent: 7}, Domains: 1,
			Languages: map[string]int64{"en": 3, OtherLanguages: 1}}},
	}
	r.node.best = Best{DaysHelped: 2, StreakDays: 1, BusiestDay: &BusiestDay{at, 4},
		FirstPage:  &FirstPage{at, "https://a.example/", "A"},
		Milestones: []Milestone{{Kind: "pages", Count: 100, Day: &at}}}
	c, err := Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Series(t.Context(), SeriesQuery{Unit: UnitDay, From: at, To: at.AddDate(0, 1, 0), Limit: 10,
		Zone: time.UTC})
	want := Series{UnitDay, r.node.points, Tally{
		Counts{Pages: 7, Links: 5, HelpedS: 60, PeerSent: 7}, 3, map[string]int64{"en": 5, "de": 1, OtherLanguages: 1},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Series = %+v, %v; want %+v", got, err, want)
	}
	if r.node.zone != time.UTC {
		t.Errorf("asked for the days of UTC, it is asked for those of %v", r.node.zone)
	}
	if _, err := c.Series(t.Context(), SeriesQuery{Unit: UnitDay, Limit: 1}); err != nil || r.node.zone != nil {
		t.Errorf("asked for no zone, it is asked for that of %v (%v)", r.node.zone, err)
	}
	for name, want := range map[string]int{"Europe/Nowhere": 200, strings.Repeat("x", maxZone+1): 400} {
		if answer, _ := r.raw(t,
			"GET /api/stats/series?unit=day&zone="+name+" HTTP/1.1\nHost: HOST\nAuthorization: Bearer "+
				"TOKEN\nConnection: close\n\n"); answer.StatusCode != want {
			t.Errorf("zone %.20s: %s, want %d", name, answer.Status, want)
		}
	}
	if got, err := c.Best(t.Context(), nil); err != nil || !reflect.DeepEqual(got, r.node.best) {
		t.Errorf("Best = %+v, %v; want %+v", got, err, r.node.best)
	}
}

// Lists and maps are never null, and what is not known is.
func TestStats_OfNothing(t *testing.T) {
	r := start(t, t.TempDir(), nil)
	for path, want := range map[string]string{
		"/api/stats/series?unit=hour": `"points":[],"totals":{`, "/api/stats": `"hours":[]`,
		"/api/stats/best": `{"first_page":null,"busiest_day":null,"days_helped":0,"streak_days":0,"milestones":[]}`,
	} {
		_, body := r.raw(t, "GET "+path+" HTTP/1.1\nHost: HOST\nAuthorization: Bearer TOKEN\nConnection: close\n\n")
		if !strings.Contains(body, want) || strings.Contains(body, `"languages":null`) {
			t.Errorf("%s: %s, want %s in it", path, body, want)
		}
	}
}

// Every number of a Tally is added.
func TestTally_AddsAll(t *testing.T) {
	var one Tally
	for i, n := range one.fields() {
		*n = int64(i + 1)
	}
	text, err := json.Marshal(one)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(text, &keys); err != nil {
		t.Fatal(err)
	}
	for key, v := range keys {
		if key != "languages" && v == 0.0 {
			t.Errorf("%s is not among the fields", key)
		}
	}
	var sum Tally
	sum.add(&one)
	sum.add(&one)
	for i, n := range sum.fields() {
		if *n != int64(2*i+2) {
			t.Errorf("field %d: %d, want %d", i, *n, 2*i+2)
		}
	}
}

func TestBoundLanguages(t *testing.T) {
	all := map[string]int64{OtherLanguages: 1000}
	for i := range 100 {
		all[fmt.Sprintf("x%02d", i)] = int64(i)
	}
	got := boundLanguages(maps.Clone(all))
	rest := int64(1000)
	for i := range 100 {
		name := fmt.Sprintf("x%02d", i)
		if n, is := got[name]; i >= 36 != is || n != 0 && n != int64(i) {
			t.Errorf("%s: %d, %v", name, n, is)
		}
		if i < 36 {
			rest += int64(i)
		}
	}
	if got[OtherLanguages] != rest || len(got) != MaxLanguages+1 {
		t.Errorf("%d languages, %d in others; want %d and %d", len(got), got[OtherLanguages], MaxLanguages+1, rest)
	}
}
