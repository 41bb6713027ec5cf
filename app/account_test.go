//go:build linux

package app

import (
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/promise"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
)

// Pauses outlive a restart, and work that has an end.
func TestLimits_WhatSurvivesARestart(t *testing.T) {
	there := func(o *Options) { o.Config.Limits.Idle.After = 2 * time.Hour }
	away := func(*Options) {}
	for _, c := range []struct {
		name string
		tune func(*Options)
		ask  func(v *visitor) error
		mode string
		kind string // of the first reason after the restart, "" for none
	}{
		{"pause with an end", away, func(v *visitor) error { return v.api.Pause(t.Context(), time.Hour) }, "off", "paused"},
		{"pause without", away, func(v *visitor) error { return v.api.Pause(t.Context(), 0) }, "off", "paused"},
		{"work with an end", there, func(v *visitor) error { return v.api.Work(t.Context(), time.Hour) }, "on", "timed_work"},
		{"work without", there, func(v *visitor) error { return v.api.Work(t.Context(), 0) }, "auto", "in_use"},
		{"finish", away, func(v *visitor) error { return v.api.Finish(t.Context()) }, "auto", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := startVisitor(t, text(10), c.tune)
			v.until("the sensors", func() bool {
				l := v.limits()
				return l.Level == "full" || l.Sentence != "" && l.Reasons[0].Kind == "in_use"
			})
			if err := c.ask(v); err != nil {
				t.Fatal(err)
			}
			before := v.limits().Until
			v.end()
			v.start()
			v.until("the sensors", func() bool {
				l := v.limits()
				return len(l.Reasons) == 0 && c.kind == "" || len(l.Reasons) > 0 && l.Reasons[0].Kind == c.kind
			})
			l := v.limits()
			if l.Mode != c.mode {
				t.Errorf("the mode is %s, want %s", l.Mode, c.mode)
			}
			switch {
			case l.Mode == "auto":
				if l.Until != nil {
					t.Errorf("it lasts until %v, want no end", l.Until)
				}
			case (before == nil) != (l.Until == nil) || before != nil && l.Until.Sub(*before).Abs() > time.Second:
				t.Errorf("it lasts until %v, want %v", l.Until, before)
			}
		})
	}
}

// Every byte counts, those of the last second too.
func TestLimits_WhatWasUsedSurvivesAnEnd(t *testing.T) {
	v := startVisitor(t, text(1000), func(o *Options) { o.Config.Limits.Data.Day = 1e12 })
	for range 2 {
		v.works()
		before := v.limits().Quotas[0].Used
		v.works() // what is used now nobody asks for
		v.end()
		moved := v.node.bytesMoved()
		v.start()
		q := v.limits().Quotas[0]
		if q.Name != "data.day" || q.Used < before || q.Used < moved {
			t.Errorf("%s: %d bytes used after a restart; before it said %d, of which %d were of that run", q.Name, q.Used, before, moved)
		}
	}
}

func TestLimits_DamagedRecordsCountAsNothing(t *testing.T) {
	for _, raw := range []string{"", "nonsense", `{"mode":"asleep"}`, `{"mode":"off","until":"2200-01-01T00:00:00Z"}`, `{"use":[{"day":-5,"bytes":-7}]}`, "[]", "\x00\xff"} {
		o := labOptions(t, t.TempDir(), nil)
		n := newNode(t, o)
		err := n.db.Update(func(tx *storage.Tx) error {
			if err := tx.Bucket(storage.BucketMeta).Put(keyLimits, []byte(raw)); err != nil {
				return err
			}
			return tx.Bucket(storage.BucketMeta).Put([]byte("promises"), []byte(raw))
		})
		if err != nil {
			t.Fatal(err)
		}
		closeNode(t, n)
		n = newNode(t, o)
		now := n.arbiter.now()
		if mode, until := n.arbiter.state.Manual(now); mode != limits.Auto || !until.IsZero() {
			t.Errorf("%q: mode %v until %v", raw, mode, until)
		}
		if today, month := n.arbiter.state.Used(now, limits.Data{MonthStarts: 1}); today != 0 || month != 0 {
			t.Errorf("%q: %d bytes used today, %d this month", raw, today, month)
		}
		if records, breaches := n.arbiter.account.History(now); len(records)+len(breaches) != 0 {
			t.Errorf("%q: %d records, %d breaches", raw, len(records), len(breaches))
		}
		closeNode(t, n)
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
	o := labOptions(t, t.TempDir(), nil)
	n := newNode(t, o)
	clock := &counting{n.arbiter.now()}
	clock.pass(-3 * time.Minute)
	clock.pass(clock.Wall.Truncate(time.Minute).Sub(clock.Wall))
	d := limits.Decision{Level: limits.Gentle, Budget: limits.Budget{CPUPercent: 100, DownKbit: 7, UpKbit: limits.NoLimit, Sockets: 9}, DiskAllowed: limits.NoLimit}
	a := n.arbiter.account
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
	closeNode(t, n)
	reader, err := OpenReader(o.Paths)
	if err != nil {
		t.Fatal(err)
	}
	h, err := reader.LimitHistory(api.WithLang(t.Context(), words.German))
	if closed := reader.Close(); err != nil || closed != nil {
		t.Fatal(err, closed)
	}
	if len(h.Minutes) != len(records) || h.Minutes[0].Seconds != records[0].Seconds || h.Minutes[0].Level != "gentle" || len(h.Summary) == 0 || english.MatchString(h.Summary[0]) {
		t.Errorf("where no node runs it is %+v, want %+v in German", h, records)
	}
	n = newNode(t, o)
	defer closeNode(t, n)
	if again, _ := n.arbiter.account.History(clock.Clock); len(again) != len(records) || again[0].Seconds != records[0].Seconds || again[0].Figures != records[0].Figures || again[0].Start.Sub(records[0].Start).Abs() > time.Second {
		t.Errorf("after a restart: %+v, want %+v", again, records)
	}
}

// A clock that is before the one noted last begins a new account; nothing is counted twice, or as
// less than nothing.
func TestAccount_ClockThatGoesBack(t *testing.T) {
	n := newNode(t, labOptions(t, t.TempDir(), nil))
	defer closeNode(t, n)
	clock := &counting{n.arbiter.now()}
	a := n.arbiter.account
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
