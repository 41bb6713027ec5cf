package stats

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// meteredStats is statistics with meters that a test turns.
type meteredStats struct {
	Statistics
	now Meters
}

func newMeteredStats(run string) *meteredStats {
	m := &meteredStats{Statistics: Statistics{Run: run}}
	m.Meters = func() Meters { return m.now }
	return m
}

func countNow(t testing.TB, db *storage.DB, s *meteredStats, at time.Time, c Committed) {
	t.Helper()
	if err := db.Update(func(tx *storage.Tx) error { return s.Count(tx, at, c) }); err != nil {
		t.Fatal(err)
	}
}

func TestStats_CountsByTheHour(t *testing.T) {
	db := openDB(t)
	if stats, err := Read(db, 10); err != nil || len(stats.Hours) != 0 || stats.Totals != (api.Counts{}) {
		t.Errorf("readStats of nothing = %+v, %v", stats, err)
	}
	s := newMeteredStats("one")
	start := time.Date(2026, 3, 1, 10, 59, 59, 0, time.FixedZone("", 3600))
	count := func(at time.Time, found int, outcomes ...crawl.Outcome) {
		t.Helper()
		for _, o := range outcomes {
			s.now.Received += o.Received
			s.now.Sent += o.Sent
		}
		countNow(t, db, s, at, Committed{Outcomes: outcomes, Found: found})
	}
	count(start, 7, crawl.Outcome{Result: crawl.Fetched, Received: 100, Sent: 10, Links: 3, Connect: 14 * time.Millisecond}, crawl.Outcome{Result: crawl.Fetched, Duplicate: true, Received: 50})
	count(start, 0, crawl.Outcome{Result: crawl.Redirected, Links: 1}, crawl.Outcome{Result: crawl.Failed, Received: 1})
	count(start.Add(time.Second), 1, crawl.Outcome{Result: crawl.Forbidden})
	count(start.Add(time.Hour), 0) // nothing happened
	stats, err := Read(db, 10)
	if err != nil {
		t.Fatal(err)
	}
	want := []api.Hour{
		{Start: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), Counts: api.Counts{
			Pages: 2, Duplicates: 1, Firsts: 1, Links: 3, Redirects: 1, Failed: 1, Found: 7, BytesReceived: 151, BytesSent: 10, Connects: 1, ConnectMs: 14}},
		{Start: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC), Counts: api.Counts{Forbidden: 1, Found: 1}},
	}
	if !slices.Equal(stats.Hours, want) {
		t.Errorf("hours %+v, want %+v", stats.Hours, want)
	}
	all := want[0].Counts
	all.Forbidden, all.Found = 1, 8
	if stats.Totals != all {
		t.Errorf("totals %+v, want %+v", stats.Totals, all)
	}
}

func TestStats_FirstsAreOfURLsNotVisitedBefore(t *testing.T) {
	prior := crawl.Task{Prior: &crawl.Prior{}}
	for _, c := range []struct {
		name string
		o    crawl.Outcome
		want uint64
	}{
		{"a new page", crawl.Outcome{Result: crawl.Fetched}, 1},
		{"a new page at the second try", crawl.Outcome{Result: crawl.Fetched, Task: crawl.Task{Attempts: 1}}, 1},
		{"the content of another", crawl.Outcome{Result: crawl.Fetched, Duplicate: true}, 0},
		{"another visit", crawl.Outcome{Result: crawl.Fetched, Task: prior}, 0},
		{"unchanged", crawl.Outcome{Result: crawl.Unchanged, Task: prior}, 0},
		{"no page", crawl.Outcome{Result: crawl.Gone}, 0},
	} {
		var got tally
		if got.see(&c.o); got.Firsts != c.want {
			t.Errorf("%s: %d firsts, want %d", c.name, got.Firsts, c.want)
		}
	}
}

