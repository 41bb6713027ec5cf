// Package absence knows when somebody was at the computer, and keeps what a node fetched while nobody was there.
package absence

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/away"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/storage"
)

const (
	// tidyEvery is how often what was fetched since somebody was there last is forgotten if somebody was there since.
	tidyEvery = 5 * time.Minute
	// picksFor is for how long pages that were picked stay so: the index may be behind when they are picked first.
	picksFor = 10 * time.Minute
)

// Absence knows when somebody was there, and keeps what was fetched meanwhile. It implements api.Returner.
type Absence struct {
	store   *storage.DB
	library *library.Library
	log     *slog.Logger

	back chan time.Time // of capacity 1: somebody is back

	keeping sync.Mutex // held while an absence ends

	mu      sync.Mutex
	last    time.Time // somebody was there, by the wall clock
	counted int64     // Since of what was counted last, 0 if nothing was
	report  away.Record
	picks   []api.Find
	picked  time.Time
}

// Open goes on from what was counted.
func Open(db *storage.DB, library *library.Library, log *slog.Logger, now time.Time) (*Absence, error) {
	a := &Absence{store: db, library: library, log: log, back: make(chan time.Time, 1), last: now}
	return a, db.View(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketStats)
		since, err := stats.ReadAbsence(b, stats.KeyAway)
		if err != nil {
			return err
		}
		if at := time.Unix(since.Since, 0); since.Since > 0 && at.Before(now) {
			a.last, a.counted = at, since.Since
		}
		a.report, err = stats.ReadAbsence(b, stats.KeyBack)
		return err
	})
}

// see notes that somebody was there at a time, now or before, and reports whether that ends an absence; then keep is to
// be called.
func (a *Absence) see(at, now time.Time) (back bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last.After(now) { // the clock was set back
		a.last = now
	}
	if away.IsReturn(a.last, at) {
		return true
	}
	if at.After(a.last) {
		a.last = at
	}
	return false
}

// Sense notes that somebody was there at a time, now or before, and does not wait.
func (a *Absence) Sense(at, now time.Time) {
	if a != nil && a.see(at, now) {
		select {
		case a.back <- at:
		default:
		}
	}
}

// Serve keeps what is to be told until ctx is done.
func (a *Absence) Serve(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			a.tidy()
			return ctx.Err()
		case at := <-a.back:
			a.keep(at)
		case <-time.After(pulse.Until(tidyEvery)):
			a.tidy()
		}
	}
}

// keep ends an absence: what was counted is what is told from now on.
func (a *Absence) keep(at time.Time) {
	a.keeping.Lock()
	defer a.keeping.Unlock()
	a.mu.Lock()
	kept := !away.IsReturn(a.last, at)
	a.mu.Unlock()
	if kept { // somebody who looked was faster than the keyboard
		return
	}
	err := a.store.Update(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketStats)
		r, err := stats.ReadAbsence(b, stats.KeyAway)
		if err != nil {
			return err
		}
		tx.OnCommit(func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.last, a.counted, a.report, a.picks, a.picked = at, 0, r, nil, time.Time{}
		})
		if err := b.Delete(stats.KeyAway); err != nil {
			return err
		}
		if r.Pages == 0 {
			r = away.Record{}
			return b.Delete(stats.KeyBack)
		}
		r.Until = at.Unix()
		return stats.PutAbsence(b, stats.KeyBack, &r)
	})
	if err != nil {
		a.log.Warn("What was fetched meanwhile is not kept", "error", err)
	}
}

// tidy forgets what was counted before somebody was there last.
func (a *Absence) tidy() {
	a.mu.Lock()
	old := a.counted > 0 && a.counted < a.last.Unix()
	a.mu.Unlock()
	if old {
		a.drop(stats.KeyAway, func() { a.counted = 0 })
	}
}

// drop deletes a record; then, with the mutex held, done is called.
func (a *Absence) drop(key []byte, done func()) {
	err := a.store.Update(func(tx *storage.Tx) error {
		tx.OnCommit(func() {
			a.mu.Lock()
			defer a.mu.Unlock()
			done()
		})
		return tx.Bucket(storage.BucketStats).Delete(key)
	})
	if err != nil {
		a.log.Warn("What was fetched meanwhile is not forgotten", "error", err)
	}
}

