package server

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
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
	r.node.points = []api.Point{
		{Start: at, Tally: api.Tally{Counts: api.Counts{Pages: 3, Links: 5, HelpedS: 60}, Domains: 2,
			Languages: map[string]int64{"en": 2, "de": 1}}},
		{Start: at.AddDate(0, 0, 1), Tally: api.Tally{Counts: api.Counts{Pages: 4, PeerSent: 7}, Domains: 1,
			Languages: map[string]int64{"en": 3, api.OtherLanguages: 1}}},
	}
	r.node.best = api.Best{DaysHelped: 2, StreakDays: 1, BusiestDay: &api.BusiestDay{Start: at, Pages: 4},
		FirstPage:  &api.FirstPage{Time: at, URL: "https://a.example/", Title: "A"},
		Milestones: []api.Milestone{{Kind: "pages", Count: 100, Day: &at}}}
	c, err := client.Dial(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Series(t.Context(), api.SeriesQuery{Unit: api.UnitDay, From: at, To: at.AddDate(0, 1, 0), Limit: 10,
		Zone: time.UTC})
	want := api.Series{Unit: api.UnitDay, Points: r.node.points, Totals: api.Tally{
		Counts: api.Counts{Pages: 7, Links: 5, HelpedS: 60, PeerSent: 7}, Domains: 3,
		Languages: map[string]int64{"en": 5, "de": 1, api.OtherLanguages: 1},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Series = %+v, %v; want %+v", got, err, want)
	}
	if r.node.zone != time.UTC {
		t.Errorf("asked for the days of UTC, it is asked for those of %v", r.node.zone)
	}
	if _, err := c.Series(t.Context(), api.SeriesQuery{Unit: api.UnitDay, Limit: 1}); err != nil || r.node.zone != nil {
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