func TestStats_KeepsHoursFor400Days(t *testing.T) {
	db := openDB(t)
	s := newMeteredStats("one")
	start := time.Unix(1_700_000_000, 0).Truncate(time.Hour)
	const hours = api.MaxHours + 200
	err := db.Update(func(tx *storage.Tx) error {
		for i := range hours {
			if err := s.Count(tx, start.Add(time.Duration(i)*time.Hour), Committed{Found: 1}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := Read(db, hours)
	if err != nil || len(stats.Hours) != api.MaxHours+1 || stats.Totals.Found != hours {
		t.Fatalf("%d hours, %d found, %v", len(stats.Hours), stats.Totals.Found, err)
	}
	if want := start.Add(199 * time.Hour).UTC(); stats.Hours[0].Start != want {
		t.Errorf("the first hour is %v, want %v", stats.Hours[0].Start, want)
	}
	if stats, err = Read(db, 3); err != nil || len(stats.Hours) != 3 || stats.Hours[2].Start != start.Add((hours-1)*time.Hour).UTC() {
		t.Errorf("the last three hours are %+v, %v", stats.Hours, err)
	}
	days, err := readSeries(db, api.SeriesQuery{Unit: api.UnitDay, Limit: 1000})
	if err != nil || days.Totals.Found != hours {
		t.Errorf("%d found in all days, %v; want %d", days.Totals.Found, err, hours)
	}
}

func TestSeries_Bounds(t *testing.T) {
	db := openDB(t)
	s := newMeteredStats("one")
	start := time.Date(2025, 12, 30, 12, 0, 0, 0, time.UTC)
	for i := range 5 { // to 3 January
		countNow(t, db, s, start.AddDate(0, 0, i), Committed{Found: 1 << i})
	}
	day := func(n int) time.Time { return time.Date(2025, 12, 30+n, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		name  string
		q     api.SeriesQuery
		found int64 // a bit for each day
		first time.Time
	}{
		{"all", api.SeriesQuery{Unit: api.UnitDay, Limit: 9}, 31, day(0)},
		{"the newest two", api.SeriesQuery{Unit: api.UnitDay, Limit: 2}, 24, day(3)},
		{"from a day", api.SeriesQuery{Unit: api.UnitDay, Limit: 9, From: day(3)}, 24, day(3)},
		{"from within a day", api.SeriesQuery{Unit: api.UnitDay, Limit: 9, From: day(3).Add(1)}, 16, day(4)},
		{"to a day", api.SeriesQuery{Unit: api.UnitDay, Limit: 9, To: day(2)}, 3, day(0)},
		{"to within a day", api.SeriesQuery{Unit: api.UnitDay, Limit: 9, To: day(2).Add(time.Hour)}, 7, day(0)},
		{"both", api.SeriesQuery{Unit: api.UnitDay, Limit: 9, From: day(1), To: day(3)}, 6, day(1)},
		{"years", api.SeriesQuery{Unit: api.UnitYear, Limit: 9}, 31, time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"the last year", api.SeriesQuery{Unit: api.UnitYear, Limit: 1}, 28, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"hours", api.SeriesQuery{Unit: api.UnitHour, Limit: 9, To: day(2)}, 3, start},
		{"before everything", api.SeriesQuery{Unit: api.UnitDay, Limit: 9, To: time.Date(1800, 1, 1, 0, 0, 0, 0, time.UTC)}, 0, time.Time{}},
		{"after everything", api.SeriesQuery{Unit: api.UnitHour, Limit: 9, From: time.Date(30000, 1, 1, 0, 0, 0, 0, time.UTC)}, 0, time.Time{}},
	} {
		got, err := readSeries(db, c.q)
		if err != nil || got.Totals.Found != c.found {
			t.Errorf("%s: %b found, %v; want %b", c.name, got.Totals.Found, err, c.found)
			continue
		}
		if len(got.Points) > 0 && got.Points[0].Start != c.first {
			t.Errorf("%s: the first is %v, want %v", c.name, got.Points[0].Start, c.first)
		}
	}
	if _, err := readSeries(db, api.SeriesQuery{Unit: "week", Limit: 1}); err == nil {
		t.Error("there are weeks")
	}
}

func TestBest(t *testing.T) {
	db := openDB(t)
	s := newMeteredStats("one")
	day := func(n int) time.Time { return time.Date(2026, 2, 27+n, 23, 30, 0, 0, time.UTC) }
	pages := func(n int, url string) (c Committed) {
		for range n {
			c.Outcomes = append(c.Outcomes, crawl.Outcome{
				Result: crawl.Fetched, Title: "Of " + url, Date: day(0), Task: crawl.Task{URL: mustURL(t, url)},
			})
		}
		return c
	}
	if best, err := readBest(db, day(0), time.UTC); err != nil || !reflect.DeepEqual(best, api.Best{}) {
		t.Errorf("readBest of nothing = %+v, %v", best, err)
	}
	countNow(t, db, s, day(0), Committed{Outcomes: []crawl.Outcome{{Result: crawl.Gone}}})
	countNow(t, db, s, day(1), pages(2, "https://first.example/"))
	countNow(t, db, s, day(2), Committed{Found: 3}) // links that others sent
	countNow(t, db, s, day(3), pages(5, "https://second.example/"))
	countNow(t, db, s, day(3), pages(1, "https://third.example/"))
	s.now.Helped += 61
	countNow(t, db, s, day(4), Committed{})
	countNow(t, db, s, day(1), Committed{Outcomes: []crawl.Outcome{{Result: crawl.Gone}}}) // the clock was set back
	for _, c := range []struct {
		today  int
		streak int64
	}{{4, 2}, {5, 2}, {6, 0}} {
		best, err := readBest(db, day(c.today), time.UTC)
		if err != nil || best.DaysHelped != 4 || best.StreakDays != c.streak {
			t.Errorf("on day %d: %d days, %d in a row, %v; want 4 and %d", c.today, best.DaysHelped, best.StreakDays, err, c.streak)
			continue
		}
		if want := (api.BusiestDay{Start: day(3).Truncate(24 * time.Hour), Pages: 6}); *best.BusiestDay != want {
			t.Errorf("busiest day %+v, want %+v", *best.BusiestDay, want)
		}
		want := api.FirstPage{Time: day(0), URL: "https://first.example/", Title: "Of https://first.example/"}
		if *best.FirstPage != want {
			t.Errorf("first page %+v, want %+v", *best.FirstPage, want)
		}
	}
}

func TestStats_MetersOfARunCountOnce(t *testing.T) {
	db := openDB(t)
	at := time.Unix(1_800_000_000, 0)
	s := newMeteredStats("one")
	s.now = Meters{Received: 10, Sent: 5, PeerReceived: 7, PeerSent: 3, Helped: 60}
	countNow(t, db, s, at, Committed{})
	countNow(t, db, s, at, Committed{Found: 1})
	s.now.Received += 4
	countNow(t, db, s, at, Committed{})
	again := newMeteredStats("two") // meters begin at nothing
	again.now = Meters{Received: 3, Helped: 1}
	countNow(t, db, again, at, Committed{})
	stats, err := Read(db, 1)
	want := api.Counts{Found: 1, BytesReceived: 17, BytesSent: 5, PeerReceived: 7, PeerSent: 3, HelpedS: 61}
	if err != nil || stats.Totals != want || stats.Hours[0].Counts != want {
		t.Errorf("%+v, %v; want %+v", stats, err, want)
	}
}

func TestStats_SaysWhatIsDamaged(t *testing.T) {
	for name, record := range map[string]struct{ key, value []byte }{
		"value":  {binary.BigEndian.AppendUint64(nil, 5), []byte("nonsense")},
		"key":    {[]byte{0, 1, 2}, []byte{0xa0}},
		"totals": {keyAllTime, []byte("nonsense")},
	} {
		db := openDB(t)
		if err := db.Update(func(tx *storage.Tx) error { return tx.Bucket(storage.BucketStats).Put(record.key, record.value) }); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(db, 1); err == nil || !strings.Contains(err.Error(), "damaged") || strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestHelped_CountsOnlyTimeAtWork(t *testing.T) {
	start := time.Unix(1_800_000_000, 0)
	var h Helped
	for _, at := range []struct {
		second int
		is     bool
	}{{1, false}, {2, true}, {3, true}, {4, true}, {5, false}, {6, true}, {3606, true} /* it slept */, {3605, true}, {3606, true}} {
		h.look(start.Add(time.Duration(at.second)*time.Second), at.is)
	}
	if got := h.Seconds(); got != 2+3+1 {
		t.Errorf("%d seconds, want 6", got)
	}
}
