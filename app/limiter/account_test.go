package limiter

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/apptest"
	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/footing"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/promise"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/storage"
)

// openArbiter returns one of a lab, whose node does nothing.
func openArbiter(t *testing.T, db *storage.DB) *Arbiter {
	t.Helper()
	a, err := New(Config{
		Rules: Rules{Lab: true, NoLimits: true}, Settings: config.Defaults(), DB: db, Clock: clock.Open(clock.State{}), Log: slog.New(slog.DiscardHandler),
		Gate: footing.NewGate(limits.Duty, new(calls.Meter), 0, nil), Bandwidth: bandwidth.New(),
		Archived: func() int64 { return 0 }, Sockets: func() (int, int) { return 0, 0 }, Rate: func() (float64, uint64) { return 0, 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// put writes a record of what an arbiter keeps.
func put(t *testing.T, db *storage.DB, key, raw string) {
	t.Helper()
	err := db.Update(func(tx *storage.Tx) error { return tx.Bucket(storage.BucketMeta).Put([]byte(key), []byte(raw)) })
	if err != nil {
		t.Fatal(err)
	}
}

func TestNew_DamagedRecordsCountAsNothing(t *testing.T) {
	for _, raw := range []string{
		"", "nonsense", `{"mode":"asleep"}`, `{"mode":"off","until":"2200-01-01T00:00:00Z"}`, `{"use":[{"day":-5,"bytes":-7}]}`, "[]", "\x00\xff",
	} {
		db := apptest.OpenDB(t)
		put(t, db, "limits", raw)
		put(t, db, "promises", raw)
		a := openArbiter(t, db)
		now := a.now()
		if mode, until := a.state.Manual(now); mode != limits.Auto || !until.IsZero() {
			t.Errorf("%q: mode %v until %v", raw, mode, until)
		}
		if today, month := a.state.Used(now, limits.Data{MonthStarts: 1}); today != 0 || month != 0 {
			t.Errorf("%q: %d bytes used today, %d this month", raw, today, month)
		}
		if records, breaches := a.account.History(now); len(records)+len(breaches) != 0 {
			t.Errorf("%q: %d records, %d breaches", raw, len(records), len(breaches))
		}
	}
}

// What cannot be read of what the user asked for and used is said.
func TestReadLimits_SaysWhatIsDamaged(t *testing.T) {
	db := apptest.OpenDB(t)
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	if _, err := readLimits(db, log); err != nil || said.Len() > 0 {
		t.Errorf("of a new node: %v, %q", err, said.String())
	}
	put(t, db, "limits", `{"mode":`)
	saved, err := readLimits(db, log)
	if err != nil || len(saved.Use) != 0 || strings.Count(said.String(), "level=WARN") != 1 {
		t.Errorf("of a damaged record: %+v, %v, %q", saved, err, said.String())
	}
}

// counting is a clock that a test moves on.
type counting struct{ limits.Clock }

func (c *counting) pass(d time.Duration) limits.Clock {
	c.Wall, c.Steady = c.Wall.Add(d), c.Steady+d
	return c.Clock
}

// The account has one record a minute, and they survive a restart.
func TestAccount_Minutes(t *testing.T) {
	db := apptest.OpenDB(t)
	arbiter := openArbiter(t, db)
	clock := &counting{arbiter.now()}
	clock.pass(-3 * time.Minute)
	clock.pass(clock.Wall.Truncate(time.Minute).Sub(clock.Wall))
	d := limits.Decision{Level: limits.Gentle, Budget: limits.Budget{CPUPercent: 100, DownKbit: 7, UpKbit: limits.NoLimit, Sockets: 9}, DiskAllowed: limits.NoLimit}
	a := arbiter.account
	a.Note(clock.Clock, d)
	for range 120 {
		a.Note(clock.pass(time.Second), d)
		soon := &counting{clock.Clock}
		a.Note(soon.pass(100*time.Millisecond), limits.Decision{Level: limits.Full, Budget: limits.Budget{DownKbit: 99}}) // too early: it is of the next second
	}
	records, breaches := a.History(clock.Clock)
	if len(records) < 2 || len(breaches) != 0 {
		t.Fatalf("%d records, breaches %+v", len(records), breaches)
	}
	seconds := 0
	for _, r := range records {
		seconds += r.Seconds
		f := r.Figures
		if r.Level != limits.Gentle || f[promise.Down].Limit != 7 || f[promise.Down].Mean != 0 || f[promise.Up].Limit != limits.NoLimit || f[promise.Sockets].Limit != 9 {
			t.Errorf("a minute is %+v", r)
		}
	}
	if seconds < 119 || seconds > 120 { // with the first sample the account begins
		t.Errorf("%d seconds, want 120", seconds)
	}
	if err := a.Save(clock.Clock); err != nil {
		t.Fatal(err)
	}
	h, err := ReadHistory(db, arbiter.cfg.Clock, words.German)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Minutes) != len(records) || h.Minutes[0].Seconds != records[0].Seconds || h.Minutes[0].Level != "gentle" || len(h.Summary) == 0 || !strings.HasPrefix(h.Summary[0], "In den letzten") {
		t.Errorf("where no node runs it is %+v, want %+v in German", h, records)
	}
	if again, _ := openArbiter(t, db).account.History(clock.Clock); len(again) != len(records) || again[0].Seconds != records[0].Seconds || again[0].Figures != records[0].Figures || again[0].Start.Sub(records[0].Start).Abs() > time.Second {
		t.Errorf("after a restart: %+v, want %+v", again, records)
	}
}

// A clock that is before the one noted last begins a new account; nothing is counted twice, or as
// less than nothing.
func TestAccount_ClockThatGoesBack(t *testing.T) {
	arbiter := openArbiter(t, apptest.OpenDB(t))
	clock := &counting{arbiter.now()}
	a := arbiter.account
	d := limits.Decision{Level: limits.Full, Budget: limits.Budget{CPUPercent: limits.NoLimit, DownKbit: limits.NoLimit, UpKbit: limits.NoLimit, Sockets: limits.NoLimit, PagesPerMin: limits.NoLimit}, DiskAllowed: limits.NoLimit}
	a.Note(clock.Clock, d)
	a.Note(clock.pass(time.Second), d)
	a.Note(clock.pass(-time.Hour), d)
	a.Note(clock.pass(time.Second), d)
	records, breaches := a.History(clock.Clock)
	for _, r := range records {
		for m, f := range r.Figures {
			if f.Mean < 0 || r.Seconds > 2 {
				t.Errorf("measure %d of %d seconds: %+v", m, r.Seconds, f)
			}
		}
	}
	if len(breaches) != 0 {
		t.Errorf("breaches %+v", breaches)
	}
}
