package app

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/promise"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/storage"
)

// account keeps what was allowed and what was used, minute by minute: by it users see that their limits are kept.
type account struct {
	n *Node

	mu       sync.Mutex
	recorder *promise.Recorder
	days     *promise.Days
	at       limits.Clock
	cpu      time.Duration
	moved    bandwidth.Usage
	pages    uint64
	level    limits.Level
	lowered  time.Duration // when the level was, by the steady hand
}

var keyPromises, keyPromiseDays = []byte("promises"), []byte("promise_days")

// openAccount goes on from what was saved.
func openAccount(n *Node, now limits.Clock) (*account, error) {
	a := &account{n: n}
	var raw, days []byte
	err := n.db.View(func(tx *storage.Tx) error {
		raw = append(raw, tx.Bucket(storage.BucketMeta).Get(keyPromises)...)
		days = append(days, tx.Bucket(storage.BucketMeta).Get(keyPromiseDays)...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what was allowed and used: %w", err)
	}
	if a.recorder, err = promise.Restore(now, raw); err != nil {
		n.log.Warn("What was allowed and used before is lost", "error", err)
		a.recorder = new(promise.Recorder)
	}
	if a.days, err = promise.RestoreDays(now.Wall, days); err != nil {
		n.log.Warn("What was used in the last month is lost", "error", err)
	}
	return a, nil
}

// note takes what was used since it was called last, about a second ago.
func (a *account) note(now limits.Clock, d limits.Decision) {
	a.mu.Lock()
	defer a.mu.Unlock()
	took := now.Steady - a.at.Steady
	if a.at.Wall.IsZero() || took < 0 {
		a.look(now)
		return
	}
	if took < lookEvery*9/10 {
		return
	}
	if d.Level < a.level {
		a.lowered = now.Steady
	}
	a.level = d.Level
	cpu, moved, pages := a.cpu, a.moved, a.pages
	a.look(now)
	seconds := took.Seconds()
	rate := func(after, before int64) float64 { return float64(after-before) * 8 / 1000 / seconds }
	s := promise.Sample{Level: d.Level}
	if since := now.Steady - a.lowered; a.lowered > 0 && since < time.Minute {
		s.Cause = fmt.Sprintf("the level was lowered %v before", since.Round(time.Second))
	}
	b := d.Budget
	s.Values = [promise.Measures]promise.Value{
		promise.CPU:     {Limit: b.CPUPercent, Measured: 100 * (a.cpu - cpu).Seconds() / seconds / float64(cores())},
		promise.Down:    {Limit: float64(b.DownKbit), Measured: rate(a.moved.Received.All, moved.Received.All)},
		promise.Up:      {Limit: float64(b.UpKbit), Measured: rate(a.moved.Sent.All, moved.Sent.All)},
		promise.Sockets: {Limit: float64(b.Sockets), Measured: float64(a.n.sockets())},
		promise.Pages:   {Limit: float64(b.PagesPerMin), Measured: float64(a.pages-pages) * 60 / seconds},
		promise.Disk:    {Limit: float64(d.DiskAllowed), Measured: float64(a.n.archive.Size())},
	}
	a.recorder.Note(now, s)
	var measured [promise.Measures]float64
	for m, v := range s.Values {
		measured[m] = v.Measured
	}
	a.days.Note(now.Wall, seconds, measured)
}

// look takes the counts of now. The mutex is held.
func (a *account) look(now limits.Clock) {
	a.at, a.moved = now, a.n.bandwidth.Totals()
	_, a.pages = a.n.rate.rate()
	if cpu, err := sense.OwnCPU(); err == nil {
		a.cpu = cpu
	}
}

// save keeps the account.
func (a *account) save(now limits.Clock) error {
	a.mu.Lock()
	raw := a.recorder.Save(now)
	days, err := a.days.Save()
	a.mu.Unlock()
	if err != nil {
		return fmt.Errorf("save what was used in the last month: %w", err)
	}
	return a.n.db.Update(func(tx *storage.Tx) error {
		return errors.Join(tx.Bucket(storage.BucketMeta).Put(keyPromises, raw), tx.Bucket(storage.BucketMeta).Put(keyPromiseDays, days))
	})
}

// history returns the last 24 hours.
func (a *account) history(now limits.Clock) ([]promise.Record, []promise.Breach) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.recorder.Records(now), a.recorder.Breaches(now)
}

// month returns the mean of what was used in the last 30 days, -1 if nothing is known of it.
func (a *account) month(now limits.Clock, m promise.Measure) float64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.days.Mean(now.Wall, m)
}

// summary says in sentences what the last 24 hours were like.
func (a *account) summary(now limits.Clock, lang limits.Lang) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.recorder.Summary(now, lang).Sentences
}
