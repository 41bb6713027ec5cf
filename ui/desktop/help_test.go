package desktop

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desk"
	"github.com/forage-net/forage/ui/desktop/look"
	"github.com/forage-net/forage/ui/desktop/speech"
)

// noon is when the tests take place.
var noon = time.Date(2026, 5, 14, 12, 0, 0, 0, time.UTC)

// patience is how long what is sure to come is waited for, on a computer that is busy.
const patience = time.Minute

// uiLoop stands in for the driver: what is to run on the UI goroutine waits here, and runs in the goroutine of
// the test when that asks.
type uiLoop struct {
	mu   sync.Mutex
	todo []func()
}

func (l *uiLoop) do(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.todo = append(l.todo, fn)
}

// step runs what waits and reports whether anything did.
func (l *uiLoop) step() bool {
	l.mu.Lock()
	todo := l.todo
	l.todo = nil
	l.mu.Unlock()
	for _, fn := range todo {
		fn()
	}
	return len(todo) > 0
}

// until runs what waits until a condition holds.
func (l *uiLoop) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		l.step()
		if holds() {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not come", what)
		}
	}
}

// bench is a desk for one view, with a node that stands in.
type bench struct {
	*desk.Desk
	*uiLoop
	node *standIn
	said []string
	// offers are what the buttons beside what was said do.
	offers []func()
	// routes are where the dashboard was opened, shows the pages of the window.
	routes, shows []string
	refreshed     int
}

// newBench makes a desk in an app of the test's own. theme is "light" or "dark".
func newBench(t *testing.T, lang, theme string) *bench {
	t.Helper()
	a := newStrictApp(t)
	a.Settings().SetTheme(look.NewTheme(theme))
	ctx, cancel := context.WithCancel(context.Background())
	b := &bench{uiLoop: a.driver.loop, node: newStandIn()}
	b.Desk = &desk.Desk{
		Speech: speech.Speech{Lang: lang}, Ctx: ctx, UI: b.uiLoop.do, Now: func() time.Time { return noon },
		Say:       func(text string, _ bool) { b.said = append(b.said, text) },
		Offer:     func(text, _ string, do func()) { b.said, b.offers = append(b.said, text), append(b.offers, do) },
		Refresh:   func() { b.refreshed++ },
		Show:      func(page string) { b.shows = append(b.shows, page) },
		Dashboard: func(route string) { b.routes = append(b.routes, route) },
	}
	t.Cleanup(func() {
		cancel()
		b.Wait()
	})
	return b
}

// standIn is a node of the tests. Its fields are what it answers; calls are what it was asked to do.
type standIn struct {
	mu       sync.Mutex
	status   api.Status
	limits   api.Limits
	history  api.LimitHistory
	ring     api.Ring
	visits   []api.Visit
	series   api.Series
	stats    api.Stats
	best     api.Best
	away     api.Away
	domains  []api.Domain
	found    api.SearchPage
	setup    api.Setup
	settings api.Settings
	// err, if not nil, is what every call fails with.
	err     error
	calls   []string
	agreed  []api.Agreement
	changes []api.SettingsChange
	// refuse is what changes of settings and agreements fail with.
	refuse error
	// pages are sent to who follows.
	pages chan api.EventPage
}

func newStandIn() *standIn {
	return &standIn{
		status: api.Status{Version: "1.2.3", State: api.StateWorking, Consent: true,
			Sentence: "Working gently: you are away.", Pages: 12345, PagesSession: 321, Domains: 42, Queued: 98765,
			Members: 7},
		limits: api.Limits{Level: "gentle", Mode: "auto"},
		pages:  make(chan api.EventPage, 100),
	}
}

// answer returns a field of a node as it is now, and counts nothing.
func answer[T any](s *standIn, field *T) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *field, s.err
}

// change changes what a node answers.
func (s *standIn) change(fn func(*standIn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn(s)
}

func (s *standIn) called(what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, what)
	return s.err
}

// did returns what the node was asked to do.
func (s *standIn) did() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.calls...)
}

func (s *standIn) StatusIn(context.Context, string) (api.Status, error) { return answer(s, &s.status) }
func (s *standIn) Limits(context.Context, string) (api.Limits, error)   { return answer(s, &s.limits) }
func (s *standIn) LimitHistory(context.Context) (api.LimitHistory, error) {
	return answer(s, &s.history)
}
func (s *standIn) Ring(context.Context) (api.Ring, error)                 { return answer(s, &s.ring) }
func (s *standIn) Visits(context.Context, int) ([]api.Visit, error)       { return answer(s, &s.visits) }
func (s *standIn) Stats(context.Context, int) (api.Stats, error)          { return answer(s, &s.stats) }
func (s *standIn) Best(context.Context, *time.Location) (api.Best, error) { return answer(s, &s.best) }
func (s *standIn) Setup(context.Context, string) (api.Setup, error)       { return answer(s, &s.setup) }
func (s *standIn) Pause(_ context.Context, d time.Duration) error {
	return s.called("pause " + d.String())
}
func (s *standIn) Resume(context.Context) error { return s.called("resume") }
func (s *standIn) Work(_ context.Context, d time.Duration) error {
	return s.called("work " + d.String())
}
func (s *standIn) Away(context.Context) (api.Away, error) { return answer(s, &s.away) }
func (s *standIn) LookAway(_ context.Context, seen bool) (api.Away, error) {
	if seen {
		s.change(func(s *standIn) { s.away, s.calls = api.Away{}, append(s.calls, "seen") })
	}
	return answer(s, &s.away)
}
func (s *standIn) SetRun(_ context.Context, mode api.RunMode) error {
	return s.called("run " + string(mode))
}
func (s *standIn) Finish(context.Context) error { return s.called("finish") }
func (s *standIn) Settings(context.Context, string) (api.Settings, error) {
	return answer(s, &s.settings)
}
func (s *standIn) Series(_ context.Context, q api.SeriesQuery) (api.Series, error) {
	if q.Limit == hoursOfADay {
		if from := q.From; q.Unit != api.UnitHour || from.Hour() != 0 || from.Location() != time.Local ||
			time.Since(from) > 25*time.Hour {
			return api.Series{}, fmt.Errorf("today begins at %v", from)
		}
	}
	return answer(s, &s.series)
}

func (s *standIn) Domains(_ context.Context, after string, limit int) ([]api.Domain, error) {
	all, err := answer(s, &s.domains)
	for len(all) > 0 && all[0].Domain <= after {
		all = all[1:]
	}
	return all[:min(limit, len(all))], err
}

func (s *standIn) Never(_ context.Context, text string, undo bool) (api.NeverChange, error) {
	what := "never "
	if undo {
		what = "undo never "
	}
	return api.NeverChange{Changed: true}, s.called(what + text)
}

func (s *standIn) Agree(_ context.Context, a api.Agreement) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse == nil {
		s.agreed = append(s.agreed, a)
		s.status.Consent = true
	}
	return s.refuse
}

func (s *standIn) ChangeSettings(_ context.Context, c api.SettingsChange) (api.SettingsChanged, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse == nil {
		s.changes = append(s.changes, c)
	}
	return api.SettingsChanged{}, s.refuse
}

func (s *standIn) FollowWindow(
	ctx context.Context, _ string, _ uint64, events func(api.EventPage) error, _ func(string),
) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p := <-s.pages:
			if err := events(p); err != nil {
				return err
			}
		}
	}
}
