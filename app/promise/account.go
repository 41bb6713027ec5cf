package promise

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
)

// Account keeps what was allowed and what was used, minute by minute: by it users see that their limits are kept. It is
// safe for concurrent use.
type Account struct {
	cfg AccountConfig

	mu       sync.Mutex
	recorder *Recorder
	days     *Days
	at       limits.Clock
	was      Used
	level    limits.Level
	lowered  time.Duration // when the level was, by the steady hand
}

// AccountConfig says where an account is kept, and what it is of.
type AccountConfig struct {
	DB *storage.DB
	// Used returns what the node has used by now.
	Used func() Used
	// Cores is how many processors there are, Every how often Note is called.
	Cores int
	Every time.Duration
	Log   *slog.Logger
}

// Used is what a node has used: since it started, except for connections and disk, which are those of now.
type Used struct {
	CPU            time.Duration // negative if it is not known
	Received, Sent int64         // bytes
	Pages          uint64
	Sockets        int
	Disk           int64 // bytes of the archive
}

var keyPromises, keyPromiseDays = []byte("promises"), []byte("promise_days")

// OpenAccount goes on from what was saved.
func OpenAccount(cfg AccountConfig, now limits.Clock) (*Account, error) {
	a := &Account{cfg: cfg}
	var raw, days []byte
	err := cfg.DB.View(func(tx *storage.Tx) error {
		raw = append(raw, tx.Bucket(storage.BucketMeta).Get(keyPromises)...)
		days = append(days, tx.Bucket(storage.BucketMeta).Get(keyPromiseDays)...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what was allowed and used: %w", err)
	}
	if a.recorder, err = Restore(now, raw); err != nil {
		cfg.Log.Warn("What was allowed and used before is lost", "error", err)
		a.recorder = new(Recorder)
	}
	if a.days, err = RestoreDays(now.Wall, days); err != nil {
		cfg.Log.Warn("What was used in the last month is lost", "error", err)
	}
	return a, nil
}

// ReadAccount returns what a store keeps of the last 24 hours.
func ReadAccount(db *storage.DB, now limits.Clock) (*Recorder, error) {
	var raw []byte
	err := db.View(func(tx *storage.Tx) error {
		raw = append(raw, tx.Bucket(storage.BucketMeta).Get(keyPromises)...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r, err := Restore(now, raw)
	if err != nil {
		err = fmt.Errorf("read what was allowed and used: %w", err)
	}
	return r, err
}

// Note takes what was used since it was called last, about a second ago.
func (a *Account) Note(now limits.Clock, d limits.Decision) {
	a.mu.Lock()
	defer a.mu.Unlock()
	took := now.Steady - a.at.Steady
	if a.at.Wall.IsZero() || took < 0 {
		a.look(now)
		return
	}
	if took < a.cfg.Every*9/10 {
		return
	}
	if d.Level < a.level {
		a.lowered = now.Steady
	}
	a.level = d.Level
	was := a.was
	a.look(now)
	is := a.was
	seconds := took.Seconds()
	rate := func(after, before int64) float64 { return float64(after-before) * 8 / 1000 / seconds }
	s := Sample{Level: d.Level}
	if since := now.Steady - a.lowered; a.lowered > 0 && since < time.Minute {
		s.Cause = words.New("said.trouble.the-level-was-lowered-before",
			words.Args{"time": since.Round(time.Second)}).Stored()
	}
	b := d.Budget
	s.Values = [Measures]Value{
		CPU:     {Limit: b.CPUPercent, Measured: 100 * (is.CPU - was.CPU).Seconds() / seconds / float64(a.cfg.Cores)},
		Down:    {Limit: float64(b.DownKbit), Measured: rate(is.Received, was.Received)},
		Up:      {Limit: float64(b.UpKbit), Measured: rate(is.Sent, was.Sent)},
		Sockets: {Limit: float64(b.Sockets), Measured: float64(is.Sockets)},
		Pages:   {Limit: float64(b.PagesPerMin), Measured: float64(is.Pages-was.Pages) * 60 / seconds},
		Disk:    {Limit: float64(d.DiskAllowed), Measured: float64(is.Disk)},
	}
	a.recorder.Note(now, s)
	var measured [Measures]float64
	for m, v := range s.Values {
		measured[m] = v.Measured
	}
	a.days.Note(now.Wall, seconds, measured)
}

// look takes the counts of now. The mutex is held.
func (a *Account) look(now limits.Clock) {
	cpu := a.was.CPU
	a.at, a.was = now, a.cfg.Used()
	if a.was.CPU < 0 {
		a.was.CPU = cpu
	}
}

// Save keeps the account.
func (a *Account) Save(now limits.Clock) error {
	a.mu.Lock()
	raw := a.recorder.Save(now)
	days, err := a.days.Save()
	a.mu.Unlock()
	if err != nil {
		return fmt.Errorf("save what was used in the last month: %w", err)
	}
	return a.cfg.DB.Update(func(tx *storage.Tx) error {
		return errors.Join(tx.Bucket(storage.BucketMeta).Put(keyPromises, raw),
			tx.Bucket(storage.BucketMeta).Put(keyPromiseDays, days))
	})
}

// History returns the last 24 hours.
func (a *Account) History(now limits.Clock) ([]Record, []Breach) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.recorder.Records(now), a.recorder.Breaches(now)
}

// Month returns the mean of what was used in the last 30 days, -1 if nothing is known of it.
func (a *Account) Month(now limits.Clock, m Measure) float64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.days.Mean(now.Wall, m)
}

// Summary says in sentences what the last 24 hours were like.
func (a *Account) Summary(now limits.Clock, lang string) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.recorder.Summary(now, lang).Sentences
}
