package stats

import (
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// statsModel is what statistics should say: everything that was committed, one by one.
type statsModel struct {
	hours, days, years map[time.Time]*tally
	all                tally
}

func (m *statsModel) add(at time.Time, t *tally) {
	at = at.UTC()
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	for _, s := range []struct {
		start time.Time
		of    map[time.Time]*tally
	}{{at.Truncate(time.Hour), m.hours}, {day, m.days}, {time.Date(at.Year(), 1, 1, 0, 0, 0, 0, time.UTC), m.years}} {
		if s.of[s.start] == nil {
			s.of[s.start] = new(tally)
		}
		s.of[s.start].add(t)
	}
	m.all.add(t)
}

// randomCommit makes what a commit may bring.
func randomCommit(random *rand.Rand) (c Committed) {
	languages := []string{"", "en", "de-AT", "pt_BR", "nonsense", "xx", "fi"}
	for range random.IntN(6) {
		o := crawl.Outcome{
			Result: crawl.Result(1 + random.IntN(11)), Duplicate: random.IntN(4) == 0, Links: random.IntN(50),
			Language: languages[random.IntN(len(languages))],
		}
		if random.IntN(3) == 0 {
			o.Task.Prior = &crawl.Prior{}
		}
		c.Outcomes = append(c.Outcomes, o)
	}
	if random.IntN(2) == 0 {
		c.Found, c.Domains = random.IntN(100), random.IntN(3)
	}
	return c
}

// Whatever is counted when, in transactions that come to nothing too, over restarts that lose what the
// meters had not told: every hour, day and year and the totals are the sum of what was
// committed.
func TestStats_AreTheSumOfWhatWasCommitted(t *testing.T) {
	for seed := range uint64(3) {
		random := rand.New(rand.NewPCG(seed, 7))
		path := filepath.Join(t.TempDir(), "forage.db")
		model := statsModel{hours: make(map[time.Time]*tally), days: make(map[time.Time]*tally), years: make(map[time.Time]*tally)}
		db, err := storage.Open(path, storage.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		run, told := newMeteredStats("0"), Meters{}
		start := time.Date(2025, 12, 20, 0, 0, 0, 0, time.UTC)
		gone := errors.New("power")
		for step := range 1500 {
			at := start.Add(time.Duration(random.Int64N(int64(30 * 24 * time.Hour))))
			c := randomCommit(random)
			run.now.Received += random.Int64N(1000)
			run.now.Sent += random.Int64N(100)
			run.now.PeerReceived += random.Int64N(10)
			run.now.PeerSent += random.Int64N(10)
			run.now.Helped += random.Int64N(60)
			aborts := random.IntN(5) == 0
			err := db.Update(func(tx *storage.Tx) error {
				if err := run.Count(tx, at, c); err != nil {
					return err
				}
				if aborts {
					return gone
				}
				return nil
			})
			if aborts != errors.Is(err, gone) || !aborts && err != nil {
				t.Fatal(err)
			}
			if !aborts {
				counted := tally{
					Found: uint64(c.Found), Domains: uint64(c.Domains),
					Received: uint64(run.now.Received - told.Received), Sent: uint64(run.now.Sent - told.Sent),
					PeerReceived: uint64(run.now.PeerReceived - told.PeerReceived), PeerSent: uint64(run.now.PeerSent - told.PeerSent),
					Helped: uint64(run.now.Helped - told.Helped),
				}
				for i := range c.Outcomes {
					counted.see(&c.Outcomes[i])
				}
				told = run.now
				model.add(at, &counted)
			}
			if random.IntN(100) == 0 {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				if db, err = storage.Open(path, storage.Options{NoSync: true}); err != nil {
					t.Fatal(err)
				}
				run, told = newMeteredStats(string(rune('a'+step%20))+time.Duration(step).String()), Meters{}
			}
		}
		compareStats(t, db, &model)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

func compareStats(t *testing.T, db *storage.DB, model *statsModel) {
	t.Helper()
	for unit, want := range map[api.Unit]map[time.Time]*tally{api.UnitHour: model.hours, api.UnitDay: model.days, api.UnitYear: model.years} {
		got, err := readSeries(db, api.SeriesQuery{Unit: unit, Limit: 1000})
		if err != nil || len(got.Points) != len(want) {
			t.Errorf("%d points of %s, want %d (%v)", len(got.Points), unit, len(want), err)
			continue
		}
		for _, p := range got.Points {
			comparePoint(t, string(unit)+" "+p.Start.String(), p.Tally, want[p.Start])
		}
		comparePoint(t, "totals by "+string(unit), got.Totals, &model.all)
		if !slices.IsSortedFunc(got.Points, func(a, b api.Point) int { return a.Start.Compare(b.Start) }) {
			t.Errorf("points of %s are in disorder", unit)
		}
	}
	stats, err := Read(db, 0)
	if err != nil || stats.Totals != model.all.counts() || len(stats.Hours) != 0 {
		t.Errorf("totals %+v, want %+v (%v)", stats.Totals, model.all.counts(), err)
	}
	best, err := readBest(db, time.Now(), time.UTC)
	helped, busiest := int64(0), uint64(0)
	for _, d := range model.days {
		if d.isHelp() {
			helped++
		}
		busiest = max(busiest, d.Pages)
	}
	if err != nil || best.DaysHelped != helped || best.BusiestDay.Pages != int64(busiest) || model.days[best.BusiestDay.Start].Pages != busiest {
		t.Errorf("best %+v, busiest %+v, %v; want %d days, the busiest with %d pages", best, best.BusiestDay, err, helped, busiest)
	}
}

func comparePoint(t *testing.T, name string, got api.Tally, want *tally) {
	t.Helper()
	if want == nil {
		t.Errorf("%s: nothing was counted then", name)
		return
	}
	if w := want.shown(); got.Counts != w.Counts || got.Domains != w.Domains || !maps.Equal(got.Languages, w.Languages) {
		t.Errorf("%s: %+v, want %+v", name, got, w)
	}
}

// What is damaged is dropped, and made again of what is left.
func TestStats_RepairAddsUpAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	model := statsModel{hours: make(map[time.Time]*tally), days: make(map[time.Time]*tally), years: make(map[time.Time]*tally)}
	db := openDB(t)
	run := newMeteredStats("one")
	start := time.Date(2025, 12, 25, 0, 0, 0, 0, time.UTC)
	for i := range 300 {
		at, c := start.Add(time.Duration(i)*time.Hour), randomCommit(random)
		countNow(t, db, run, at, c)
		counted := tally{Found: uint64(c.Found), Domains: uint64(c.Domains)}
		for i := range c.Outcomes {
			counted.see(&c.Outcomes[i])
		}
		if len(c.Outcomes)+c.Found+c.Domains > 0 {
			model.add(at, &counted)
		}
	}
	err := db.Update(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketStats)
		for _, key := range [][]byte{dayKey(start), dayKey(start.AddDate(0, 0, 9)), yearKey(start), keyAllTime, []byte("k"), {0, 1}} {
			if err := b.Put(key, []byte("nonsense")); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketStats)
		if n, err := storage.Sweep(t.Context(), b, false, Keep); err != nil || n != 6 {
			t.Errorf("%d records are dropped, %v; want six", n, err)
		}
		return Rebuild(b)
	})
	if err != nil {
		t.Fatal(err)
	}
	compareStats(t, db, &model)
}