// Count adds the pages of a transaction to those since somebody was there last, and what was reached with them.
func (a *Absence) Count(tx *storage.Tx, outcomes []crawl.Outcome, reached []away.Milestone) error {
	isPage := func(o crawl.Outcome) bool { return o.Result == crawl.Fetched }
	if !slices.ContainsFunc(outcomes, isPage) {
		return nil
	}
	a.mu.Lock()
	last := a.last.Unix()
	a.mu.Unlock()
	b := tx.Bucket(storage.BucketStats)
	r, err := stats.ReadAbsence(b, stats.KeyAway)
	if err != nil {
		return err
	}
	if r.Since != last {
		r = away.Record{Since: last}
	}
	for i := range outcomes {
		if o := &outcomes[i]; isPage(*o) {
			page := away.Page{URL: o.Task.URL.String(), Domain: string(o.Domain), Title: o.Title}
			r.Add(away.Fetched{
				Page: page, Language: stats.ShortLanguage(o.Language), First: stats.IsFirst(o), Connect: o.Connect,
			})
		}
	}
	for _, m := range reached {
		r.Reach(m)
	}
	tx.OnCommit(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.counted = last
	})
	return stats.PutAbsence(b, stats.KeyAway, &r)
}

// Away implements api.Returner.
func (a *Absence) Away(ctx context.Context) (api.Away, error) {
	a.mu.Lock()
	r := a.report
	a.mu.Unlock()
	told := tellAway(&r, api.Lang(ctx))
	if told.Since == nil {
		return told, nil
	}
	told.Shown = a.pick(ctx, &r)
	if a.hides(r.First.URL) {
		told.First = nil
	} else if c, err := a.library.Captures(ctx, r.First.URL, "", 1); err == nil && len(c.Captures) > 0 {
		told.First.ID = c.Captures[0].ID
	}
	if a.hides("http://" + r.Far + "/") {
		told.Farthest = nil
	}
	return told, ctx.Err()
}

// hides reports whether an address is none, or its user does not want to see it.
func (a *Absence) hides(url string) bool {
	u, err := crawl.ParseURL(url)
	return err != nil || a.library.Hides(u)
}

// pick returns a few pages of an absence that are worth reading.
func (a *Absence) pick(ctx context.Context, r *away.Record) []api.Find {
	a.mu.Lock()
	list, fresh := a.picks, time.Since(a.picked) < picksFor
	a.mu.Unlock()
	if fresh {
		return list
	}
	if now, err := a.library.Picks(ctx, time.Unix(r.Since, 0), time.Unix(r.Until, 0)); err == nil {
		list = now
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.report.Until == r.Until {
		a.picks, a.picked = list, time.Now()
	}
	return list
}

// LookAway implements api.Returner.
func (a *Absence) LookAway(ctx context.Context, seen bool) (api.Away, error) {
	if now := time.Now(); a.see(now, now) {
		a.keep(now)
	}
	if seen {
		a.drop(stats.KeyBack, func() { a.report, a.picks = away.Record{}, nil })
	}
	return a.Away(ctx)
}

// Last is what a notification tells of the last absence, nil if there is nothing to tell.
func (a *Absence) Last(lang string) *api.Away {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	told := tellAway(&a.report, lang)
	if told.Since == nil {
		return nil
	}
	return &told
}

// tellAway puts into words what a record counts.
func tellAway(r *away.Record, lang string) api.Away {
	told := api.Away{Languages: []string{}, Shown: []api.Find{}, Milestones: []api.Milestone{}}
	if r.Pages == 0 || r.Until == 0 {
		return told
	}
	since, until := time.Unix(r.Since, 0).UTC(), time.Unix(r.Until, 0).UTC()
	told.Since, told.Until = &since, &until
	told.Pages, told.Firsts = int64(r.Pages), int64(r.Firsts)
	told.Sites, told.More = int64(len(r.Sites)), r.More
	told.Languages = append(told.Languages, r.Languages...)
	slices.Sort(told.Languages)
	for _, m := range r.Reached {
		told.Milestones = append(told.Milestones, stats.TellMilestone(m))
	}
	told.Sentence = awaySentence(&told, lang)
	if r.First.URL != "" {
		told.First = &api.AwayPage{URL: r.First.URL, Domain: r.First.Domain, Title: r.First.Title}
	}
	if r.Far != "" {
		told.Farthest = &api.AwaySite{Domain: r.Far, Ms: int64(r.FarMs)}
	}
	return told
}

// awaySentence says how much it was: "312 pages from 41 sites in 9 languages".
func awaySentence(told *api.Away, lang string) string {
	count := func(key string, n int) string { return words.Text(lang, key, words.Args{"count": n}) }
	sites := "away.sites"
	if told.More {
		sites = "away.sites.more"
	}
	args := words.Args{"pages": count("away.pages", int(told.Pages)), "sites": count(sites, int(told.Sites))}
	if len(told.Languages) == 0 {
		return words.Text(lang, "away.sentence.plain", args)
	}
	args["languages"] = count("away.languages", len(told.Languages))
	return words.Text(lang, "away.sentence", args)
}
